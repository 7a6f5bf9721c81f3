// The wall of this room: no other one uses libqrencode.

internal import CQRencode
internal import Glibc

/// A text as a QR code (ISO/IEC 18004) for the camera of a phone.
package struct QRCode: Sendable, Equatable {
  /// The most bytes of a text: a larger code does not fit on a terminal.
  package static let maximumText = 512
  /// The width of the light border that readers need to find the code (ISO/IEC 18004, 9.1).
  package static let quietZone = 4

  /// The modules on each side, without the quiet zone.
  package let width: Int
  private let modules: [Bool]

  /// Encodes a text as bytes with the weakest error correction, because a screen has no scratches
  /// (QRcode_encodeData(3)).
  package init(_ text: String) throws(QRCodeError) {
    let bytes = [UInt8](text.utf8)
    guard (1...Self.maximumText).contains(bytes.count) else { throw .length(bytes.count) }
    let made = unsafe bytes.withUnsafeBufferPointer { buffer in
      // Version 0: "the library chooses the minimum version for the given input data".
      unsafe QRcode_encodeData(Int32(buffer.count), buffer.baseAddress, 0, QR_ECLEVEL_L)
    }
    guard let code = unsafe made else { throw .notEncoded(errno) }
    defer { unsafe QRcode_free(code) }
    let width = unsafe Int(code.pointee.width)
    self.width = width
    // qrencode.h: bit 0 of each byte is "1=black/0=white".
    modules = (0..<width * width).map { unsafe code.pointee.data[$0] & 1 == 1 }
  }

  /// Whether a module is dark; modules outside the code are light.
  package func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  /// Lines of block characters with two rows of modules each, including the quiet zone.
  ///
  /// Dark modules are drawn; light ones show the background.
  package var lines: [String] {
    let range = -Self.quietZone..<width + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      var line = ""
      for column in range {
        let upper = isDark(row: row, column: column)
        let lower = isDark(row: row + 1, column: column)
        line += upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
      }
      return line
    }
  }
}

/// Why a text has no QR code.
package enum QRCodeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text has no bytes, or too many.
  case length(Int)
  /// The library failed, with this errno.
  case notEncoded(Int32)

  /// The problem, without the text.
  package var description: String {
    switch self {
    case .length(let count): "\(count) bytes do not become a QR code"
    case .notEncoded(let code): "no QR code could be made (errno \(code))"
    }
  }
}
