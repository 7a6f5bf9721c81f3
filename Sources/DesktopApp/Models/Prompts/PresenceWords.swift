internal import GTK
internal import PlainText
package import PresenceTerms
internal import TerminalIO
package import VaultInterface

/// The sentences of a presence check, in the language of the person.
///
/// `PresenceText` has those of the command line, which are English.
package enum PresenceWords {
  /// The sentence of a prompt: the act of the person, and the action that it allows.
  package static func question(
    _ request: PresenceRequest,
    by methods: [PresenceMethod],
    _ scan: ScanType
  ) -> String {
    // The first value is such as "Touch the fingerprint reader", the second such as "use account
    // 'me'".
    tr("%s to %s.", act(methods, scan), PurposeWords.clause(of: request))
  }

  /// The act that passes a check.
  private static func act(_ methods: [PresenceMethod], _ scan: ScanType) -> String {
    switch (methods.contains(.fingerprint), methods.contains(.key), scan) {
    case (true, true, .press): tr("Touch the fingerprint reader or the security key")
    case (true, true, .swipe):
      tr("Swipe your finger over the fingerprint reader, or touch the security key")
    case (true, false, .press): tr("Touch the fingerprint reader")
    case (true, false, .swipe): tr("Swipe your finger over the fingerprint reader")
    case (false, true, _): tr("Touch the security key")
    case (false, false, _): tr("Type the system password")
    }
  }

  /// The act that passes a check after a finger did not.
  private static func actAgain(_ devices: [PresenceMethod], _ scan: ScanType) -> String {
    switch (devices.contains(.fingerprint), devices.contains(.key), scan) {
    case (true, true, .press): tr("Touch the reader again or the security key")
    case (true, true, .swipe): tr("Swipe the finger again, or touch the security key")
    case (true, false, .press): tr("Touch the reader again")
    case (true, false, .swipe): tr("Swipe the finger again")
    case (false, _, _): act(devices, scan)
    }
  }

  /// The program that asks, with the reason that it states.
  package static func requester(of request: PresenceRequest) -> String {
    let requester = RequesterWords.text(PlainText.line(request.requester, limit: 120))
    guard let reason = request.statedReason else { return tr("Requested by %s.", requester) }
    return tr(
      "Requested by %s; stated reason, not verified: \"%s\".",
      requester,
      PlainText.line(reason, limit: 200)
    )
  }

  /// Why the password is needed instead of a device; `nil` if no reason is needed.
  package static func reason(of request: PresenceRequest) -> String? {
    request.reason.map { capitalized(EngineWords.clause(PlainText.line($0, limit: 600))) + "." }
  }

  /// The check that a call needs, as a clause for an error.
  package static func need(_ request: PresenceRequest) -> String {
    let clause = PurposeWords.clause(of: request)
    guard let reason = request.reason else { return tr("a presence check to %s is needed", clause) }
    return tr(
      "a presence check to %s is needed (%s)",
      clause,
      EngineWords.clause(PlainText.line(reason, limit: 600))
    )
  }

  /// The message between two tries of one dialogue.
  package static func nextTry(
    after method: PresenceMethod,
    _ outcome: PresenceOutcome,
    _ message: String,
    left: [PresenceMethod],
    _ scan: ScanType
  ) -> String {
    let devices = left.filter(\.isDevice)
    let next =
      if !devices.isEmpty {
        (method == .fingerprint ? actAgain(devices, scan) : act(devices, scan)) + "."
      } else if !method.isDevice {
        tr("Try again.")
      } else if outcome == .noMatch {
        tr("Too many tries: the system password is needed once.")
      } else {
        tr("The system password is needed now.")
      }
    let what =
      if let failure = failure(of: method, outcome) {
        withDetail(failure, message)
      } else if method.isDevice, outcome == .denied, !message.isEmpty {
        EngineWords.clause(PlainText.line(message))
      } else {
        failure(outcome, message)
      }
    return "\(capitalized(what)). \(next)"
  }

  /// The failure of a try, in words of this method; `nil` if the outcome has the same words for
  /// all.
  private static func failure(of method: PresenceMethod, _ outcome: PresenceOutcome) -> String? {
    switch (method, outcome) {
    case (.fingerprint, .noMatch): tr("The finger did not match")
    case (.fingerprint, .notAvailable): tr("The fingerprint reader is not available")
    case (.password, .noMatch): tr("Wrong password")
    case (.password, .denied): tr("The system refuses this user")
    case (.password, .notAvailable): tr("The system password could not be checked")
    case (.key, .noMatch): tr("The security key's answer does not prove a touch")
    case (.key, .notAvailable): tr("The security key is not available")
    case (.fingerprint, _), (.key, _), (.password, _): nil
    }
  }

  /// Why the check did not pass, as a clause.
  package static func failure(_ outcome: PresenceOutcome, _ message: String) -> String {
    let clause =
      switch outcome {
      case .cancelled: tr("the presence check was cancelled")
      case .passwordChosen: tr("the password was chosen instead of a device")
      case .notAvailable: tr("the presence check cannot be made")
      case .notEnrolled: tr("no finger is enrolled")
      case .lockedOut:
        tr(
          "too many scans failed: fingers and keys are refused until you enter the system password"
        )
      case .noMatch: tr("the presence check failed: no match")
      case .timedOut: tr("the presence check timed out")
      case .busy: tr("another prompt is open, or the reader is in use")
      case .denied: tr("the presence check was denied")
      }
    return withDetail(clause, message)
  }

  private static func withDetail(_ clause: String, _ detail: String) -> String {
    let detail = EngineWords.clause(
      PlainText.line(detail.hasSuffix(".") ? String(detail.dropLast()) : detail)
    )
    guard !detail.isEmpty else { return clause }
    // The beginning of a sentence has a capital.
    return capitalized(detail) == capitalized(clause) ? clause : "\(clause) (\(detail))"
  }

  private static func capitalized(_ clause: String) -> String {
    clause.prefix(1).uppercased() + clause.dropFirst()
  }
}
