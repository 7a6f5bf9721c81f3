public import Observation
internal import Synchronization
internal import System

/// A question to the person at the machine, whether somebody is here.
///
/// What `requester`, `account` and `purpose` say is what passing it allows: show them. The view
/// that shows the prompt follows `phase`, and answers by `choosePassword()`, `answer(_:)` or
/// `cancel()`.
public final class PresencePrompt: Sendable, Observable, Identifiable {
  /// Tells prompts of this process apart, also from those that are gone.
  public let id: UInt64 = PresencePrompt.lastNumber.add(1, ordering: .relaxed).newValue
  private static let lastNumber = Atomic<UInt64>(0)

  /// Who asks, as far as the system knows: not verified.
  public let requester: String
  /// For which account.
  public let account: String?
  /// What passing it allows, such as `refresh`.
  public let purpose: String
  /// The same with what it is done to, such as `refresh work`: completes "Touch the reader to ...".
  ///
  /// It is fit to be shown at a terminal.
  public let action: String
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

  struct Content: Sendable {
    var phase = Phase.starting
    var notice: Notice?
    /// The notice as a command says it.
    var spoken: String?
    var scan = Scan.press
    var finger: String?
    var failures = 0
    var acts: [Act] = []
    var listener: CheckedContinuation<Act?, Never>?
    var followers: [AsyncStream<Phase>.Continuation] = []

    var hasEnded: Bool { if case .ended = phase { true } else { false } }
  }

  let content = Mutex(Content())
  let registrar = ObservationRegistrar()
  private let wake: WakeEventBox?

  /// Readable when the person did something.
  var input: Int32? { wake?.event.descriptor.number }

  /// A prompt, as a vault or its stub makes one.
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
  public var notice: String? { lastNotice?.text }

  /// What happened to the last try, if that was one of this way: what a finger came to is no error of
  /// the password's field.
  public func notice(about way: Way) -> String? {
    lastNotice.flatMap { $0.way == way ? $0.text : nil }
  }

  /// The last notice, with its way.
  var lastNotice: Notice? {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { $0.notice }
  }

  /// The last notice as a command says it, else as it is.
  var spokenNotice: String? {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { $0.spoken ?? $0.notice?.text }
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
  ///
  /// - Parameters:
  ///   - notice: a sentence for the person; `nil` takes the last one away.
  ///   - way: which way of the check it is about; `nil` if it is about none.
  public func show(notice: String?, about way: Way? = nil) {
    show(notice: notice.map { Notice($0, about: way) }, spoken: nil)
  }

  /// Tells the view that a try did not pass, and counts it.
  public func show(failure: String, about way: Way? = nil) {
    show(notice: Notice(failure, about: way), spoken: nil, countsAsFailure: true)
  }

  /// The same with the sentences that a command says there, which a terminal shows instead.
  func show(notice: Notice?, spoken: String?, countsAsFailure: Bool = false) {
    content.withLock { content in
      content.notice = notice
      content.spoken = spoken
      if countsAsFailure { content.failures += 1 }
    }
    if countsAsFailure { registrar.withMutation(of: self, keyPath: \.failures) {} }
    registrar.withMutation(of: self, keyPath: \.notice) {}
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
