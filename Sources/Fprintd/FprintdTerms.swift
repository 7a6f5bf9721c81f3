internal import FingerprintReader
internal import Glibc
internal import PresenceTerms
internal import System
internal import SystemBus

// fprintd's names for fingers, scans and errors.

extension Finger {
  /// The finger with fprintd's name, such as `right-index-finger`; `nil` for any other text.
  init?(desktopName name: String) {
    guard let finger = Self.allCases.first(where: { $0.desktopName == name }) else { return nil }
    self = finger
  }

  /// fprintd's name: only those of thumbs have no suffix.
  var desktopName: String {
    self == .leftThumb || self == .rightThumb ? name : name + "-finger"
  }
}

extension ScanHint {
  /// The meaning of a status that is not a decision; `nil` for any other status.
  init?(fprintd status: String) {
    switch status {
    case "verify-retry-scan": self = .general
    case "verify-swipe-too-short", "verify-too-fast": self = .tooShort
    case "verify-finger-not-centered": self = .centerFinger
    case "verify-remove-and-retry": self = .removeFinger
    default: return nil
    }
  }
}

extension ReaderError {
  /// An answer of fprintd that is not a decision.
  static func fprintd(_ words: String) -> ReaderError {
    .failed(LibraryFault(domain: "fprintd", code: 0, message: words))
  }

  init(_ error: BusError) {
    self =
      switch error {
      // Without a bus, or the library for it, there is no fprintd to ask.
      case .noLibrary, .noBus: .noReader
      case .refused(let refusal): Self(refusal)
      case .failed(let error):
        switch error.code {
        case EINTR: .cancelled
        case ETIMEDOUT: .fprintd("it does not answer")
        // The owner of fprintd's name is not root.
        case EPERM: .noReader
        default: .fprintd("\(error)")
        }
      case .gone: .fprintd("it went away")
      case .notUnderstood, .tooLong: .fprintd("it is not understood")
      }
  }

  private init(_ refusal: BusRefusal) {
    let (name, message) = (refusal.name, LibraryFault.plain(refusal.message))
    let fault = LibraryFault(domain: LibraryFault.plain(name), code: refusal.code, message: message)
    let prefix = "net.reactivated.Fprint.Error."
    self =
      switch name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : "" {
      case "AlreadyInUse": .busy(fault)
      case "PermissionDenied": .noPermission(fault)
      case "NoEnrolledPrints": .notEnrolled
      case "NoSuchDevice": .noReader
      // fprintd could not open the reader, because another program opened it without fprintd.
      case "Internal" where fault.isUSBBusy: .busy(fault)
      default: .failed(fault)
      }
  }
}
