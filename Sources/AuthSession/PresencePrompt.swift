public import Observation
internal import Synchronization
internal import System

/// A question to the person at the machine, whether somebody is here.
///
/// What `requester`, `account` and `purpose` say is what passing it allows: show them. The view
/// that shows the prompt follows `phase`, and answers by `choosePassword()`, `answer(_:)` or
/// `cancel()`.
public final class PresencePrompt: Sendable, Observable, Identifiable {
  /// What the check waits for.
  public enum Phase: Sendable, Hashable {
    /// The reader is being made ready.
    case starting
    /// Another prompt of this person is open somewhere; this one waits for its end.
    case queued
    /// The other prompt is over: `begin()` says that this one may go on, so that a finger that was
    /// meant for the other does not answer this one.
    case ready
    /// A finger on the reader; after a bad look at it, what to do differently.
    case finger(ScanAdvice?)
    /// An answer to this question, which is not shown as it is typed where `isHidden`.
    case question(String, isHidden: Bool)
    /// The next try is possible after so many seconds.
    case waiting(seconds: Int)
    /// The answer is being checked.
    case checking
    /// It is over.
    case ended(passed: Bool)
  }

  /// What to do differently with the finger.
  public enum ScanAdvice: String, Sendable, Hashable, CaseIterable {
    /// Leave it on the reader longer.
    case longer
    /// Put it on the middle of the reader.
    case center
    /// Lift it, then touch again.
    case lift
    /// Just once more.
    case again
  }

  /// What the person did.
  public enum Act: Sendable {
    /// Chose the system password.
    case choosePassword
    /// Gave it up.
    case cancel
    /// Said that it is this prompt's turn.
    case begin
    /// Answered the question.
    case answer(Password)
    /// Touched the reader of a stub; a real vault hears of that from the reader itself.
    case touch

    /// Whether the person gave it up.
    fileprivate var isCancel: Bool { if case .cancel = self { true } else { false } }

    /// Whether it is to be heard whatever came before.
    fileprivate var isDecision: Bool {
      switch self {
      case .begin, .cancel: true
      case .answer, .choosePassword, .touch: false
      }
    }
  }

  /// Tells prompts of this process apart, also from those that are gone.
  public let id: UInt64 = PresencePrompt.lastNumber.add(1, ordering: .relaxed).newValue
  private static let lastNumber = Atomic<UInt64>(0)

  /// Who asks, as far as the system knows: not verified.
  public let requester: String
  /// For which account.
  public let account: String?
  /// What passing it allows, such as `to refresh work`.
  public let purpose: String
  /// The particulars, such as which accounts for how long.
  public let detail: String?
  /// Why the app asks, in its own words.
  public let reason: String?
  /// Why the password is needed where a finger would do else.
  public let passwordReason: String?
  /// Whether a finger is one of the ways.
  public let allowsFingerprint: Bool
  /// Whether the system password is one of the ways.
  public let allowsPassword: Bool

  private struct Content: Sendable {
    var phase = Phase.starting
    var notice: String?
    var failures = 0
    var acts: [Act] = []
    var listener: CheckedContinuation<Act?, Never>?
    var followers: [AsyncStream<Phase>.Continuation] = []

    var hasEnded: Bool { if case .ended = phase { true } else { false } }
  }

  private let content = Mutex(Content())
  private let registrar = ObservationRegistrar()
  private let wake: WakeEventBox?

  /// Readable when the person did something.
  var input: Int32? { wake?.event.descriptor.number }

  /// A prompt, as a vault or its stub makes one.
  public init(
    requester: String,
    account: String?,
    purpose: String,
    detail: String? = nil,
    reason: String? = nil,
    passwordReason: String? = nil,
    allowsFingerprint: Bool = true,
    allowsPassword: Bool = true
  ) {
    self.requester = requester
    self.account = account
    self.purpose = purpose
    self.detail = detail
    self.reason = reason
    self.passwordReason = passwordReason
    self.allowsFingerprint = allowsFingerprint
    self.allowsPassword = allowsPassword
    wake = try? WakeEventBox.make()
  }

  /// What it waits for.
  public var phase: Phase {
    registrar.access(self, keyPath: \.phase)
    return content.withLock { $0.phase }
  }

  /// What it waits for from now on, the present phase first; ends with the prompt.
  public var phases: AsyncStream<Phase> {
    AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      content.withLock { content in
        continuation.yield(content.phase)
        if content.hasEnded { return continuation.finish() }
        content.followers.append(continuation)
      }
    }
  }

  /// What happened to the last try, such as that the finger is not enrolled.
  public var notice: String? {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { $0.notice }
  }

  /// Goes on with the system password.
  ///
  /// Where the policy does not allow it, the prompt ends with `passwordChosen`: the app decides then
  /// whether to ask again with another policy.
  public func choosePassword() {
    did(.choosePassword)
  }

  /// Goes on, where another prompt was open until now.
  public func begin() {
    did(.begin)
  }

  /// Answers the question that is asked.
  public func answer(_ password: Password) {
    did(.answer(password))
  }

  /// Touches the reader of a stub; nothing where the vault is a real one.
  package func touch() {
    did(.touch)
  }

  /// Gives it up.
  public func cancel() {
    did(.cancel)
  }

  /// Tells the view what it waits for now.
  public func show(_ phase: Phase) {
    content.withLock { content in
      content.phase = phase
      for follower in content.followers {
        follower.yield(phase)
        if content.hasEnded { follower.finish() }
      }
      if content.hasEnded { content.followers = [] }
    }
    // Observers are told afterwards: one on another thread that was told before could look, see the
    // old one, and never be told again.
    registrar.withMutation(of: self, keyPath: \.phase) {}
    if case .ended = phase { takeListener()?.resume(returning: nil) }
  }

  /// Tells the view what happened.
  public func show(notice: String?) {
    content.withLock { $0.notice = notice }
    registrar.withMutation(of: self, keyPath: \.notice) {}
  }

  /// Tells the view that a try did not pass, and counts it.
  public func show(failure: String) {
    content.withLock { $0.failures += 1 }
    registrar.withMutation(of: self, keyPath: \.failures) {}
    show(notice: failure)
  }

  /// How many tries did not pass so far.
  public var failures: Int {
    registrar.access(self, keyPath: \.failures)
    return content.withLock { $0.failures }
  }

  /// What the person does next; nil: the prompt has ended, or the task was cancelled.
  ///
  /// For a vault; one at a time may wait.
  public func nextAct() async -> Act? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: Act?? = content.withLock { content in
          if !content.acts.isEmpty { return content.acts.removeFirst() }
          if Task.isCancelled || content.hasEnded || content.listener != nil { return .some(nil) }
          content.listener = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      takeListener()?.resume(returning: nil)
    }
  }

  private func takeListener() -> CheckedContinuation<Act?, Never>? {
    content.withLock { content in
      defer { content.listener = nil }
      return content.listener
    }
  }

  /// The oldest thing that the person did and nobody took.
  func takeAct() -> Act? {
    wake?.event.clear()
    return content.withLock { content in
      guard !content.acts.isEmpty else { return nil }
      let act = content.acts.removeFirst()
      // Another waits: the descriptor stays readable.
      if !content.acts.isEmpty { wake?.event.signal() }
      return act
    }
  }

  /// Whether the person gave it up; what else they did stays.
  func takeCancel() -> Bool {
    wake?.event.clear()
    return content.withLock { content in
      guard let index = content.acts.firstIndex(where: \.isCancel) else { return false }
      content.acts.remove(at: index)
      return true
    }
  }

  /// Forgets what the person did and nobody took, but for that they gave it up.
  package func dropActs() {
    wake?.event.clear()
    content.withLock { content in
      content.acts.removeAll { !$0.isCancel }
      if !content.acts.isEmpty { wake?.event.signal() }
    }
  }

  private func did(_ act: Act) {
    let listener = content.withLock { content -> CheckedContinuation<Act?, Never>? in
      guard !content.hasEnded else { return nil }
      if let listener = content.listener {
        content.listener = nil
        return listener
      }
      // A person is not that quick; a program in a loop is not to fill memory.
      if content.acts.count < 16 {
        content.acts.append(act)
      } else if act.isDecision {
        content.acts[15] = act
      }
      return nil
    }
    listener?.resume(returning: act)
    wake?.event.signal()
  }
}

extension PresencePrompt: Hashable {
  /// Whether both are the same prompt.
  public static func == (left: PresencePrompt, right: PresencePrompt) -> Bool { left === right }

  /// Hashes which prompt it is.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Shows prompts to the person: an app's own view, or a terminal.
public protocol PresencePresenter: Sendable {
  /// Shows the prompt until its phase is `ended`.
  ///
  /// The task is cancelled when the prompt has ended.
  func present(_ prompt: PresencePrompt) async
}
