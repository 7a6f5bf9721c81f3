import PresenceTerms
import SecretMemory
import Synchronization

@testable import TokenVault

/// A reader and a PAM stack that do what the script says.
final class ScriptedCheck: PresenceChecker {
  private struct State {
    var plans: [[CheckEvent]] = []
    var conversations: [Conversation] = []
    var enrollments: [Enrollment] = []
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
    var failure: PresenceFailure?
    var desktop: DesktopFingers?
    var desktopFailure: PresenceFailure?
    var desktopQuestions = 0
    var holdsStarts = false
    var holdsDesktop = false
    var held: [CheckedContinuation<Void, Never>] = []
    var heldWatchers: [CheckedContinuation<Void, Never>] = []
    var isDesktopAsleep = false
    var prepares = false
    var prepared: [Prepared] = []
    var deletions: [(finger: String, print: [UInt8])] = []
    var deletion = PrintDeletion.gone
    var reader = ReaderFacts(available: true, name: "Scripted", driver: "scripted", reason: nil)
  }

  private let state = Mutex(State())

  /// The reports of the next checks, one list for each.
  ///
  /// Without a plan the test reports them.
  func plan(_ events: [CheckEvent]...) {
    state.withLock { $0.plans += events }
  }

  /// From now on the reader fails in this way.
  ///
  /// `nil` if it works.
  func breakReader(_ failure: PresenceFailure?) {
    state.withLock { $0.failure = failure }
  }

  /// The fingers that the desktop has enrolled from now on.
  func setDesktop(_ desktop: DesktopFingers?) {
    state.withLock { $0.desktop = desktop }
  }

  /// From now on a query of the desktop fails in this way.
  ///
  /// `nil` if it works.
  func hideDesktop(_ failure: PresenceFailure?) {
    state.withLock { $0.desktopFailure = failure }
  }

  /// Whether the desktop's program runs.
  func sleepDesktop(_ isAsleep: Bool) {
    state.withLock { $0.isDesktopAsleep = isAsleep }
  }

  /// From now on helpers are started with prompts.
  func allowPreparing() {
    state.withLock { $0.prepares = true }
  }

  /// The helpers that were started with prompts.
  var prepared: [Prepared] { state.withLock { $0.prepared } }

  /// The outcome of deletions on readers.
  func setDeletion(_ deletion: PrintDeletion) {
    state.withLock { $0.deletion = deletion }
  }

  /// The prints that readers were asked to delete.
  var deletions: [(finger: String, print: [UInt8])] { state.withLock { $0.deletions } }

  /// The facts about the reader from now on.
  func setReader(_ facts: ReaderFacts) {
    state.withLock { $0.reader = facts }
  }

  /// How often the desktop was asked.
  var desktopQuestions: Int { state.withLock { $0.desktopQuestions } }

  /// Holds checks and enrollments in the middle of their start.
  func holdStarts() {
    state.withLock { $0.holdsStarts = true }
  }

  /// Holds callers that ask for the desktop's fingers.
  func holdDesktop() {
    state.withLock { $0.holdsDesktop = true }
  }

  /// Returns when a caller is held.
  func untilHeld() async {
    await withCheckedContinuation { wake in
      let isDue = state.withLock { state in
        guard state.held.isEmpty else { return true }
        state.heldWatchers.append(wake)
        return false
      }
      if isDue { wake.resume() }
    }
  }

  /// Stops holding new callers, but does not release held ones.
  func stopHolding() {
    state.withLock { state in
      state.holdsStarts = false
      state.holdsDesktop = false
    }
  }

  /// Releases the held callers.
  func release() {
    stopHolding()
    let held = state.withLock { state in
      let held = state.held
      state.held = []
      return held
    }
    for start in held { start.resume() }
  }

  /// All checks that were begun.
  var conversations: [Conversation] { state.withLock { $0.conversations } }
  /// All enrollments that were begun.
  var enrollments: [Enrollment] { state.withLock { $0.enrollments } }

  /// The check of this number, once it has begun and the vault listens to it.
  func conversation(_ number: Int) async -> Conversation {
    await withCheckedContinuation { wake in
      let isDue = state.withLock { state in
        guard state.conversations.count < number else { return true }
        state.watchers.append((number, wake))
        return false
      }
      if isDue { wake.resume() }
    }
    let conversation = conversations[number - 1]
    await conversation.untilHeard()
    return conversation
  }

  func prepare() async -> (any PreparedCheck)? {
    state.withLock { state in
      guard state.prepares else { return nil }
      let prepared = Prepared(check: self)
      state.prepared.append(prepared)
      return prepared
    }
  }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    switch attempt {
    case .fingerprint(let request):
      if let failure = state.withLock({ $0.failure }) { throw failure }
      await hold { $0.holdsStarts }
      return begin(.fingerprint, request)
    case .key(let signing):
      return begin(.key, nil, signing: signing)
    case .newKey(let making):
      return begin(.key, nil, making: making)
    case .password:
      await hold { $0.holdsStarts }
      return begin(.password, nil)
    }
  }

  func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation {
    await hold { $0.holdsStarts }
    return state.withLock { state in
      let enrollment = Enrollment(request)
      state.enrollments.append(enrollment)
      return enrollment
    }
  }

  func delete(_ print: LoadedPrint) async -> PrintDeletion {
    let bytes = unsafe print.print.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    return state.withLock { state in
      state.deletions.append((print.finger, bytes))
      return state.deletion
    }
  }

  func reader() async -> ReaderFacts { state.withLock { $0.reader } }

  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    let (desktop, failure) = state.withLock { state in
      state.desktopQuestions += 1
      return (state.desktop, state.desktopFailure)
    }
    await hold { $0.holdsDesktop }
    if let failure { throw failure }
    return desktop
  }

  func desktopView(of caller: Caller) async throws(PresenceFailure) -> DesktopView {
    if state.withLock({ $0.isDesktopAsleep }) { return .asleep }
    return .seen(try await desktopFingers(of: caller))
  }

  private func hold(_ isHeld: @Sendable (State) -> Bool) async {
    await withCheckedContinuation { start in
      let (watchers, goes) = state.withLock { state in
        guard isHeld(state) else { return ([CheckedContinuation<Void, Never>](), true) }
        state.held.append(start)
        defer { state.heldWatchers = [] }
        return (state.heldWatchers, false)
      }
      for watcher in watchers { watcher.resume() }
      if goes { start.resume() }
    }
  }

  private func begin(
    _ method: PresenceMethod,
    _ request: FingerRequest?,
    signing: KeySigning? = nil,
    making: KeyMaking? = nil
  ) -> Conversation {
    let (conversation, watchers) = state.withLock { state in
      var plan = state.plans.isEmpty ? [] : state.plans.removeFirst()
      // A helper reads the desktop's fingers again, and accepts only exactly those that it was
      // given.
      if method == .fingerprint, request?.desktop != state.desktop {
        plan = [.failed(.notEnrolled)]
      }
      let conversation = Conversation(method, request, plan, signing, making)
      state.conversations.append(conversation)
      let watchers = state.watchers.filter { $0.count <= state.conversations.count }
      state.watchers.removeAll { $0.count <= state.conversations.count }
      return (conversation, watchers)
    }
    for watcher in watchers { watcher.wake.resume() }
    return conversation
  }
}

/// A helper that waits for its check.
final class Prepared: PreparedCheck {
  private let check: ScriptedCheck
  private let state = Mutex((isUsed: false, hasEnded: false))

  init(check: ScriptedCheck) {
    self.check = check
  }

  var isUsed: Bool { state.withLock { $0.isUsed } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    try await check.desktopFingers(of: caller)
  }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    state.withLock { $0.isUsed = true }
    return try await check.start(attempt, of: caller)
  }

  func end() { state.withLock { $0.hasEnded = true } }
}
