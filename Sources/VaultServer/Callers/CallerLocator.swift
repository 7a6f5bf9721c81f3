internal import LoginEvents
internal import Synchronization
internal import System
internal import TokenVault

/// Asks systemd-logind for the locations of callers.
///
/// One thread does this as long as callers wait, because the server's own thread must not wait for
/// a bus.
final class CallerLocator: CallerLocations {
  /// How long a caller waits for an answer, in nanoseconds.
  private static let usualLimit: UInt64 = 2_000_000_000
  /// How many callers of one user may wait.
  private static let mostOfUser = 256

  private struct Question: Sendable {
    let caller: Caller
    let peer: Peer
    let answer = Answer()
  }

  private let address: String?
  private let limit: UInt64
  private struct State {
    var waiting = FairQueue<Question>()
    var isAsking = false
  }

  private let state = Mutex(State())

  /// Asks over the bus at an address; `nil` for the machine's bus.
  init(address: String? = nil, limit: UInt64 = usualLimit) {
    self.address = address
    self.limit = limit
  }

  func location(of caller: Caller) async -> CallerLocation {
    guard let peer = caller.peer else { return Self.unknown(caller) }
    let question = Question(caller: caller, peer: peer)
    guard ask(question) else { return Self.unknown(caller) }
    let timer = Task { [limit] in
      try? await Task.sleep(nanoseconds: limit)
      question.answer.give(Self.unknown(caller))
    }
    defer { timer.cancel() }
    return await question.answer.value
  }

  /// The location of a caller that logind does not know: this connection only, and no finger counts
  /// there.
  private static func unknown(
    _ caller: Caller,
    because why: String = "logind does not answer"
  ) -> CallerLocation {
    .alone(caller.connection, objection: why)
  }

  // MARK: - The thread

  /// Gives a question to the thread.
  ///
  /// Returns false if too many wait.
  private func ask(_ question: Question) -> Bool {
    let (isTaken, isFirst) = state.withLock { state in
      let user = question.caller.user
      guard state.waiting.count(of: user) < Self.mostOfUser else { return (false, false) }
      state.waiting.add(question, of: user)
      defer { state.isAsking = true }
      return (true, !state.isAsking)
    }
    guard isFirst else { return isTaken }
    do throws(SystemError) {
      try startThread { self.run() }
      return true
    } catch {
      let left = state.withLock { state in
        defer { state = State() }
        return state.waiting.all
      }
      for question in left { question.answer.give(Self.unknown(question.caller)) }
      return true
    }
  }

  /// The next question that still waits.
  ///
  /// Without one, the thread ends.
  private func next() -> Question? {
    state.withLock { state in
      let next = state.waiting.next { !$0.answer.isGiven }
      if next == nil { state.isAsking = false }
      return next
    }
  }

  private func run() {
    while let first = next() {
      var question = first
      do throws(LoginFailure) {
        let lookup = try SessionLookup(address: address)
        while true {
          question.answer.give(try Self.look(for: question, lookup))
          guard let another = next() else { return }
          question = another
        }
      } catch {
        question.answer.give(Self.unknown(question.caller))
      }
    }
  }

  private static func look(
    for question: Question,
    _ lookup: borrowing SessionLookup
  ) throws(LoginFailure) -> CallerLocation {
    let (caller, peer) = (question.caller, question.peer)
    guard peer.isAlive else { return unknown(caller, because: "the caller has ended") }
    let location = try lookup.location(of: peer.identifier, user: caller.user)
    // The process still runs, so its number belonged to it during the lookup.
    guard peer.isAlive else { return unknown(caller, because: "the caller has ended") }
    let objection = location.objection?.rawValue
    guard let name = location.name else {
      return .alone(
        caller.connection,
        objection: objection ?? "no session",
        hasSession: location.hasSession
      )
    }
    return CallerLocation(
      name: name,
      objection: objection,
      isLocal: location.isLocal,
      hasSession: location.hasSession,
      isLocked: location.objection == .locked
    )
  }
}

/// An answer that one caller waits for.
///
/// The first of two values counts.
private final class Answer: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<CallerLocation, Never>)
    case given(CallerLocation)
  }

  private let state = Mutex(State.open)

  var isGiven: Bool {
    state.withLock { state in
      if case .given = state { true } else { false }
    }
  }

  var value: CallerLocation {
    get async {
      await withCheckedContinuation { waiting in
        let location = state.withLock { state -> CallerLocation? in
          if case .given(let location) = state { return location }
          state = .awaited(waiting)
          return nil
        }
        if let location { waiting.resume(returning: location) }
      }
    }
  }

  func give(_ location: CallerLocation) {
    let waiting = state.withLock { state -> CheckedContinuation<CallerLocation, Never>? in
      defer { if case .given = state {} else { state = .given(location) } }
      guard case .awaited(let waiting) = state else { return nil }
      return waiting
    }
    waiting?.resume(returning: location)
  }
}
