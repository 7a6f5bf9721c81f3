internal import DesktopPrompt
internal import PresenceTerms
internal import System
internal import VaultClient
internal import VaultInterface

/// Shows prompts of other programs one after the other, and notices.
struct DesktopAgent {
  /// How long it stays connected after a prompt, in seconds.
  private static let stay: Int64 = 10
  /// How often it looks for the engine's directory if that is not there, and for the engine until
  /// that knows it, in seconds.
  private static let lookInterval: Int64 = 60

  let session: Session
  let location: VaultLocation
  private let notices: AgentNotices

  init(session: Session, location: VaultLocation) {
    self.session = session
    self.location = location
    notices = AgentNotices(session, of: location)
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
    // A file with the user's number is written there when an agent is called.
    let directory = try location.agentDirectory(environment: session.environment)
    let events: DirectoryEvents
    do throws(SystemError) { events = try DirectoryEvents(path: directory) } catch { return error }
    try follow(events, in: directory)
    return nil
  }

  /// Serves each call, until the directory is replaced.
  private func follow(
    _ events: borrowing DirectoryEvents,
    in directory: String
  ) throws(VaultClientError) {
    var told: String?
    // The engine calls agents that it has noted. It may have called this one before it watched.
    var isKnown = try serve(notedIn: directory, &told)
    while true {
      let next = isKnown ? nil : BootInstant.now.advanced(bySeconds: Self.lookInterval)
      try pause(for: events.descriptor.number, until: next)
      guard let (names, isWatching) = try? events.take() else { return }
      // Calls are lost with the old directory.
      if !isWatching || !isKnown || names.contains("\(ThisProcess.user)") {
        isKnown = try serve(notedIn: directory, &told)
      }
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

  /// Serves the engine, and says once why that does not call this agent.
  ///
  /// - Returns: whether the engine has noted this agent.
  private func serve(
    notedIn directory: String,
    _ told: inout String?
  ) throws(VaultClientError) -> Bool {
    let end = try takeItems()
    let isKnown = isNoted(in: directory)
    let problem: String? =
      switch end {
      case .failed(let message): message
      case .idle where !isKnown: Self.notNoted(in: directory)
      case .idle, .ended: nil
      }
    if let problem, problem != told { session.output.talk(problem) }
    told = problem
    return isKnown
  }

  /// Whether the engine has noted this process, so that it calls it.
  private func isNoted(in directory: String) -> Bool {
    let process = ThisProcess.identifier
    guard let started = ProcessFacts(process: process)?.started else { return false }
    let note = ProcessNote(user: ThisProcess.user, process: process, started: started)
    return (try? Directory(path: directory).holds(note)) ?? false
  }

  /// Why no further item is taken.
  private enum End {
    /// None has come for a while.
    case idle
    /// The engine has ended the connection or the wait.
    case ended
    case failed(String)
  }

  /// Takes prompts and notices from the engine until none has arrived for a while.
  private func takeItems() throws(VaultClientError) -> End {
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
      // An engine that ends gives up the wait for a prompt.
      case .disconnected, .refused(.presenceFailed(.cancelled, _, _)): return .ended
      case .timedOut: return .idle
      default: return .failed(CommandError(error).message)
      }
    }
  }

  /// Shows one prompt.
  ///
  /// The engine reports its outcome to the program that asks.
  private func show(
    _ request: PresenceRequest,
    on connection: Connection
  ) throws(VaultClientError) {
    let view: DesktopView
    do throws(DesktopError) {
      let desktop = try Desktop(variable: session.environment)
      view = try DesktopView(request, at: desktop, interrupt: session.interrupt)
    } catch {
      report(error)
      // The engine calls another agent, or returns an error to the program.
      throw .disconnected
    }
    do throws(VaultClientError) {
      try view.pass(request, on: connection)
    } catch {
      if case .disconnected = error { throw error }
      if let failure = view.failure {
        report(failure)
        throw .disconnected
      }
      try connection.deny(request.prompt)
    }
  }

  /// The agent's message about a directory that it cannot watch.
  static func notSeen(_ error: SystemError) -> String {
    "the agent does not see calls of the engine: \(error)"
  }

  /// The agent's message if the engine does not call it.
  static func notNoted(in directory: String) -> String {
    "the engine does not call this agent: too many agents run, or it cannot write into \(directory)"
  }

  /// The agent's message about a prompt that it could not show.
  static func notShown(_ error: DesktopError) -> String { "no prompt was shown: \(error)" }

  private func report(_ error: DesktopError) {
    session.output.talk(Self.notShown(error))
  }
}
