/// What to do differently after a bad scan (FpDeviceRetry).
public enum ScanHint: String, Sendable, CaseIterable {
  /// Leave the finger on the reader longer.
  case tooShort = "too_short"
  /// Put the finger on the middle of the reader.
  case centerFinger = "center_finger"
  /// Lift the finger and touch again.
  case removeFinger = "remove_finger"
  /// Touch once more. A client takes an unknown word for this one.
  case general
}
