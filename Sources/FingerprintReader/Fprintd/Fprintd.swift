internal import CFprint

/// fprintd's names on the bus and the meaning of its results and errors.
enum Fprintd {
  static let service = "net.reactivated.Fprint"
  static let managerPath = "/net/reactivated/Fprint/Manager"
  static let manager = "net.reactivated.Fprint.Manager"
  static let device = "net.reactivated.Fprint.Device"
  static let properties = "org.freedesktop.DBus.Properties"

  /// A reader of fprintd.
  struct Device {
    let path: String
    /// The fingers that the caller has enrolled on the reader.
    let fingers: Set<Finger>
  }

  /// The meaning of a verification result; `nil` for an unknown result.
  enum Status: Equatable {
    case matched
    case noMatch
    case retry(RetryHint)
    case disconnected
    case failed

    init?(_ name: String) {
      switch name {
      case "verify-match": self = .matched
      case "verify-no-match": self = .noMatch
      case "verify-retry-scan": self = .retry(.general)
      case "verify-swipe-too-short", "verify-too-fast": self = .retry(.tooShort)
      case "verify-finger-not-centered": self = .retry(.centerFinger)
      case "verify-remove-and-retry": self = .retry(.removeFinger)
      case "verify-disconnected": self = .disconnected
      case "verify-unknown-error": self = .failed
      default: return nil
      }
    }
  }
}

extension ReaderError {
  /// Translates an error of fprintd.
  init(fprintd fault: LibraryFault) {
    let prefix = "net.reactivated.Fprint.Error."
    let name = fault.domain.hasPrefix(prefix) ? fault.domain.dropFirst(prefix.count) : ""
    self =
      switch name {
      case "AlreadyInUse": .busy(fault)
      case "PermissionDenied": .noPermission(fault)
      case "NoEnrolledPrints": .notEnrolled
      case "NoSuchDevice": .noReader
      // fprintd could not open the reader, because another program opened it without fprintd.
      case "Internal" where fault.isUSBBusy: .busy(fault)
      default: .failed(fault)
      }
  }

  /// An error for an answer of fprintd that is not a verdict.
  static func fprintd(_ words: String) -> ReaderError {
    .failed(LibraryFault(domain: "fprintd", code: 0, message: words))
  }
}

extension ReaderError {
  /// Whether fprintd's answer would be the same at the next try.
  ///
  /// It would be if there is no fprintd, if it refuses this user, or if it has a finger that has no
  /// name here.
  package var isLasting: Bool {
    switch self {
    case .noReader, .noPermission, .unsupported: true
    case .failed(let fault): fault.isNoBus
    default: false
    }
  }
}

extension LibraryFault {
  private static let inputOutput = "g-io-error-quark"

  /// Whether no answer came in time.
  var isTimeout: Bool {
    ["NoReply", "Timeout", "TimedOut"].contains { domain == "org.freedesktop.DBus.Error." + $0 }
      || domain == Self.inputOutput && code == Int32(G_IO_ERROR_TIMED_OUT.rawValue)
  }

  /// Whether there is no bus at the address.
  fileprivate var isNoBus: Bool {
    domain == Self.inputOutput
      && [G_IO_ERROR_NOT_FOUND, G_IO_ERROR_CONNECTION_REFUSED].contains {
        code == Int32($0.rawValue)
      }
  }
}
