internal import Configuration
internal import JSON
internal import OIDCAgentProtocol
internal import ToolProtocols

extension Fuzzer {
  /// The request of another tool.
  ///
  /// The first byte is the tool: git, docker (an address, an object), kubectl, cargo, Bazel,
  /// oidc-agent's clients (a request, a box).
  static let toolRequests = Fuzzer(
    "tool-requests",
    maximum: ToolRequest.maximumCount + 2,
    dictionary: "json"
  ) { input in
    let tool = input.choice([0, 1, 2, 3, 4, 5, 6, 7])
    let bytes = input.bytes()
    let token = ToolToken("at_1", expiresAt: 1_763_717_400)
    switch tool {
    case 0:
      let request = try GitCredential(bytes)
      let username = request.username ?? "oauth2"
      let lines = request.answer(token, username: username).split(separator: UInt8(ascii: "\n"))
      demand(lines.count == (request.takesBearer ? 4 : 3), "a request adds a line to git's answer")
      look(at: request.url)
    case 1:
      let server = try DockerCredential.server(bytes)
      demand(isObject(DockerCredential.answer(token, server: server, username: "u")), "docker")
      for url in DockerCredential.urls(of: server) { look(at: url) }
    case 2: look(at: try DockerCredential.stored(bytes).secret.text)
    case 3:
      let variable = bytes.prefix(KubeCredential.maximumCount + 1)
      let request = try KubeCredential(String(decoding: variable, as: UTF8.self))
      demand(isObject(request.answer(token)), "kubectl")
    case 4:
      let request = try CargoCredential(bytes)
      demand(isObject(request.answer(token)), "cargo")
      if let url = request.url { look(at: url) }
    case 5:
      let request = try BazelCredential(bytes)
      demand(isObject(request.answer(token)), "Bazel")
      look(at: request.url)
    case 6: look(at: try OIDCAgentRequest(bytes))
    default:
      guard try OIDCAgentChannel.isWholeBox(bytes), let oidcAgentChannel else { return }
      look(at: try OIDCAgentRequest(try oidcAgentChannel.open(bytes)))
    }
  }

  /// A channel whose key no input can have: each box is refused.
  private static let oidcAgentChannel = try? OIDCAgentChannel(
    Array("O2pPxMltAJ1sWOIocAlsB7dWu7o5zFPTZRievjCI9Vg=".utf8)
  )

  private static func look(at request: OIDCAgentRequest) {
    switch request {
    case .loadedAccounts: break
    case .accessToken(let wanted):
      demand(wanted.account != nil || wanted.issuer != nil, "a token of no account")
      let account = wanted.account ?? wanted.issuer ?? ""
      demand(isObject(OIDCAgentRequest.answer(accounts: [account])), "oidc-agent")
    case .other(let refusal):
      let answer = OIDCAgentRequest.answer(error: refusal.error, info: refusal.info)
      demand(isObject(answer), "oidc-agent")
    }
  }

  /// The file `hosts.conf`.
  static let hostFiles = Fuzzer("host-files", maximum: 64 * 1024, dictionary: "provider") { input in
    let bytes = input.bytes()
    let hosts = try HostFile(bytes: bytes, file: "hosts.conf")
    for entry in hosts.entries {
      let rest = hosts.removing(entry.host).flatMap { try? HostFile(text: $0, file: "hosts.conf") }
      demand(
        rest?.entries == hosts.entries.filter { $0.host != entry.host },
        "a host that is removed takes others along"
      )
      // Each removal reads the whole file: some of them show what all do.
      if bytes.count > 1024 { break }
    }
    let host = try TokenHost("fuzzed.example.org:8443")
    guard hosts[host] == nil else { return }
    let longer = try hosts.adding(host, settings: [("account", "work")])
    let all = try? HostFile(text: longer, file: "hosts.conf").entries
    demand(all.map { Array($0.dropLast()) } == hosts.entries, "a host that is added changes others")
  }

  /// Reads a URL as a host: it must name the same host again.
  private static func look(at url: String) {
    guard let host = try? TokenHost(ofURL: url) else { return }
    demand((try? TokenHost(host.text)) == host, "a host has two names")
  }

  /// Whether an answer is one line with one JSON object.
  private static func isObject(_ answer: [UInt8]) -> Bool {
    guard answer.last == UInt8(ascii: "\n"), !answer.dropLast().contains(UInt8(ascii: "\n")),
      case .object? = try? JSONReader.read(Array(answer.dropLast()))
    else { return false }
    return true
  }
}
