internal import Observation
internal import Synchronization

extension PresencePrompt {
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

  /// How the reader wants to be touched.
  public enum Scan: String, Sendable, Hashable, CaseIterable {
    /// The finger lies on it.
    case press
    /// The finger moves over it.
    case swipe
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

  /// A way to pass the check.
  public enum Way: Sendable, Hashable, CaseIterable {
    /// A finger on the reader.
    case fingerprint
    /// The system password.
    case password
  }

  /// What happened to a try, and of which way that was.
  struct Notice: Sendable, Hashable {
    let text: String
    let way: Way?

    init(_ text: String, about way: Way?) {
      self.text = text
      self.way = way
    }
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
    var isCancel: Bool { if case .cancel = self { true } else { false } }

    /// Whether it is to be heard whatever came before.
    var isDecision: Bool {
      switch self {
      case .begin, .cancel: true
      case .answer, .choosePassword, .touch: false
      }
    }
  }
}

// How the reader is touched, which is known only when it is used.
extension PresencePrompt {
  /// How the reader wants to be touched, as far as is known before it is used.
  public var scan: Scan {
    registrar.access(self, keyPath: \.scan)
    return content.withLock { $0.scan }
  }

  /// The one finger that can match, such as `right-index`, where the reader takes no more than one at
  /// a time; `nil` if any enrolled finger can.
  public var finger: String? {
    registrar.access(self, keyPath: \.finger)
    return content.withLock { $0.finger }
  }

  /// Tells the view which finger can match, and how the reader wants to be touched, if that is known.
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
