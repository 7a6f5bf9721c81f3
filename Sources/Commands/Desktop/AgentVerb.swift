internal import Configuration
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

enum AgentVerb {
  static let all = [agent]

  static let agent = Verb(
    "agent",
    options: [socket, name, account, scope, rule, oidcAgent, secretService],
    summary: "show the prompts of programs without a terminal at your desktop",
    details: """
      It runs until your desktop session ends. On a desktop with XDG autostart, the package starts \
      it with the session. Without the package, or on another desktop such as sway or i3, add "thumblatch \
      agent" to the programs that your desktop starts. When a program \
      without a terminal needs a presence check, a notification shows the program, the account and \
      the purpose, and the reader waits for your finger. "Type password" opens a window for the \
      system password, "Deny" refuses.
      In the service, the rule "desktop" says for which programs: see "thumblatch policy --help". In a \
      private vault, the agent shows the prompts of all programs of your session. If no agent \
      runs, these programs show their prompts themselves.
      Afterwards, a silent notification shows what was allowed, if the rule "notify" says so. A \
      notification also names each account that needs a login; "Sign in" starts the login in the \
      browser. A static secret that expires within two weeks is shown once, when it is used or a \
      check passes.
      With --socket, it also listens at PATH for programs in a container, in a sandbox, or on \
      another machine by "ssh -R". Those programs set THUMBLATCH_SOCKET to that path. They get \
      only access tokens of the given accounts. Each token needs a presence check, unless the rule \
      says otherwise. The check appears at this desktop and shows NAME, as the audit log does.
      With --oidc-agent, clients of oidc-agent get access tokens from a socket at PATH, if \
      OIDC_SOCK is set to it. The default is thumblatch-oidc-agent in XDG_RUNTIME_DIR. Rules for \
      callers apply to this agent, not to the client.
      With --secret-service, it provides the session's Secret Service (org.freedesktop.secrets), \
      for programs that store passwords through libsecret or keyring. Each item is an account of \
      kind static, and is locked until a presence check passes. The agent exits with code 10 if \
      another program, such as GNOME Keyring, owns that name on the bus.
      """
  ) { session throws(CommandError) in
    SecretBytes.keepNoMemory()
    let location = try session.knownLocation()
    let secrets = try secretServiceServer(session, location)
    let oidcAgent = try oidcAgentSocket(session, location)
    defer { oidcAgent?.remove() }
    try secrets?.serve()
    let socket = try restrictedSocket(session, location)
    defer { socket?.remove(session) }
    try socket?.serve(session)
    do throws(VaultClientError) {
      try DesktopAgent(session: session, location: location).run()
    } catch {
      // A signal is how the session ends it.
      guard case .interrupted = error else { throw CommandError(error) }
    }
  }
}

extension AgentVerb {
  private static let socket = Verb.Option(
    "--socket",
    "PATH",
    offers: .files,
    "listen here for programs that get access tokens only"
  )
  private static let name = Verb.Option("--name", "NAME", "the name of those programs")
  private static let account = Verb.Option(
    "--account",
    "ACCOUNT",
    repeats: true,
    offers: .accounts,
    "an account whose access tokens they get"
  )
  private static let scope = Verb.Option(
    "--scope",
    "SCOPES",
    "the only scopes that they may get, separated by spaces"
  )

  private static let rule = Verb.Option(
    "--rule",
    "RULE",
    "a rule that also applies, and says when a token needs a presence check"
  )
  private static let oidcAgent = Verb.Option(
    "--oidc-agent",
    "[PATH]",
    mayStandAlone: true,
    offers: .files,
    "listen here as oidc-agent does, for access tokens only"
  )

  private static let secretService = Verb.Option(
    "--secret-service",
    "provide the session's Secret Service"
  )

  /// The server of the Secret Service; `nil` if it is not wanted.
  private static func secretServiceServer(
    _ session: Session,
    _ location: VaultLocation
  ) throws(CommandError) -> SecretServiceServer? {
    guard session.arguments.has(secretService.name) else { return nil }
    return try SecretServiceServer(session, of: location)
  }

  /// The socket for clients of oidc-agent, which is served at once; `nil` if it is not wanted.
  private static func oidcAgentSocket(
    _ session: Session,
    _ location: VaultLocation
  ) throws(CommandError) -> ProgramSocket? {
    guard session.arguments.has(oidcAgent.name) else { return nil }
    let socket = try OIDCAgentSocket.open(session, oidcAgent, of: location)
    try socket.serve()
    return socket
  }

  /// A socket's name, which is spelled like an account's.
  private static func socketName(_ word: String) throws(CommandError) -> String {
    do { return try AccountName.checked(word, of: "socket") } catch { throw .usage("\(error)") }
  }

  /// The restricted socket that the options ask for, once the engine has accepted it.
  private static func restrictedSocket(
    _ session: Session,
    _ location: VaultLocation
  ) throws(CommandError) -> RestrictedSocket? {
    let arguments = session.arguments
    guard let path = arguments.value(socket.name) else {
      for option in [name, account, scope, rule] where arguments.has(option.name) {
        throw .usage("\(option.name) is for --socket")
      }
      return nil
    }
    guard location != .privateVault || !arguments.has(rule.name) else {
      throw .usage("\(rule.name) is for the service: a private vault has no rules for callers")
    }
    let accounts = arguments.allValues(account.name)
    guard let name = arguments.value(name.name), !accounts.isEmpty else {
      throw .usage("--socket needs --name NAME and at least one --account ACCOUNT")
    }
    let restriction = RestrictCall(
      name: try socketName(name),
      accounts: try accounts.map(session.accountName),
      scope: arguments.value(scope.name),
      rule: arguments.value(rule.name)
    )
    _ = try session.call(within: Session.localLimit, again: .always) { _ in restriction }
    for account in restriction.accounts {
      _ = try session.call(within: Session.localLimit, again: .always) { _ in
        GetAccountCall(account: account)
      }
    }
    session.hangUp()
    return try RestrictedSocket(at: path, restriction, of: location)
  }
}
