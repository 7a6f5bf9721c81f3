internal import PlainText
package import PresenceTerms
package import VaultInterface

/// The sentences of the presence dialogue, in English.
///
/// Commands, notifications and the windows of pinentry use the same ones. `PresenceWords` of the
/// desktop app has them in the language of the person.
package enum PresenceText {
  /// The most characters of a check's purpose.
  ///
  /// A longer question is not asked, because a person would not see all of it.
  package static let longestDetail = 2000
  /// The most lines of a question.
  private static let mostLines = 8
  /// Another prompt of this person is open.
  package static let queued = "waiting for the other prompt"
  /// The other prompt has ended, and this one asks for the password by itself.
  package static let isOver = "The other prompt is over."
  /// The other prompt has ended, and the reader is armed only after Enter.
  package static let isReady = "\(isOver) Press Enter when you are ready for this one."
  /// The password is being checked.
  package static let checking = "checking the password"

  /// The action that a passed check allows.
  ///
  /// It completes "Touch the fingerprint reader to ...".
  package static func purpose(of request: PresenceRequest) -> String {
    request.purpose.action(
      account: request.account.map { PlainText.line($0, limit: 64) },
      detail: request.detail.map { PlainText.line($0, limit: longestDetail) }
    )
  }

  /// The check that a call needs, for an error when no person can be asked.
  package static func need(_ request: PresenceRequest) -> String {
    let reason = request.reason.map { " (\(PlainText.line($0, limit: 600)))" } ?? ""
    let purpose = request.purpose == .test ? "" : " to \(purpose(of: request))"
    return "a presence check\(purpose)\(reason)"
  }

  /// Why the password is needed instead of a finger.
  package static func reason(_ text: String) -> String {
    sentence(PlainText.line(text, limit: 600)) + "."
  }

  /// Why the person must wait.
  package static func wait(_ seconds: Int, hasAnswered: Bool) -> String {
    let time = "\(seconds) second\(seconds == 1 ? "" : "s")"
    return hasAnswered
      ? "Wrong password. Try again in \(time)."
      : "An earlier password was wrong. Try again in \(time)."
  }

  /// The text on the screen before a device is armed, and before a question is asked.
  ///
  /// - Parameters:
  ///   - methods: how the check is passed: a method, or the devices that are armed together.
  ///   - purpose: the action that a passed check allows, from `purpose(of:)`.
  ///   - requester: the program that asks.
  ///   - password: whether Enter chooses the password.
  ///   - scan: how to touch the reader.
  /// - Returns: one sentence, and the effect of Enter.
  package static func prompt(
    _ methods: [PresenceMethod],
    to purpose: String,
    requester: String,
    password: Bool = false,
    _ scan: ScanType = .press
  ) -> String {
    let act = "\(methods.request(scan)) to \(purpose) (\(requested(by: requester)))"
    return act + (password && methods.allSatisfy(\.isDevice) ? passwordKey : ".")
  }

  /// How to touch the reader, and with which finger if only one can match.
  package static func touch(_ finger: String?, _ scan: ScanType) -> String {
    let finger = finger.map { "your \(Self.finger($0))" }
    return switch scan {
    case .press: "touch the reader" + (finger.map { " with \($0)" } ?? "")
    case .swipe: "swipe \(finger ?? "your finger") over the reader"
    }
  }

  /// A finger's name as words, such as `right index finger`.
  package static func finger(_ name: String) -> String {
    let words = PlainText.line(name, limit: 64).split(separator: "-").joined(separator: " ")
    return words.hasSuffix("thumb") || words.hasSuffix("finger") ? words : words + " finger"
  }

  /// A question of the password check, followed by a space.
  package static func question(_ text: String) -> String {
    text.isEmpty ? "System password: " : text.hasSuffix(" ") ? text : text + " "
  }

  /// The same as harmless lines: the messages of PAM's modules, then the question.
  package static func questionLines(_ text: String) -> [String] {
    question(text).split(separator: "\n").suffix(mostLines).map { PlainText.line(String($0)) }
  }

  /// Advice after a bad scan.
  package static func advice(_ hint: ScanHint?, _ scan: ScanType) -> String {
    switch (hint, scan) {
    case (.tooShort, .press): "too short: keep the finger on the reader a little longer"
    case (.tooShort, .swipe): "too short: swipe the whole finger, a little more slowly"
    case (.centerFinger, .press): "not in the middle: put the finger on the center of the reader"
    case (.centerFinger, .swipe): "not in the middle: swipe along the center of the reader"
    case (.removeFinger, .press): "lift the finger, then touch the reader again"
    case (.removeFinger, .swipe): "lift the finger, then swipe it again"
    case (.general, .press), (nil, .press): "not read well: touch the reader again"
    case (.general, .swipe), (nil, .swipe): "not read well: swipe the finger again"
    }
  }

  /// How often to touch the reader for an enrollment; 0 if that is not known.
  package static func enrollment(_ finger: String, stages: Int, _ scan: ScanType) -> String {
    let times = stages > 0 ? "\(stages) times" : "several times"
    return switch scan {
    case .press: "Touch the reader \(times) with \(finger), and lift the finger each time."
    case .swipe: "Swipe \(finger) over the reader \(times)."
    }
  }

  /// Advice after a good scan of an enrollment.
  package static func nextStage(_ scan: ScanType, isLast: Bool) -> String {
    switch scan {
    case _ where isLast: "good"
    case .press: "good: lift the finger, then touch again"
    case .swipe: "good: swipe again"
    }
  }

  /// The message between two tries of one dialogue.
  package static func nextTry(
    after method: PresenceMethod,
    _ outcome: PresenceOutcome,
    _ message: String,
    left: [PresenceMethod],
    _ scan: ScanType = .press
  ) -> String {
    let devices = left.filter(\.isDevice)
    let next =
      if !devices.isEmpty {
        devices.request(scan, after: method) + (left.allSatisfy(\.isDevice) ? "." : passwordKey)
      } else if !method.isDevice {
        method.nextRequest(scan) + "."
      } else if outcome == .noMatch {
        "Too many tries: the system password is needed once."
      } else {
        "The system password is needed now."
      }
    let what =
      if let failure = method.failure(outcome) {
        withDetail(failure, message)
      } else if method.isDevice, outcome == .denied, !message.isEmpty {
        sentence(PlainText.line(message))
      } else {
        sentence(failure(outcome, message))
      }
    return "\(what). \(next)"
  }

  /// Why the check did not pass, as a clause.
  package static func failure(_ outcome: PresenceOutcome, _ message: String) -> String {
    let clause =
      switch outcome {
      case .cancelled: "the presence check was cancelled"
      case .passwordChosen: "the password was chosen instead of a device"
      case .notAvailable: "the presence check cannot be made"
      case .notEnrolled: "no finger is enrolled"
      case .lockedOut:
        "too many scans failed: fingers and keys are refused until you enter the system password"
      case .noMatch: "the presence check failed: no match"
      case .timedOut: "the presence check timed out"
      case .busy: "another prompt is open, or the reader is in use"
      case .denied: "the presence check was denied"
      }
    return withDetail(clause, message)
  }

  /// The advice after a check that did not pass.
  package static func hint(_ outcome: PresenceOutcome) -> String? {
    switch outcome {
    case .notEnrolled: "to enroll one: thumblatch fingers enroll"
    case .busy: "try again when that is over"
    case .timedOut: "no answer came in time: run the command again"
    default: nil
    }
  }

  /// The end of a sentence that asks for a finger, if the password passes the check as well.
  private static let passwordKey = ", or press Enter for your password."

  /// The program that asks, with the reason that it states.
  package static func requester(of request: PresenceRequest) -> String {
    let requester = PlainText.line(request.requester, limit: 120)
    guard let reason = request.statedReason else { return requester }
    return "\(requester); stated reason, not verified: \"\(PlainText.line(reason, limit: 200))\""
  }

  /// The program that asks, in a sentence.
  package static func requested(by requester: String) -> String {
    "requested by \(PlainText.line(requester, limit: 400))"
  }

  /// A clause with a detail in parentheses, without the full stop of the detail.
  package static func withDetail(_ clause: String, _ detail: String) -> String {
    let detail = detail.hasSuffix(".") ? String(detail.dropLast()) : detail
    return detail.isEmpty || detail == clause ? clause : "\(clause) (\(PlainText.line(detail)))"
  }

  private static func sentence(_ clause: String) -> String {
    clause.prefix(1).uppercased() + clause.dropFirst()
  }
}
