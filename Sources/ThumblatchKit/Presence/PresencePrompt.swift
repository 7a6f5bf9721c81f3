public import Observation
internal import PresenceTerms
internal import Synchronization
internal import System
internal import VaultClient

/// A question to the person at the machine that asks for presence.
///
/// `requester`, `account` and `purpose` say what a passed check allows: show them. The view that
/// shows the prompt follows `phase`. It answers with `choosePassword()`, `answer(_:)` or
/// `cancel()`.
public final class PresencePrompt: Sendable, Observable, Identifiable {
  /// Identifies the prompt among all prompts of this process, the ended ones included.
  public let id: UInt64 = PresencePrompt.lastNumber.add(1, ordering: .relaxed).newValue
  private static let lastNumber = Atomic<UInt64>(0)

  /// The program that asks, as far as the system knows.
  ///
  /// It is not verified.
  public let requester: String
  /// The account that the check is for.
  public let account: String?
  /// The purpose that a passed check allows, such as `refresh`.
  public let purpose: String
  /// The purpose with its object, such as `refresh work`.
  ///
  /// It completes "Touch the reader to ...".
  ///
  /// It is safe to show at a terminal.
  public let action: String
  /// The details, such as the accounts and the duration.
  public let detail: String?
  /// The app's reason, in its own words.
  public let reason: String?
  /// Why the password is needed although a finger is usually enough.
  public let passwordReason: String?
  /// Whether a finger is one of the ways.
  public let allowsFingerprint: Bool
  /// Whether the system password is one of the ways.
  public let allowsPassword: Bool

  struct Content: Sendable {
    var phase = Phase.starting
    var notice: Notice?
    /// The event that the notice is about.
    var event: PresenceEvent?
    /// Whether the check must wait for the display.
    var isHeld = false
    /// Whether another prompt has the terminal.
    var isQueued = false
    var scan = Scan.press
    var finger: String?
    /// The engine's methods by a device; empty if none is allowed.
    var devices: [PresenceMethod] = []
    /// The method that asks the questions.
    var asking = PresenceMethod.fallback
    var failures = 0
    var questions = 0
    var acts: [Act] = []
    var listener: CheckedContinuation<Act?, Never>?

    var hasEnded: Bool { if case .ended = phase { true } else { false } }
  }

  let content = Mutex(Content())
  /// The streams of phases.
  ///
  /// They have a lock of their own, because the cancellation handler of `nextAct` takes the lock of
  /// `content`.
  private let listeners = Mutex(StreamListeners<Phase>())
  let registrar = ObservationRegistrar()
  let wake: WakeEventBox?

  /// A descriptor that is readable when the person has done something.
  var input: Int32? { wake?.event.descriptor.number }

  /// Makes a prompt, as a vault or its stub does.
  public init(
    requester: String,
    account: String?,
    purpose: String,
    action: String? = nil,
    detail: String? = nil,
    reason: String? = nil,
    passwordReason: String? = nil,
    allowsFingerprint: Bool = true,
    allowsPassword: Bool = true,
    scan: Scan = .press
  ) {
    self.requester = requester
    self.account = account
    self.purpose = purpose
    self.action = action ?? account.map { "\(purpose) \($0)" } ?? purpose
    self.detail = detail
    self.reason = reason
    self.passwordReason = passwordReason
    self.allowsFingerprint = allowsFingerprint
    self.allowsPassword = allowsPassword
    wake = try? WakeEventBox.make()
    content.withLock { $0.scan = scan }
  }

  /// The step that the check waits for.
  public var phase: Phase {
    registrar.access(self, keyPath: \.phase)
    return content.withLock { $0.phase }
  }

  /// Each phase from now on.
  ///
  /// The present phase comes first, and the sequence ends with the prompt.
  public var phases: AsyncStream<Phase> {
    listeners.withLock { listeners in
      let (phase, hasEnded) = content.withLock { ($0.phase, $0.hasEnded) }
      defer { if hasEnded { listeners.finish() } }
      return listeners.stream(from: phase, waiting: 64)
    }
  }

  /// A message about the last try, such as that the finger is not enrolled.
  public var notice: String? { lastNotice?.text }

  /// The message about the last try if that try used this way.
  ///
  /// A message about a finger is no error of the password field.
  public func notice(about way: Way) -> String? {
    lastNotice.flatMap { $0.way == way ? $0.text : nil }
  }

  /// The last notice, with its way.
  var lastNotice: Notice? {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { $0.notice }
  }

  /// The event that the last notice is about, which a presenter can put in the words of the
  /// commands; `nil` if only the notice has words.
  var event: PresenceEvent? {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { $0.event }
  }

  /// Continues with the system password.
  ///
  /// If the policy does not allow the password, the prompt ends with `passwordChosen`. The app then
  /// decides whether to ask again with another policy.
  public func choosePassword() {
    did(.choosePassword)
  }

  /// Continues after another prompt that was open until now.
  public func begin() {
    did(.begin)
  }

  /// Answers the present question.
  public func answer(_ password: Password) {
    did(.answer(password))
  }

  /// Touches the reader of a stub.
  ///
  /// It does nothing with a real vault.
  package func touch() {
    did(.touch)
  }

  /// Cancels the prompt.
  public func cancel() {
    did(.cancel)
  }

  /// Shows the view the present phase.
  public func show(_ phase: Phase) {
    listeners.withLock { listeners in
      let hasEnded = content.withLock { content in
        content.phase = phase
        if case .question = phase { content.questions += 1 }
        return content.hasEnded
      }
      listeners.yield(phase)
      if hasEnded { listeners.finish() }
    }
    // Notify observers after the change. An observer on another thread that is notified earlier
    // could read the old phase and would not be notified again.
    registrar.withMutation(of: self, keyPath: \.phase) {}
    if case .ended = phase { takeListener()?.resume(returning: nil) }
  }

  /// Shows the view a message.
  ///
  /// - Parameters:
  ///   - notice: a sentence for the person; `nil` removes the last one.
  ///   - way: the way that the message is about; `nil` if it is about no single way.
  public func show(notice: String?, about way: Way? = nil) {
    show(notice: notice.map { Notice($0, about: way) }, event: nil)
  }

  /// Shows the view that a try did not pass, and counts it.
  public func show(failure: String, about way: Way? = nil) {
    show(notice: Notice(failure, about: way), event: nil, countsAsFailure: true)
  }

  /// The same with the event, which terminal and desktop show in the words of the commands.
  func show(notice: Notice?, event: PresenceEvent?, countsAsFailure: Bool = false) {
    content.withLock { content in
      content.notice = notice
      content.event = event
      if countsAsFailure { content.failures += 1 }
    }
    if countsAsFailure { registrar.withMutation(of: self, keyPath: \.failures) {} }
    registrar.withMutation(of: self, keyPath: \.notice) {}
  }

  /// How many questions were asked: the same one may be asked again.
  var questions: Int { content.withLock { $0.questions } }

  /// How many tries have failed so far.
  public var failures: Int {
    registrar.access(self, keyPath: \.failures)
    return content.withLock { $0.failures }
  }

  /// The person's next action; `nil` if the prompt has ended or the task was cancelled.
  ///
  /// It is for a vault. Only one call may wait at a time.
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

  /// Takes the oldest action that was not taken yet.
  func takeAct() -> Act? {
    wake?.event.clear()
    return content.withLock { content in
      guard !content.acts.isEmpty else { return nil }
      let act = content.acts.removeFirst()
      // Another action waits, so the descriptor must stay readable.
      if !content.acts.isEmpty { wake?.event.signal() }
      return act
    }
  }

  /// Drops all actions that were not taken yet, except a cancellation.
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
      // A person is not that quick, and a program in a loop must not fill memory.
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

  /// Hashes the identity of the prompt.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
