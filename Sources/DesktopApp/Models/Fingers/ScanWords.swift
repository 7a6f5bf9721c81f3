internal import GTK
internal import PresenceTerms

/// What a person has to do at the reader, in sentences.
enum ScanWords {
  /// Advice after a bad scan.
  static func advice(_ hint: ScanHint?, _ scan: ScanType) -> String {
    switch (hint, scan) {
    case (.tooShort, .press): tr("Too short: keep the finger on the reader a little longer.")
    case (.tooShort, .swipe): tr("Too short: swipe the whole finger, a little more slowly.")
    case (.centerFinger, .press):
      tr("Not in the middle: put the finger on the center of the reader.")
    case (.centerFinger, .swipe): tr("Not in the middle: swipe along the center of the reader.")
    case (.removeFinger, .press): tr("Lift the finger, then touch the reader again.")
    case (.removeFinger, .swipe): tr("Lift the finger, then swipe it again.")
    case (.general, .press), (nil, .press): tr("Not read well: touch the reader again.")
    case (.general, .swipe), (nil, .swipe): tr("Not read well: swipe the finger again.")
    }
  }

  /// Advice after a good scan of an enrollment.
  static func nextStage(_ scan: ScanType, isLast: Bool) -> String {
    switch scan {
    case _ where isLast: tr("Good.")
    case .press: tr("Good: lift the finger, then touch again.")
    case .swipe: tr("Good: swipe again.")
    }
  }

  /// The check that only this finger passes.
  static func touch(_ finger: String, _ scan: ScanType) -> String {
    let finger = FingerWords.words(finger)
    return switch scan {
    case .press: tr("Touch the reader with your %s.", finger)
    case .swipe: tr("Swipe your %s over the reader.", finger)
    }
  }

  /// What an enrollment of so many touches wants; 0 if the number is not known.
  static func enrollment(_ finger: String, stages: Int, _ scan: ScanType) -> String {
    let finger = FingerWords.words(finger)
    return switch (scan, stages) {
    case (.press, 1...):
      ntr(
        "Touch the reader %d time with your %s, then lift the finger.",
        "Touch the reader %d times with your %s, and lift the finger each time.",
        stages,
        finger
      )
    case (.press, _):
      tr("Touch the reader several times with your %s, and lift the finger each time.", finger)
    case (.swipe, 1...):
      ntr(
        "Swipe your %s over the reader %d time.",
        "Swipe your %s over the reader %d times.",
        stages,
        finger
      )
    case (.swipe, _): tr("Swipe your %s over the reader several times.", finger)
    }
  }

  /// Why the person must wait before the next password.
  static func wait(_ seconds: Int, wasWrong: Bool) -> String {
    wasWrong
      ? ntr(
        "Wrong password. Try again in %d second.",
        "Wrong password. Try again in %d seconds.",
        seconds
      )
      : ntr(
        "An earlier password was wrong. Try again in %d second.",
        "An earlier password was wrong. Try again in %d seconds.",
        seconds
      )
  }
}
