internal import DesktopPrompt
internal import PlainText
internal import System
internal import VaultClient
internal import VaultInterface

enum AgentVerb {
  static let all = [agent]

  static let agent = Verb(
    "agent",
    options: [socket, name, account, scope, rule],
    summary: "show the prompts of programs without a terminal at your desktop",
    details: """
      It runs in your desktop session until that ends, and is started with it. When a program \
      without a terminal needs a presence check of the service, a notification shows the program, \
      the account and the purpose, and the reader waits for your finger. "Type password" opens a \
      window for the system password, "Deny" refuses.
      The rule "desktop" says for which programs: see "thumblatch policy --help". Afterwards a \
      quiet notification shows what was allowed, as far as the rule "notify" asks for it. An \
      account that needs a login is shown too; "Sign in" starts the login in the browser. In a \
      private vault each program shows its own prompts, and needs no agent.
      With --socket, it also listens at PATH for programs in a container, in a sandbox, or on \
      another machine by "ssh -R". Those programs set THUMBLATCH_SOCKET to that path. They get \
      access tokens of the given accounts only. Each token needs a presence check, unless the rule says \
      otherwise. It is made at this desktop and shows NAME, as the audit log does.
      """
  ) { session throws(CommandError) in
    guard let location = session.location, let directory = location.agentDirectory else {
      throw .usage(
        "the programs that use a private vault show its prompts themselves",
        hint: "an agent is for the service: see thumblatchd(8)"
      )
    }
    let socket = try restrictedSocket(session, location)
    try socket?.serve()
    defer { socket?.remove() }
    do throws(VaultClientError) {
      try DesktopAgent(session: session, location: location, directory: directory).run()
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
  private static let name = Verb.Option("--name", "NAME", "what those programs are called")
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
    "the only scopes that they get, separated by spaces"
  )

  private static let rule = Verb.Option(
    "--rule",
    "RULE",
    "a rule that holds too, and says when a token needs a presence check"
  )

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
    let accounts = arguments.allValues(account.name)
    guard let name = arguments.value(name.name), !accounts.isEmpty else {
      throw .usage("--socket needs --name NAME and at least one --account ACCOUNT")
    }
    let restriction = RestrictCall(
      name: try session.accountName(name),
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

/// Shows prompts of other programs one after the other, and notices.
struct DesktopAgent {
  /// How long it stays connected after a prompt, in seconds.
  private static let stay: Int64 = 10
  /// How often it looks for the service's directory if that is not there, in seconds.
  private static let lookInterval: Int64 = 60

  let session: Session
  let location: VaultLocation
  /// A file with the user's number is written here when an agent is called.
  let directory: String
  private let notices: AgentNotices

  init(session: Session, location: VaultLocation, directory: String) {
    self.session = session
    self.location = location
    self.directory = directory
    notices = AgentNotices(session)
  }

  /// Runs until a signal ends it.
  func run() throws(VaultClientError) {
    var isTold = false
    while true {
      guard let error = try watch() else {
        isTold = false
        continue
      }
      if !isTold { session.output.talk(Self.notSeen(error)) }
      isTold = true
      try pause(for: nil, until: BootInstant.now.advanced(bySeconds: Self.lookInterval))
    }
  }

  /// Watches the directory until it is replaced; returns why it cannot be watched.
  private func watch() throws(VaultClientError) -> SystemError? {
    let events: DirectoryEvents
    do throws(SystemError) { events = try DirectoryEvents(path: directory) } catch { return error }
    try follow(events)
    return nil
  }

  /// Serves each call, until the directory is replaced.
  private func follow(_ events: borrowing DirectoryEvents) throws(VaultClientError) {
    // It may have been called before it watched.
    try serve()
    while true {
      try pause(for: events.descriptor.number, until: nil)
      guard let (names, isWatching) = try? events.take() else { return }
      // Calls are lost with the old directory.
      if !isWatching || names.contains("\(ThisProcess.user)") { try serve() }
      if !isWatching { return }
    }
  }

  /// Waits for a descriptor or a deadline, and acts for the person during that time.
  private func pause(for number: Int32?, until deadline: BootInstant?) throws(VaultClientError) {
    while true {
      let ready: Readiness
      do throws(SystemError) {
        ready = try .wait(
          for: number ?? -1,
          input: notices.input,
          interrupt: session.interrupt,
          deadline: deadline
        )
      } catch {
        throw .system(error)
      }
      switch ready {
      case .interrupted: throw .interrupted
      case .input: notices.act()
      case .ready, .timedOut: return
      }
    }
  }

  /// The next prompt or notice of the engine.
  private func next(on connection: Connection) throws(VaultClientError) -> NextPromptReply {
    let call = try connection.send(NextPromptCall(notices: true))
    let deadline = BootInstant.now.advanced(bySeconds: Self.stay)
    while true {
      switch try connection.next(input: notices.input, deadline: deadline) {
      case .input: notices.act()
      case .timedOut: throw .timedOut
      case .reply(let reply, let number):
        // A reply to a call about an earlier prompt is not meant.
        guard number == call else { continue }
        return try Connection.result(of: reply, to: NextPromptCall.self)
      }
    }
  }

  /// Takes prompts and notices from the engine until none has come for a while.
  private func serve() throws(VaultClientError) {
    do throws(VaultClientError) {
      let connection = try location.connect(interrupt: session.interrupt)
      while true {
        let next = try next(on: connection)
        if let prompt = next.prompt { try show(prompt, on: connection) }
        if let notice = next.notice { notices.show(notice) }
      }
    } catch {
      switch error {
      case .interrupted: throw error
      // The engine ends the connection if a prompt is over. No further prompt has come.
      case .timedOut, .disconnected: return
      default: session.output.talk(CommandError(error).message)
      }
    }
  }

  /// Readable when the connection ends, or at a signal.
  private static func ending(of connection: Connection) throws(DesktopError) -> ReadyQueue {
    do throws(SystemError) {
      let ending = try ReadyQueue()
      try connection.watchEnd(by: ending)
      return ending
    } catch {
      throw .noServer(reason: "\(error)")
    }
  }

  /// Shows one prompt, whose outcome the engine tells the program that asks.
  private func show(
    _ request: PresenceRequest,
    on connection: Connection
  ) throws(VaultClientError) {
    let view: DesktopView
    let ending: ReadyQueue
    do throws(DesktopError) {
      let desktop = try Desktop(variable: session.environment)
      ending = try Self.ending(of: connection)
      view = try DesktopView(request, at: desktop, interrupt: ending.number)
    } catch {
      report(error)
      // The engine calls another agent, or tells the program.
      throw .disconnected
    }
    defer { withExtendedLifetime(ending) {} }
    do throws(VaultClientError) {
      try view.run(on: connection)
    } catch {
      if case .disconnected = error { throw error }
      if let failure = view.failure {
        report(failure)
        throw .disconnected
      }
      _ = try connection.call(CancelCall(prompt: request.prompt))
    }
  }

  /// What the agent says about a directory that it cannot watch.
  static func notSeen(_ error: SystemError) -> String {
    "the calls of the service are not seen: \(error)"
  }

  /// What the agent says about a prompt that it could not show.
  static func notShown(_ error: DesktopError) -> String { "no prompt was shown: \(error)" }

  private func report(_ error: DesktopError) {
    session.output.talk(Self.notShown(error))
  }
}
