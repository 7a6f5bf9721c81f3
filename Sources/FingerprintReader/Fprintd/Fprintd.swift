internal import CFprint

/// The names on the bus, and what its errors mean.
enum Fprintd {
  static let service = "net.reactivated.Fprint"
  static let managerPath = "/net/reactivated/Fprint/Manager"
  static let manager = "net.reactivated.Fprint.Manager"
  static let device = "net.reactivated.Fprint.Device"
  static let properties = "org.freedesktop.DBus.Properties"

  /// One reader of fprintd's.
  struct Device {
    let path: String
    /// The fingers that the caller has enrolled on it.
    let fingers: Set<Finger>
  }

  /// What a result of a verification means; nil for one that is unknown.
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
  /// What an error of fprintd's means.
  init(fprintd fault: LibraryFault) {
    let prefix = "net.reactivated.Fprint.Error."
    let name = fault.domain.hasPrefix(prefix) ? fault.domain.dropFirst(prefix.count) : ""
    self =
      switch name {
      case "AlreadyInUse": .busy(fault)
      case "PermissionDenied": .noPermission(fault)
      case "NoEnrolledPrints": .notEnrolled
      case "NoSuchDevice": .noReader
      // fprintd could not open the reader, because a program that does without it has it.
      case "Internal" where fault.isUSBBusy: .busy(fault)
      default: .failed(fault)
      }
  }

  /// What fprintd did instead of giving a verdict.
  static func fprintd(_ words: String) -> ReaderError {
    .failed(LibraryFault(domain: "fprintd", code: 0, message: words))
  }
}

extension ReaderError {
  /// Whether fprintd's answer would be the same another time: there is none, it lets this user not look,
  /// or it has a finger that could come and go unseen.
  public var isLasting: Bool {
    switch self {
    case .noReader, .noPermission, .unsupported: true
    case .failed(let fault): fault.isNoBus
    default: false
    }
  }
}

extension LibraryFault {
  private static let inputOutput = "g-io-error-quark"

  /// Whether nobody answered in time.
  var isTimeout: Bool {
    ["NoReply", "Timeout", "TimedOut"].contains { domain == "org.freedesktop.DBus.Error." + $0 }
      || domain == Self.inputOutput && code == Int32(G_IO_ERROR_TIMED_OUT.rawValue)
  }

  /// Whether there is no bus at its address.
  fileprivate var isNoBus: Bool {
    domain == Self.inputOutput
      && [G_IO_ERROR_NOT_FOUND, G_IO_ERROR_CONNECTION_REFUSED].contains {
        code == Int32($0.rawValue)
      }
  }
}
