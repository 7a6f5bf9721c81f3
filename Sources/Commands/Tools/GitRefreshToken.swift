internal import Configuration
internal import SecretMemory
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

// A refresh token that another helper of git stores, such as that of git-credential-oauth. It is good for
// that helper's client only. So it is taken over if a provider file names the host and the same client.
// Git's own configuration says which client the other helper has.
extension Session {
  /// Seals a refresh token of another helper as an account with a login, which then serves the host.
  ///
  /// No person is asked, and no account or host is changed that exists already.
  ///
  /// - Returns: false if it is not kept.
  func takeOver(
    _ token: String,
    of request: GitCredential,
    for host: TokenHost
  ) throws(CommandError) -> Bool {
    let hosts = try HostAccounts(environment: environment)
    let file = try hosts.read()
    guard file[host] == nil, let provider = try provider(of: host, request.url) else {
      return false
    }
    let name = provider.name.text
    guard try SignInVerbs.knownAccount(self, name) == nil,
      !file.entries.contains(where: { $0.account.text == name })
    else { return false }
    let change = try hosts.serving(host, account: name, in: file, username: nil)
    let secret: SharedSecret
    do throws(SecretMemoryError) {
      secret = SharedSecret(try SecretBytes(copying: Array(token.utf8)))
    } catch {
      throw CommandError(.bug, "\(error)")
    }
    do throws(VaultClientError) {
      let call = ImportLoginCall(
        account: name,
        provider: VaultProvider(provider),
        refreshToken: secret,
        ask: false
      )
      _ = try callWithoutPrompt(call, within: Self.remoteLimit, again: .never)
    } catch {
      let why = CommandError(error).message
      output.talk("\(provider.name) does not take the refresh token: \(why)")
      return false
    }
    try hosts.apply(change)
    output.talk("\(host) gets tokens of \(name) from now on")
    return true
  }

  /// The only provider of a host whose client is the one that git's configuration names.
  private func provider(of host: TokenHost, _ url: String) throws(CommandError) -> Provider? {
    let files = try ProviderFiles(environment: environment)
    var found: [Provider] = []
    for (name, _) in try files.names() {
      guard let provider = try? files.read(name).provider, provider.clientID != nil,
        (try? TokenHost(ofURL: provider.issuer.origin)) == host
      else { continue }
      found.append(provider)
    }
    guard !found.isEmpty, let client = GitConfiguration(environment).client(of: url) else {
      return nil
    }
    found = found.filter { $0.clientID.map { $0.utf8.elementsEqual(client.utf8) } == true }
    return found.count == 1 ? found.first : nil
  }
}

/// What git's own configuration says, apart from that of a project.
struct GitConfiguration {
  private static let most = 4096
  private static let seconds: Int32 = 5

  private let environment: (String) -> String?

  init(_ environment: @escaping (String) -> String?) { self.environment = environment }

  /// The client of git-credential-oauth for a URL; `nil` if none is configured.
  ///
  /// Git runs in the root directory, so that no project can name a client.
  func client(of url: String) -> String? {
    let path = environment("PATH").map { Array($0.utf8) }
    guard let git = try? ExecutableSearch(path: path).find(Array("git".utf8)),
      let (near, far) = try? UnixSocket.pair()
    else { return nil }
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let variables = ["HOME", "XDG_CONFIG_HOME", "PATH"].compactMap { name in
      ToolEnvironment(environment).value(name).map { "\(name)=\($0)" }
    }
    let child = try? ChildProcess(
      path: String(decoding: git, as: UTF8.self),
      arguments: ["config", "--get-urlmatch", "credential.oauthClientId", url],
      environment: variables,
      descriptors: [-1, theirs.number, -1],
      endsWithParent: true
    )
    _ = consume theirs
    guard let child else { return nil }
    let text = Self.line(from: ours)
    // An answer that is late or long is none.
    if text == nil { child.kill() }
    guard (try? child.wait()) == .exited(0) else { return nil }
    return text
  }

  /// The text up to its end, without its line end.
  private static func line(from file: borrowing Descriptor) -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= most {
      guard (try? file.waitReadable(milliseconds: seconds * 1000)) == true,
        let piece = try? file.read(atMost: most)
      else { return nil }
      guard !piece.isEmpty else {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
      }
      bytes += piece
    }
    return nil
  }
}
