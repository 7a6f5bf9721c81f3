internal import Presence
package import PresenceTerms
package import SecretMemory

/// An enrolled finger, opened for one check.
package struct LoadedPrint: Sendable {
  /// The finger's name, such as `right-index`.
  package let finger: String
  /// What libfprint serialized.
  package let print: SharedSecret
}

/// A finger that the desktop's settings have enrolled with fprintd.
package struct DesktopFinger: Sendable, Hashable {
  /// The finger's name, such as `right-index`.
  package let name: String
  /// SHA-256 of its print; `nil` if only names can be seen.
  package let digest: [UInt8]?

  /// Puts both together.
  package init(name: String, digest: [UInt8]?) {
    self.name = name
    self.digest = digest
  }
}

/// The fingers of this user that fprintd knows.
package struct DesktopFingers: Sendable, Equatable {
  /// How they can be seen.
  package enum Source: String, Sendable {
    /// Their prints, in fprintd's own files: only root may read those.
    case prints
    /// Only their names, through fprintd's bus.
    case names
  }

  /// How they can be seen.
  package let source: Source
  /// The fingers, in the order of their names; at least one.
  package let fingers: [DesktopFinger]

  /// Puts both together.
  package init(source: Source, fingers: [DesktopFinger]) {
    self.source = source
    self.fingers = fingers
  }
}

/// The reports of a check.
///
/// The helper only reports; the engine decides what follows.
package enum CheckEvent: Sendable, Equatable {
  /// Which reader is about to be armed, and the one finger that can match, if the others cannot.
  case reader(SeenReader?, only: String?)
  /// The reader is armed.
  case ready
  /// Nothing has happened for a while.
  case waiting
  /// A bad scan; it goes on.
  case retry(ScanHint)
  /// The password's stack asks something; answer with `respond`.
  case ask(text: String, hidden: Bool)
  /// A module of the password's stack says something without a question.
  case says(String)
  /// The finger or the password matched.
  case matched
  /// A security key has signed; the vault judges the signature.
  case touched(KeyAnswer)
  /// A security key has made a credential.
  case made(credential: [UInt8], publicKey: [UInt8])
  /// It did not match, or the check failed.
  case failed(PresenceFailure)
  /// The helper is gone, or makes no sense, and has not said how the check ended.
  case lost(String)

  /// Whether nothing follows.
  package var isLast: Bool {
    switch self {
    case .matched, .touched, .made, .failed, .lost: true
    case .reader, .ready, .waiting, .retry, .ask, .says: false
    }
  }

  /// Whether it is a wrong finger or a wrong password, whatever is said of it.
  var isMiss: Bool {
    if case .failed(let failure) = self { failure.outcome == .noMatch } else { false }
  }
}

/// The reports to the caller while its check runs.
package enum CheckNotice: Sendable, Equatable {
  /// Nothing has happened for a while, or another caller's check for the same request is still
  /// running.
  case waiting
  /// The reader waits to be touched like this, by this finger if only one can match.
  case touch(finger: String?, ScanType?)
  /// A bad scan; it goes on.
  case retry(ScanHint)
  /// A try has failed, and the check continues with these devices.
  case out(PresenceMethod, PresenceFailure, goesOnBy: [PresenceMethod])
  /// A password was wrong: the next one may be tried after so many seconds.
  case wait(seconds: Int64)
  /// Another prompt is armed: this one has to wait.
  case queued
  /// A module of the password's stack says something without a question.
  case says(String)
}

/// One running check, in a process of its own.
package protocol CheckConversation: Sendable {
  /// The next event. After the last one nothing follows.
  func next() async -> CheckEvent
  /// Answers an `ask`.
  func respond(_ text: SharedSecret) async
  /// Ends it now and releases the reader; `next` still reports, within seconds, how it ended.
  func cancel()
}

/// The reports of an enrollment.
package enum EnrollmentEvent: Sendable {
  /// Which reader takes the print.
  case reader(SeenReader)
  /// A former print, by its index among those that were given, is not on the reader any longer.
  case removed(Int)
  case ready
  case waiting
  case stage(Int, of: Int)
  case retry(ScanHint, stage: Int, of: Int)
  case done(print: SharedSecret, driver: String, device: String)
  case failed(PresenceFailure)
}

/// One running enrollment.
package protocol EnrollmentConversation: Sendable {
  /// The next event. After `done` or `failed` nothing follows.
  func next() async -> EnrollmentEvent
  /// The print is stored: the reader keeps it. Otherwise a reader that stores prints deletes it.
  func keep()
  /// Ends it now and releases the reader.
  func cancel()
}

/// A helper that was started ahead of its check, and waits for it; it holds no secret.
package protocol PreparedCheck: Sendable {
  /// The fingers that fprintd has of the caller's user; see `PresenceChecker`.
  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers?
  /// Starts a check by a device; it is used up.
  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation
  /// Ends it: no check will follow.
  func end()
}

/// Asks the reader or the password's stack.
package protocol PresenceChecker: Sendable {
  /// Starts a helper for a check that may follow; `nil` if there are too many.
  func prepare() async -> (any PreparedCheck)?
  /// Starts a check by one method.
  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation
  /// Takes a new print.
  func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation
  /// Deletes a print on the reader that stores it.
  func delete(_ print: LoadedPrint) async -> PrintDeletion
  /// The system's information about the reader.
  func reader() async -> ReaderFacts
  /// The fingers that fprintd has of the caller's user; `nil` if there are none, or no fprintd.
  ///
  /// - Throws: if that could not be found out.
  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers?
  /// The same, without a start of fprintd, which looks for readers when it starts.
  func desktopView(of caller: Caller) async throws(PresenceFailure) -> DesktopView
}
