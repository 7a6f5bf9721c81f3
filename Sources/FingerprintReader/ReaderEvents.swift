internal import CFprint

/// What to do differently with the finger (FpDeviceRetry).
public enum RetryHint: Sendable, Equatable {
  /// Just once more.
  case general
  /// Leave it on the reader longer.
  case tooShort
  /// Put it on the middle of the reader.
  case centerFinger
  /// Lift it and touch again.
  case removeFinger

  init(code: Int32) {
    self =
      switch FpDeviceRetry(UInt32(bitPattern: code)) {
      case FP_DEVICE_RETRY_TOO_SHORT: .tooShort
      case FP_DEVICE_RETRY_CENTER_FINGER: .centerFinger
      case FP_DEVICE_RETRY_REMOVE_FINGER: .removeFinger
      default: .general
      }
  }
}

/// What happens while a finger is checked.
public enum CheckEvent: Sendable, Equatable {
  /// The reader is armed: what it sees from here on counts.
  ///
  /// A reader that cannot tell several prints apart is given one print; `only` is its finger.
  case ready(only: Finger?)
  /// The reader waits for a touch.
  case waiting
  /// The reader could not see the finger well; it goes on.
  case retry(RetryHint)
}

/// What happens while a finger is enrolled.
public enum EnrollEvent: Sendable, Equatable {
  /// The reader is armed, and wants so many touches.
  case ready(stages: Int)
  /// The reader waits for a touch.
  case waiting
  /// So many touches are done.
  case stage(Int, of: Int)
  /// The last touch does not count; it goes on.
  case retry(RetryHint)
}

/// The decision of a reader.
public enum Verdict: Sendable, Equatable {
  /// The finger of one of the prints; nil where fprintd did not say which.
  case matched(Finger?)
  /// A finger, but none of these.
  case noMatch
}

/// What a reader says about itself.
public struct ReaderFacts: Sendable, Equatable {
  /// The name that its driver gives it.
  public let name: String
  /// The driver's name.
  public let driver: String
  /// Which reader of that driver it is.
  public let device: String
  /// How many touches an enrolment takes.
  public let stages: Int
  /// Whether it can tell several prints apart in one touch.
  public let identifies: Bool
}
