internal import Observation
internal import PlainText
internal import PresenceTerms
internal import Synchronization
internal import System
internal import TerminalIO

extension PresencePrompt {
  /// The step that the check waits for.
  public enum Phase: Sendable, Hashable {
    /// The reader is being prepared.
    case starting
    /// Another prompt of this person is open.
    ///
    /// This prompt waits for its end.
    case queued
    /// The other prompt is over.
    ///
    /// This prompt continues after `begin()`, so that a finger that was meant for the other prompt
    /// does not answer this one.
    case ready
    /// A finger on the reader.
    ///
    /// After a bad scan, the value is advice for the next touch.
    case finger(ScanAdvice?)
    /// An answer to this question, which `questionWay` asks.
    ///
    /// If `isHidden` is true, the typed text must not be shown.
    case question(String, isHidden: Bool)
    /// The next try is possible after this many seconds.
    case waiting(seconds: Int)
    /// The answer is being checked.
    case checking
    /// The check is over.
    case ended(passed: Bool)

    var isQuestion: Bool { if case .question = self { true } else { false } }
  }

  /// How to touch the reader.
  public enum Scan: String, Sendable, Hashable, CaseIterable {
    /// Lay the finger on the reader.
    case press
    /// Move the finger over the reader.
    case swipe
  }

  /// Advice for the next touch.
  public enum ScanAdvice: String, Sendable, Hashable, CaseIterable {
    /// Leave the finger on the reader longer.
    case longer
    /// Put the finger on the middle of the reader.
    case center
    /// Lift the finger, then touch again.
    case lift
    /// Touch once more.
    case again
  }

  /// A way to pass the check.
  public enum Way: Sendable, Hashable, CaseIterable {
    /// A finger on the reader.
    case fingerprint
    /// A touch of an enrolled security key.
    case key
    /// The system password.
    case password
  }

  /// A message about a try, and the way that the try used.
  struct Notice: Sendable, Hashable {
    let text: String
    let way: Way?

    init(_ text: String, about way: Way?) {
      self.text = text
      self.way = way
    }
  }

  /// An action of the person.
  public enum Act: Sendable {
    /// The person chose the system password.
    case choosePassword
    /// The person cancelled the prompt.
    case cancel
    /// The person confirmed that it is this prompt's turn.
    case begin
    /// The person answered the question.
    case answer(Password)
    /// The person touched the reader of a stub.
    ///
    /// With a real vault, the reader itself reports the touch.
    case touch

    /// Whether the person cancelled the prompt.
    var isCancel: Bool { if case .cancel = self { true } else { false } }

    /// Whether it answers a question.
    var isAnswer: Bool { if case .answer = self { true } else { false } }

    /// Whether the action counts regardless of earlier actions.
    var isDecision: Bool {
      switch self {
      case .begin, .cancel: true
      case .answer, .choosePassword, .touch: false
      }
    }
  }
}

extension PresencePrompt.Way {
  /// The way of an engine's method.
  init(_ method: PresenceMethod) {
    self =
      switch method {
      case .fingerprint: .fingerprint
      case .key: .key
      case .password: .password
      }
  }

  /// The notice after a try that did not match.
  var noMatch: String {
    switch self {
    case .fingerprint: "that finger is not enrolled"
    case .key: "the security key's answer does not prove a touch"
    case .password: "that was not the password"
    }
  }
}

extension PresencePrompt {
  /// Whether the check is over.
  ///
  /// An observer does not follow this value.
  var hasEnded: Bool { content.withLock { $0.hasEnded } }

  /// Whether it is a presence check; one may follow the touch that opens the vault.
  var isCheck: Bool { purpose != KeyTouch.purpose }

  /// The devices that the check waits for, or will wait for first.
  ///
  /// A vault that is not the engine, such as a stub, has the fingerprint reader only.
  var devices: [PresenceMethod] {
    let devices = content.withLock { $0.devices }
    return devices.isEmpty ? [.fingerprint] : devices
  }

  /// Whether a touch of a security key is one of the ways.
  public var allowsKey: Bool { content.withLock { $0.devices.contains(.key) } }

  /// The method that asks the present question: the system password, or a key that wants its PIN.
  var asking: PresenceMethod { content.withLock { $0.asking } }

  /// The way that a `question` belongs to: the system password, or a security key that wants its
  /// PIN.
  public var questionWay: Way { Way(asking) }

  /// The methods of the first try.
  var firstMethods: [PresenceMethod] {
    allowsFingerprint || !content.withLock { $0.devices.isEmpty } ? devices : [.fallback]
  }

  /// Shows that a try by these methods begins.
  func begin(by methods: [PresenceMethod]) {
    let isByDevice = methods.allSatisfy(\.isDevice)
    if isByDevice { setDevices(methods) }
    content.withLock { $0.asking = isByDevice ? .key : methods.first ?? .fallback }
    show(isByDevice ? .finger(nil) : .starting)
  }

  /// Keeps the devices that the check waits for.
  func setDevices(_ devices: [PresenceMethod]) { content.withLock { $0.devices = devices } }
}

// The reader's type and finger, which may be known only when the reader is used.
extension PresencePrompt {
  /// How to touch the reader, as far as that is known before the reader is used.
  public var scan: Scan {
    registrar.access(self, keyPath: \.scan)
    return content.withLock { $0.scan }
  }

  /// The one finger that can match, such as `right-index`, if the reader accepts only one at a
  /// time; `nil` if any enrolled finger can match.
  public var finger: String? {
    registrar.access(self, keyPath: \.finger)
    return content.withLock { $0.finger }
  }

  /// Shows which finger can match, and how to touch the reader if that is known.
  func show(finger: String?, _ scan: Scan?) {
    let isName = finger?.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d } == true
    content.withLock { content in
      content.finger = isName ? finger : nil
      content.scan = scan ?? content.scan
    }
    registrar.withMutation(of: self, keyPath: \.finger) {}
    registrar.withMutation(of: self, keyPath: \.scan) {}
  }
}

// A display that takes time, before which the reader must not be armed.
extension PresencePrompt {
  /// The action with the app's reason.
  var wholePurpose: String {
    reason.map { "\(action), \(PlainText.line($0))" } ?? action
  }

  /// Makes the check wait until `release()`.
  func hold() { content.withLock { $0.isHeld = true } }

  /// Lets the check begin, because the prompt is shown or cannot be shown.
  func release() {
    let wasHeld = content.withLock { content in
      defer { content.isHeld = false }
      return content.isHeld
    }
    if wasHeld { wake?.event.signal() }
  }

  /// Takes a cancellation from the queue.
  ///
  /// Other actions stay in the queue. Returns whether there was one.
  func takeCancel() -> Bool {
    wake?.event.clear()
    return content.withLock { content in
      guard let index = content.acts.firstIndex(where: \.isCancel) else { return false }
      content.acts.remove(at: index)
      return true
    }
  }

  /// Makes the descriptor readable if an action waits.
  func signalActs() {
    if content.withLock({ !$0.acts.isEmpty }) { wake?.event.signal() }
  }

  /// Drops the answers that no question has taken.
  func dropAnswers() { content.withLock { $0.acts.removeAll(where: \.isAnswer) } }

  /// Whether the check must wait for the display.
  var isHeld: Bool { content.withLock { $0.isHeld } }

  /// Whether the display waits until another prompt has left the terminal.
  var isQueued: Bool {
    get { content.withLock { $0.isQueued } }
    set { content.withLock { $0.isQueued = newValue } }
  }
}
