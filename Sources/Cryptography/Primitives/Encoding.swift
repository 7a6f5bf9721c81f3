/// Bytes after their count (four bytes, little endian), so that no two lists of parts have the same
/// bytes.
package func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
  littleEndian(UInt32(truncatingIfNeeded: bytes.count)) + bytes
}

/// A text's UTF-8 after its count.
func lengthPrefixed(_ text: String) -> [UInt8] {
  lengthPrefixed([UInt8](text.utf8))
}

/// An integer's bytes, least significant first.
package func littleEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

/// The integer of such bytes.
package func integer<Integer: FixedWidthInteger, Bytes: BidirectionalCollection<UInt8>>(
  littleEndian bytes: Bytes
) -> Integer {
  bytes.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
}
