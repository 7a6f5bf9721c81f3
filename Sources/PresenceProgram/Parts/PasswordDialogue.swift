internal import Glibc
internal import SecretMemory
internal import Synchronization
internal import System
internal import SystemPassword

/// The questions of a PAM stack, whose own thread waits for the engine's answers.
@safe
final class PasswordDialogue: @unchecked Sendable {
  private struct State {
    var isAsking = false
    var isExpired = false
    var answer: SharedSecret?
    /// The time limit of the present step, in nanoseconds since the boot.
    var deadline: Int64
  }

  private let state: Mutex<State>
  private let ask: @Sendable (PasswordQuestion) -> Void
  private let milliseconds: Int
  private let isAnswered: UnsafeMutablePointer<sem_t>

  /// Makes a dialogue whose steps may take a number of milliseconds each.
  ///
  /// Each question and each answer begins another step.
  init(milliseconds: Int, ask: @escaping @Sendable (PasswordQuestion) -> Void) {
    self.ask = ask
    self.milliseconds = milliseconds
    state = Mutex(State(deadline: Self.deadline(in: milliseconds)))
    unsafe isAnswered = .allocate(capacity: 1)
    unsafe isAnswered.initialize(to: sem_t())
    unsafe sem_init(isAnswered, 0, 0)
  }

  deinit {
    unsafe sem_destroy(isAnswered)
    unsafe isAnswered.deallocate()
  }

  /// Whether a question is open.
  var isAsking: Bool { state.withLock { $0.isAsking } }

  /// Whether the time has passed; an answer to the open question is then too late.
  var isExpired: Bool { state.withLock { $0.isExpired } }

  private static func deadline(in milliseconds: Int) -> Int64 {
    BootInstant.now.nanoseconds + Int64(milliseconds) * 1_000_000
  }

  /// Milliseconds until the end of the time, never negative.
  var timeLeft: Int32 {
    let deadline = state.withLock { $0.deadline }
    return Int32(clamping: max(0, (deadline - BootInstant.now.nanoseconds + 999_999) / 1_000_000))
  }

  /// Lets the time limit pass at once.
  func expire() {
    state.withLock { $0.isExpired = true }
  }

  /// Asks a question and waits for the answer, on PAM's thread; `nil` if there is none.
  func answer(to question: PasswordQuestion) -> SecretBytes? {
    state.withLock { state in
      state.isAsking = true
      state.deadline = Self.deadline(in: milliseconds)
    }
    ask(question)
    // sem_wait(3): EINTR is its only error here.
    while unsafe sem_wait(isAnswered) != 0 {}
    let answer = state.withLock { state in
      defer { state.answer = nil }
      return state.answer
    }
    return try? answer?.bytes.copy()
  }

  /// Answers the open question; `nil` if there is no answer.
  func give(_ answer: SharedSecret?) {
    state.withLock { state in
      state.isAsking = false
      state.answer = answer
      state.deadline = Self.deadline(in: milliseconds)
    }
    unsafe sem_post(isAnswered)
  }
}
