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
  /// A print that was enrolled here once, by its place among those that were given, is not on the
  /// reader any longer.
  case removed(Int)
}

/// What became of a print that was to be deleted on its reader.
public enum Deletion: Sendable, Equatable {
  /// The reader does not have it any longer.
  case deleted
  /// Its reader stores no prints.
  case notStored
  /// Its reader is not plugged in, or is not the one that was opened.
  case elsewhere
  /// The reader did not delete it.
  case failed(ReaderError)
}

/// The decision of a reader.
public enum Verdict: Sendable, Equatable {
  /// The finger of one of the prints; `nil` if fprintd did not say which.
  case matched(Finger?)
  /// A finger, but none of these.
  case noMatch
}

/// How a reader wants to be touched (FpScanType).
public enum ScanType: Sendable, Equatable {
  /// The finger lies on it.
  case press
  /// The finger moves over it.
  case swipe
}

/// What a reader says about itself, once it is open.
public struct ReaderFacts: Sendable, Equatable {
  /// The name that its driver gives it.
  public let name: String
  /// The driver's name.
  public let driver: String
  /// How it wants to be touched.
  public let scan: ScanType

  init(_ device: UnsafeMutablePointer<FpDevice>) {
    name = LibraryFault.plain(unsafe text(fp_device_get_name(device)))
    driver = LibraryFault.plain(unsafe text(fp_device_get_driver(device)))
    let isSwiped = unsafe fp_device_get_scan_type(device) == FP_SCAN_TYPE_SWIPE
    // libfprint's virtual readers say swipe unless they are told otherwise; each scan is one touch.
    scan = isSwiped && !driver.hasPrefix("virtual_") ? .swipe : .press
  }
}

/// Whether a reader can be used, without a look at the reader itself.
public enum ReaderLook: Sendable, Equatable {
  /// One is plugged in; whether a program uses it now.
  case plugged(name: String, driver: String, isInUse: Bool)
  /// This user may not open it, and fprintd has it; the name that fprintd gives it, if it runs.
  case throughFprintd(name: String)
  /// One is plugged in that this user may not use.
  case noPermission(name: String, driver: String)
  /// None is plugged in.
  case none
  /// This machine may have a reader that such a look does not show.
  case notLooked
}
