internal import Synchronization
internal import System

/// The programs that are connected to a socket.
///
/// If there are too many, the program that has been silent for the longest time loses its
/// connection. A program that waits for an answer keeps its connection.
final class ConnectedPrograms: Sendable {
  /// The most programs that are connected at once.
  private static let most = 32
  /// How long the thread of a program that loses its connection may take to end, in seconds.
  private static let endingTime: Int64 = 1

  private let programs = Mutex<[ConnectedProgram]>([])
  /// Signalled when a program has left.
  private let left: WakeEvent

  init() throws(SystemError) { left = try WakeEvent() }

  /// Adds a program; false if all others wait for an answer.
  func add(_ program: ConnectedProgram) -> Bool {
    if enter(program) { return true }
    guard endLongestSilent() else { return false }
    let deadline = BootInstant.now.advanced(bySeconds: Self.endingTime)
    repeat {
      left.clear()
      if enter(program) { return true }
    } while (try? Readiness.wait(
      for: left.descriptor.number,
      interrupt: nil,
      deadline: deadline
    )) == .ready
    return false
  }

  func remove(_ program: ConnectedProgram) {
    programs.withLock { programs in programs.removeAll { $0 === program } }
    left.signal()
  }

  private func enter(_ program: ConnectedProgram) -> Bool {
    programs.withLock { programs in
      guard programs.count < Self.most else { return false }
      programs.append(program)
      return true
    }
  }

  /// Ends the connection of the program that has been silent for the longest time.
  private func endLongestSilent() -> Bool {
    let silent = programs.withLock { $0 }
      .compactMap { program in program.silence.map { (program, $0) } }
      .sorted { $0.1 < $1.1 }
    return silent.contains { $0.0.endIfSilent() }
  }
}

/// A program that is connected to a socket of this process.
final class ConnectedProgram: Sendable {
  /// Whether a call of the program waits for its answer.
  private enum State {
    case silent(since: BootInstant)
    case waiting
    case ended
  }

  let descriptor: Descriptor
  private let state = Mutex(State.silent(since: .now))

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Since when it has been silent; `nil` if it is not.
  fileprivate var silence: BootInstant? {
    state.withLock { if case .silent(let since) = $0 { since } else { nil } }
  }

  /// Notes whether a whole request of the program waits for its answer.
  func setWaiting(_ isWaiting: Bool) {
    state.withLock { state in
      switch state {
      case .silent: if isWaiting { state = .waiting }
      case .waiting: if !isWaiting { state = .silent(since: .now) }
      case .ended: break
      }
    }
  }

  /// Ends the connection unless a request has come; returns whether it did.
  fileprivate func endIfSilent() -> Bool {
    state.withLock { state in
      // The thread reads the available bytes at once.
      guard case .silent = state, (try? descriptor.hasUnread()) != true else { return false }
      state = .ended
      descriptor.shutDown()
      return true
    }
  }
}
