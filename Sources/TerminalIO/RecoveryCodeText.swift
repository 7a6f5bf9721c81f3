package import SecretMemory

/// The recovery code of a machine key, as a person writes it down and types it.
package enum RecoveryCodeText {
  /// Whether a typed code is the one that was shown, apart from case, spaces and dashes,
  /// and from letters that look like digits (Crockford's base32).
  package static func isSame(_ typed: SharedSecret, _ shown: SharedSecret) -> Bool {
    typed.bytes.withBytes { typed in
      shown.bytes.withBytes { shown in
        var next = 0
        for index in typed.indices where typed[index].isOfCode {
          while next < shown.count, !shown[next].isOfCode { next += 1 }
          guard next < shown.count, typed[index].symbol == shown[next] else { return false }
          next += 1
        }
        while next < shown.count, !shown[next].isOfCode { next += 1 }
        return next == shown.count
      }
    }
  }
}

extension UInt8 {
  /// Whether it is neither a space nor a dash.
  fileprivate var isOfCode: Bool { self != UInt8(ascii: " ") && self != UInt8(ascii: "-") }

  /// The symbol that a typed character means.
  fileprivate var symbol: UInt8 {
    let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
    return switch upper {
    case UInt8(ascii: "O"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
    default: upper
    }
  }
}
