internal import CFprint
package import PresenceTerms

extension ScanHint {
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

/// An event during a finger check.
package enum CheckEvent: Sendable, Equatable {
  /// The reader is armed: its scans count from here on.
  ///
  /// A reader that cannot compare with several prints gets one print; `only` is its finger.
  case ready(only: Finger?)
  /// The reader waits for a touch.
  case waiting
  /// The reader could not see the finger well; the check continues.
  case retry(ScanHint)
}

/// An event during an enrollment.
package enum EnrollEvent: Sendable, Equatable {
  /// The reader is armed and needs this many touches.
  case ready(stages: Int)
  /// The reader waits for a touch.
  case waiting
  /// This many touches are done.
  case stage(Int, of: Int)
  /// The last touch does not count; the enrollment continues.
  case retry(ScanHint)
  /// A former print, given by its index, is no longer on the reader.
  case removed(Int)
}

/// The result of deleting a print on its reader.
package enum Deletion: Sendable, Equatable {
  /// The reader no longer has the print.
  case deleted
  /// The reader does not store prints.
  case notStored
  /// The print's reader is not plugged in, or is not the one that was opened.
  case elsewhere
  /// The reader did not delete the print.
  case failed(ReaderError)
}

/// The decision of a reader.
package enum Verdict: Sendable, Equatable {
  /// A finger of one of the prints; `nil` if fprintd did not say which.
  case matched(Finger?)
  /// A finger that matches none of the prints.
  case noMatch
}

/// The facts about an open reader.
package struct ReaderFacts: Sendable, Equatable {
  /// The name that the driver gives it.
  package let name: String
  package let driver: String
  package let scan: ScanType

  init(_ device: UnsafeMutablePointer<FpDevice>) {
    name = LibraryFault.plain(unsafe text(fp_device_get_name(device)))
    driver = LibraryFault.plain(unsafe text(fp_device_get_driver(device)))
    let isSwiped = unsafe fp_device_get_scan_type(device) == FP_SCAN_TYPE_SWIPE
    // libfprint's virtual readers report swipe by default, although each scan is one touch.
    scan = isSwiped && !driver.hasPrefix("virtual_") ? .swipe : .press
  }
}

/// Whether a reader can be used, found out without opening it.
package enum ReaderLook: Sendable, Equatable {
  /// A reader is plugged in; `isInUse` says whether a program uses it now.
  case plugged(name: String, driver: String, isInUse: Bool)
  /// This user may not open the reader, but fprintd can; fprintd's name for it, if fprintd is
  /// running.
  case throughFprintd(name: String)
  /// A reader is plugged in that this user may not use.
  case noPermission(name: String, driver: String)
  /// No reader is plugged in.
  case none
  /// This machine may have a reader that the system does not show.
  case notLooked
}
