internal import Configuration
internal import PresenceTerms
internal import SecretMemory
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

// A refresh token that another helper of git stores, such as that of git-credential-oauth. It is
// good for that helper's client only. So it is taken over if a provider file names the host and the
// same client. Git's own configuration says which client the other helper has.
//
// Every helper of git gets the token. A provider that replaces it ends their copies. If it treats a
// second use as theft (`refresh_reuse = revokes`), a copy could end the login, so the token is not
// imported.
extension Session {
  /// Seals a refresh token of another helper as an account with a login, which then serves the
  /// host.
  ///
  /// No person is asked, and no account or host is changed that exists already.
  ///
  /// - Returns: whether the host's password is not to be kept beside it; false if the token is
  ///   left.
  func takeOver(
    _ token: String,
    of request: GitCredential,
    for host: TokenHost
  ) throws(CommandError) -> Bool {
    let hosts = try HostAccounts(environment: environment)
    let file = try hosts.read()
    // Whatever is wrong with provider files, the password is kept as without them.
    guard token.utf8.count <= StandardInput.maximumSecret, file[host] == nil,
      let provider = try? provider(of: host, request.url)
    else {
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
    var isRotated = true
    do throws(VaultClientError) {
      let call = ImportLoginCall(
        account: name,
        provider: VaultProvider(provider),
        refreshToken: secret,
        ask: false
      )
      isRotated = try callWithoutPrompt(call, within: Self.remoteLimit, again: .never).rotated
    } catch {
      let failure = CommandError(error)
      if failure.reason == .uncertain {
        // The password beside it would keep the host from a login.
        output.talk(
          "\(provider.name) may have taken the refresh token, but its answer is lost; to sign in:"
            + " thumblatch login \(name)"
        )
        return true
      }
      guard failure.reason == .misconfigured, hasLogin(name) else {
        output.talk("\(provider.name) does not take the refresh token: \(failure.message)")
        return false
      }
      output.talk("\(name) has the login, but not its access token: \(failure.message)")
    }
    if try hosts.apply(change.map { [$0] } ?? []) {
      output.talk("\(host) gets tokens of \(name) from now on")
    } else {
      warnOfOtherAccount(at: host, in: try hosts.read(), than: name)
    }
    if isRotated {
      output.talk("the copies in git's other helpers no longer work")
    }
    return true
  }

  /// Whether an account is there and signed in.
  func hasLogin(_ name: String) -> Bool {
    guard let account = try? SignInVerbs.knownAccount(self, name) else { return false }
    return account.state != .signedOut && account.state != .loginRequired
  }

  /// The only provider of a host whose client is the one that git's configuration names.
  private func provider(of host: TokenHost, _ url: String) throws(CommandError) -> Provider? {
    let files = try ProviderFiles(environment: environment)
    var found: [Provider] = []
    for (name, _) in try files.names() {
      guard let provider = try? files.read(name).provider, provider.clientID != nil,
        provider.refreshReuse != .revokes,
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

/// A value of git's own configuration, without that of a project.
struct GitConfiguration {
  private static let most = 4096
  private static let seconds: Int64 = 5

  private let environment: (String) -> String?

  init(_ environment: @escaping (String) -> String?) { self.environment = environment }

  /// The client of git-credential-oauth for a URL; `nil` if none is configured.
  ///
  /// Git runs in the root directory, so that no project can name a client.
  func client(of url: String) -> String? {
    guard let git = try? ExecutableSearch(path: searchPath).find(Array("git".utf8)),
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
    // A late or long answer counts as no answer.
    if text == nil { child.kill() }
    guard (try? child.wait()) == .exited(0) else { return nil }
    return text
  }

  /// The whole paths in PATH: a program of the working directory is not git.
  private var searchPath: [UInt8]? {
    let paths = (environment("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return paths.isEmpty ? nil : Array(paths.joined(separator: ":").utf8)
  }

  /// The text up to its end, without its line end; `nil` if it is long or late.
  private static func line(from file: borrowing Descriptor) -> String? {
    var bytes: [UInt8] = []
    let end = BootInstant.now.advanced(bySeconds: seconds)
    while bytes.count <= most {
      let left = max(0, (end.nanoseconds - BootInstant.now.nanoseconds) / 1_000_000)
      guard (try? file.waitReadable(milliseconds: Int32(clamping: left))) == true,
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
