internal import Synchronization

/// The prompts of one session call, or of work that several calls wait for.
///
/// They are shown while it runs, and removed when it ends.
final class PresenceCall: Sendable {
  private struct Shown {
    var prompts: [PresencePrompt] = []
    var tasks: [Task<Void, Never>] = []
    var isOver = false
  }

  private let session: AuthSession
  private let reason: String?
  private let policy: PresencePolicy
  private let asksNobody: Bool
  private let shown = Mutex(Shown())

  init(
    _ session: AuthSession,
    reason: String?,
    policy: PresencePolicy? = nil,
    asksNobody: Bool = false
  ) {
    self.session = session
    self.reason = reason
    self.policy = policy ?? session.configuration.presencePolicy
    self.asksNobody = asksNobody
  }

  /// Tells the vault how to ask for a presence check.
  var asking: PresenceAsking {
    var asking = PresenceAsking(policy: policy, reason: reason, isPossible: presenter != nil) {
      [weak self] prompt in
      self?.present(prompt) ?? false
    }
    if presenter is DesktopPresenter {
      asking.announce = { [weak self] prompt in self?.begin(prompt) ?? false }
    }
    return asking
  }

  /// The same without a prompt.
  ///
  /// If a prompt is needed, the call fails.
  var askingNobody: PresenceAsking {
    PresenceAsking(policy: policy, reason: reason, isPossible: false) { _ in false }
  }

  /// Whether a check was shown during the call.
  var hasAsked: Bool { shown.withLock { $0.prompts.contains(where: \.isCheck) } }

  private var presenter: (any PresencePresenter)? { asksNobody ? nil : session.presenter }

  /// How many checks failed during the call.
  var failures: Int { shown.withLock { $0.prompts.reduce(0) { $0 + $1.failures } } }
  /// Whether a check passed during the call.
  var hasPassed: Bool {
    shown.withLock { $0.prompts.contains { $0.isCheck && $0.phase == .ended(passed: true) } }
  }

  private func present(_ prompt: PresencePrompt) -> Bool {
    guard let presenter else { return false }
    if presenter is DesktopPresenter { prompt.hold() }
    guard begin(prompt) else { return false }
    return shown.withLock { shown in
      if !shown.isOver { shown.tasks.append(Task { await presenter.present(prompt) }) }
      return !shown.isOver
    }
  }

  /// Puts a prompt into the state, if it is not there; false if the call has ended.
  private func begin(_ prompt: PresencePrompt) -> Bool {
    let isNew: Bool? = shown.withLock { shown in
      guard !shown.isOver else { return nil }
      guard !shown.prompts.contains(prompt) else { return false }
      shown.prompts.append(prompt)
      return true
    }
    guard let isNew else { return false }
    guard isNew else { return true }
    session.change { $0.begin(prompt) }
    let phases = prompt.phases
    let isOver = shown.withLock { shown in
      guard !shown.isOver else { return true }
      // The call may go on after the check, and must not hide the prompt of another call then.
      let ending = Task { [session] in
        for await _ in phases {}
        session.change { $0.hasEnded(prompt) }
      }
      shown.tasks.append(ending)
      return false
    }
    // The call ended while the state was changed.
    if isOver { session.change { $0.end(prompt) } }
    return !isOver
  }

  /// Removes the prompts that are still shown.
  func end() {
    let left = shown.withLock { shown in
      shown.isOver = true
      return shown
    }
    for prompt in left.prompts { session.change { $0.end(prompt) } }
    for task in left.tasks { task.cancel() }
  }
}
