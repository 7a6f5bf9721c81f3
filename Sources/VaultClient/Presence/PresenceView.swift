public import PresenceTerms
public import SecretMemory
public import System

/// The person's side of a presence check: the display, and the person's actions.
public protocol PresenceView {
  /// A descriptor that is readable when the person acts between questions; `nil` if no more input
  /// can come.
  var input: Int32? { get }
  /// A try by this method begins.
  ///
  /// `methods` are all that are left.
  ///
  /// The prompt must be on the screen when this returns: only then is the reader armed. `isFirst`
  /// says that it is not there yet.
  func begin(
    _ method: PresenceMethod,
    of methods: [PresenceMethod],
    isFirst: Bool
  ) throws(VaultClientError)
  /// The person's action between questions.
  func takeInput() -> PresenceInput
  /// A descriptor that is readable when the person may have cancelled between two questions; `nil`
  /// if an interrupt reports that.
  var cancelInput: Int32? { get }
  /// Whether the person has cancelled.
  ///
  /// Other actions stay for the next question.
  func takeCancel() -> Bool
  /// Shows the person an event.
  func show(_ event: PresenceEvent)
  /// Takes the turn of this prompt, because the prompt before it is over.
  ///
  /// Before a finger is read, it waits until the person confirms the turn. It returns false if the
  /// person cancelled or the time is over.
  ///
  /// A touch or typed text that was meant for the previous prompt must not answer this one. Nor may
  /// a finger that is still on the reader.
  func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool
  /// The person's answer to a question; `nil` if the person cancelled or the time is over.
  func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret?
}

/// A person's action between questions.
public enum PresenceInput: Sendable {
  /// No action that counts.
  case nothing
  /// The person prefers the password.
  case password
  /// The person cancelled.
  case cancel
}

/// An event during a presence check that the person must see.
public enum PresenceEvent: Sendable, Equatable {
  /// Another prompt is open, and this one waits for its end.
  case queued
  /// The reader waits for a finger.
  case waiting
  /// The reader waits for such a touch, by this finger if only one can match.
  case touch(finger: String?, scan: ScanType?)
  /// The scan of the finger was bad.
  case retry(ScanHint)
  /// The next password is tried after so many seconds.
  ///
  /// `wasWrong` says whether a wrong one was just given.
  case wait(seconds: Int, wasWrong: Bool)
  /// The answer is being checked.
  case checking
  /// A module of the system's password check says something without a question.
  case said(String)
  /// This try did not pass.
  ///
  /// Another one follows, by one of these methods.
  case failed(PresenceMethod, PresenceOutcome, message: String, left: [PresenceMethod])
}
