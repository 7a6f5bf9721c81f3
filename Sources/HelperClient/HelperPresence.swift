public import Presence
internal import SecretMemory
internal import System
public import TokenVault
internal import VaultInterface

/// Presence checks by `thumblatch-presence`, one process for each.
public struct HelperPresence: PresenceCheck {
  static let program = "thumblatch-presence"
  /// How much longer than its own limit a helper is waited for, in seconds.
  static let grace: Int64 = 5

  /// Checks that start their helper beside this program.
  public init() {}

  /// Arms the reader; see `PresenceCheck`.
  public func fingerprint(
    _ prints: [LoadedPrint],
    desktop: DesktopFingers?,
    seconds: Int64
  ) async throws(Presence.PresenceOutcome) -> any CheckConversation {
    try HelperCheck(
      .init(presenceMethod: .fingerprint, timeout: Int(seconds) * 1000),
      prints: prints,
      more: true,
      seconds: seconds
    )
  }

  /// Asks the system password; see `PresenceCheck`.
  public func password(
    seconds: Int64
  ) async throws(Presence.PresenceOutcome) -> any CheckConversation {
    try HelperCheck(
      .init(presenceMethod: .password, timeout: Int(seconds) * 1000),
      prints: [],
      more: false,
      seconds: seconds
    )
  }

  /// Takes a new print; see `PresenceCheck`.
  public func enroll(
    finger: String,
    seconds: Int64
  ) async throws(Presence.PresenceOutcome) -> any EnrollmentConversation {
    try HelperEnrollment(finger: finger, seconds: seconds)
  }

  /// What the reader says about itself; see `PresenceCheck`.
  public func reader() async -> ReaderFacts {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread { continuation.resume(returning: Self.askReader()) }
      } catch {
        continuation.resume(returning: Self.noReader("\(error)"))
      }
    }
  }

  /// The fingers that fprintd has of the user; see `PresenceCheck`.
  public func desktopFingers() async -> DesktopFingers? { nil }

  private static func askReader() -> ReaderFacts {
    do throws(HelperError) {
      let helper = try HelperProcess(program: program)
      defer { helper.finish(withinMilliseconds: 500) }
      try helper.send(HelperGetReaderCall())
      var buffer = MessageBuffer(.helper)
      let reader = try helper.receive(
        &buffer,
        to: HelperGetReaderCall.self,
        until: BootInstant.now.advanced(bySeconds: 10)
      ).reply
      return ReaderFacts(
        available: reader.available,
        name: reader.name,
        driver: reader.driver,
        reason: reader.reason
      )
    } catch {
      return noReader(error.reason)
    }
  }

  private static func noReader(_ reason: String) -> ReaderFacts {
    ReaderFacts(available: false, name: nil, driver: nil, reason: reason)
  }
}

extension HelperError {
  /// Why there was no check, for people.
  var reason: String {
    switch self {
    case .notStarted(let why): why
    case .ended: "the presence program ended without an answer"
    case .malformed: "the presence program gave an answer that makes no sense"
    }
  }
}

extension Presence.PresenceOutcome {
  /// What a helper's failure means.
  init(_ failure: HelperFailure, detail: String?) {
    switch failure {
    case .notAvailable: self = .notAvailable(detail ?? "there is no reader")
    case .notEnrolled: self = .notEnrolled
    case .busy: self = .busy(detail ?? "the reader is in use")
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    case .denied: self = .denied(detail ?? "the system refuses this user")
    }
  }
}
