package import Configuration

/// A tool's request for the token of a host.
///
/// The front and the command-line program both use it to read and answer requests. So they give the
/// same bytes.
package struct ToolQuery: Sendable {
  private enum Request: Sendable {
    case git(GitCredential)
    case docker(server: String)
    case cargo(CargoCredential)
    case bazel(BazelCredential)
    case terraform
  }

  /// The tool's name in the stated reason.
  package let tool: String
  private let request: Request
  /// The host that the request means; `nil` if it means none.
  package let host: TokenHost?
  /// The host to use if the user has not named the first one.
  private let second: TokenHost?

  /// Reads the lines that git sends with `get`.
  package static func git(_ bytes: [UInt8]) throws(ToolRequestError) -> ToolQuery {
    let request = try GitCredential(bytes)
    return ToolQuery("git", .git(request), try? TokenHost(request.url))
  }

  /// Reads the address that docker sends with `get`.
  package static func docker(_ bytes: [UInt8]) throws(ToolRequestError) -> ToolQuery {
    let server = try DockerCredential.server(bytes)
    guard !DockerCredential.isOfWebLogin(server) else {
      return ToolQuery("docker", .docker(server: server), nil)
    }
    let urls = DockerCredential.urls(of: server)
    return ToolQuery(
      "docker",
      .docker(server: server),
      try? TokenHost(ofURL: urls[0]),
      second: urls.count > 1 ? try? TokenHost(ofURL: urls[1]) : nil
    )
  }

  /// Makes a query from a request of cargo.
  package static func cargo(_ request: CargoCredential) -> ToolQuery {
    ToolQuery("cargo", .cargo(request), request.url.flatMap { try? TokenHost(ofURL: $0) })
  }

  /// Reads the object that Bazel sends with `get`.
  package static func bazel(_ bytes: [UInt8]) throws(ToolRequestError) -> ToolQuery {
    let request = try BazelCredential(bytes)
    return ToolQuery("Bazel", .bazel(request), try? TokenHost(ofURL: request.url))
  }

  /// Makes a query from the host that Terraform names.
  package static func terraform(host: String) -> ToolQuery {
    ToolQuery("Terraform", .terraform, try? TokenHost("https://" + host))
  }

  private init(
    _ tool: String,
    _ request: Request,
    _ host: TokenHost?,
    second: TokenHost? = nil
  ) {
    self.tool = tool
    self.request = request
    self.host = host
    self.second = second
  }

  /// The entry of the host; `nil` if there is none, or if git requests another user name.
  package func entry(in file: HostFile) -> HostAccount? {
    let named = host.flatMap { file[$0] } ?? second.flatMap { file[$0] }
    guard case .git(let git) = request, let asked = git.username, let entry = named, entry.isBasic,
      let own = entry.username
    else { return named }
    return own.lowercased().utf8.elementsEqual(asked.lowercased().utf8) ? entry : nil
  }

  /// Whether the request means a host that a file could name.
  package var hasHost: Bool { host != nil || second != nil }

  /// The stated reason for the call of the vault.
  package func reason(for entry: HostAccount) -> String {
    String("\(tool) at \(entry.host)".prefix(CallerRule.longestReason))
  }

  /// The answer in the tool's protocol.
  package func answer(_ token: ToolToken, for entry: HostAccount) -> [UInt8] {
    switch request {
    case .git(let request):
      request.answer(
        token,
        username: entry.username ?? request.username ?? GitCredential.usualUsername,
        isPassword: entry.isBasic
      )
    case .docker(let server):
      DockerCredential.answer(
        token,
        server: server,
        username: entry.username ?? DockerCredential.usualUsername
      )
    case .cargo(let request): request.answer(token)
    case .bazel(let request):
      request.answer(
        token,
        basic: entry.isBasic ? entry.username ?? GitCredential.usualUsername : nil
      )
    case .terraform: TerraformCredential.answer(token)
    }
  }
}
