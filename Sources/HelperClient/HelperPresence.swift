public import Presence
internal import SecretMemory
internal import System
public import TokenVault
internal import VaultInterface

/// Presence checks by `thumblatch-presence`, one process for each.
public struct HelperPresence: PresenceCheck {
  /// How much longer than its own limit a helper is waited for, in seconds.
  static let grace: Int64 = 5

  private let route: HelperRoute

  /// Checks that reach their helper by this way.
  public init(by route: HelperRoute) {
    self.route = route
  }

  /// Arms the reader; see `PresenceCheck`.
  public func fingerprint(
    _ prints: [LoadedPrint],
    desktop: DesktopFingers?,
    of caller: Caller,
    seconds: Int64
  ) async throws(Presence.PresenceOutcome) -> any CheckConversation {
    try HelperCheck(
      .init(
        presenceMethod: .fingerprint,
        timeout: Int(seconds) * 1000,
        desktopDigests: desktop.flatMap(Self.digests),
        desktopFingers: desktop.flatMap(Self.names)
      ),
      of: caller,
      by: route,
      prints: prints,
      more: true,
      seconds: seconds
    )
  }

  /// Asks the system password; see `PresenceCheck`.
  public func password(
    of caller: Caller,
    seconds: Int64
  ) async throws(Presence.PresenceOutcome) -> any CheckConversation {
    try HelperCheck(
      .init(presenceMethod: .password, timeout: Int(seconds) * 1000),
      of: caller,
      by: route,
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
    try HelperEnrollment(finger: finger, seconds: seconds, by: route)
  }

  /// What the reader says about itself; see `PresenceCheck`.
  public func reader() async -> ReaderFacts {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread { continuation.resume(returning: askReader()) }
      } catch {
        continuation.resume(returning: Self.noReader("\(error)"))
      }
    }
  }

  /// The fingers that fprintd has of the caller's user; see `PresenceCheck`.
  public func desktopFingers(
    of caller: Caller
  ) async throws(Presence.PresenceOutcome) -> DesktopFingers? {
    let told: Result<HelperEnrolled, HelperError> = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread { continuation.resume(returning: askDesktop(of: caller)) }
      } catch {
        continuation.resume(returning: .failure(.notStarted("\(error)")))
      }
    }
    do throws(HelperError) {
      return try DesktopFingers(told.get())
    } catch {
      throw .notAvailable(error.reason)
    }
  }

  private func askReader() -> ReaderFacts {
    do throws(HelperError) {
      let helper = try HelperLink(.presence, by: route)
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
      return Self.noReader(error.reason)
    }
  }

  private func askDesktop(of caller: Caller) -> Result<HelperEnrolled, HelperError> {
    Result { () throws(HelperError) in
      let helper = try HelperLink(.presence, by: route)
      let lent = route.isServed ? caller.peer?.socket.number ?? -1 : -1
      defer { helper.finish(withinMilliseconds: 500) }
      var buffer = MessageBuffer(.helper)
      try helper.send(HelperListEnrolledCall(), passing: lent)
      return try helper.receive(
        &buffer,
        to: HelperListEnrolledCall.self,
        until: BootInstant.now.advanced(bySeconds: 10)
      ).reply
    }
  }

  private static func digests(_ desktop: DesktopFingers) -> [[UInt8]]? {
    desktop.source == .prints ? desktop.fingers.compactMap(\.digest) : nil
  }

  private static func names(_ desktop: DesktopFingers) -> [String]? {
    desktop.source == .names ? desktop.fingers.map(\.name) : nil
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
    case .unseen: "fprintd does not answer"
    }
  }
}

extension Presence.PresenceOutcome {
  /// What a helper's failure means.
  init(_ failure: HelperFailure, detail: String?) {
    switch failure {
    case .notAvailable: self = .notAvailable(detail ?? "there is no reader")
    case .notEnrolled: self = .notEnrolled
    case .busy: self = .busy(detail ?? "reader busy: another program has it")
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    case .denied: self = .denied(detail ?? "the system refuses this user")
    }
  }
}

extension DesktopFingers {
  /// What a helper told; nil where there are none.
  fileprivate init?(_ enrolled: HelperEnrolled) throws(HelperError) {
    switch enrolled.source {
    case .none: return nil
    case .unknown: throw .unseen
    case .prints:
      guard !enrolled.fingers.isEmpty, enrolled.digests.count == enrolled.fingers.count,
        enrolled.digests.allSatisfy({ $0.count == 32 })
      else { throw .malformed }
      self.init(
        source: .prints,
        fingers: zip(enrolled.fingers, enrolled.digests).map { .init(name: $0, digest: $1) }
      )
    case .names:
      guard !enrolled.fingers.isEmpty, Set(enrolled.fingers).count == enrolled.fingers.count else {
        throw .malformed
      }
      self.init(source: .names, fingers: enrolled.fingers.map { .init(name: $0, digest: nil) })
    }
  }
}
