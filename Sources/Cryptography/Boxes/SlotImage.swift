/// The content of an account's slot: nothing, or one sealed outcome of an exchange.
///
/// Format: `TLSLOT01`, the box's length (4 bytes, little endian), the box, zeros to the end of the
/// file.
package enum SlotImage {
  /// Bytes of a slot.
  package static let size = 65536

  private static let magic = [UInt8]("TLSLOT01".utf8)
  private static let headerCount = magic.count + 4

  /// The first part of a slot with this outcome, to be written at offset 0.
  ///
  /// - Throws: `wrongLength` for a body over `ExchangeOutcome.maximumBodyCount`.
  package static func seal(
    _ outcome: ExchangeOutcome,
    using key: borrowing SealingKey,
    context: BoxContext
  ) throws(CryptographyError) -> [UInt8] {
    let box = try SealedBox.seal(outcome.encoded(), using: key, context: context)
    guard headerCount + box.bytes.count <= size else { throw .wrongLength }
    return magic + littleEndian(UInt32(box.bytes.count)) + box.bytes
  }

  /// Whether the slot is empty: every byte is zero.
  package static func isEmpty(_ file: [UInt8]) -> Bool {
    // Compare words, because each refresh checks 64 KiB.
    unsafe file.withUnsafeBytes { bytes in
      let words = bytes.count / 8
      for word in 0..<words
      where unsafe bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) != 0 {
        return false
      }
      return unsafe bytes[(words * 8)...].allSatisfy { $0 == 0 }
    }
  }

  /// Opens the outcome in the slot.
  ///
  /// Bytes after the box are ignored. So a slot that was not wiped earlier cannot cost the answer
  /// that was made durable in it.
  ///
  /// - Throws: the refusals of `SealedBox`; a torn slot is `wrongLength`, `malformed` or `damaged`.
  package static func open(
    _ file: [UInt8],
    using key: borrowing SealingKey,
    context: BoxContext
  ) throws(CryptographyError) -> ExchangeOutcome {
    guard file.count >= headerCount, file.count <= size else { throw .wrongLength }
    guard file.starts(with: magic) else { throw .malformed }
    let length: UInt32 = integer(littleEndian: file[magic.count..<headerCount])
    guard Int(length) <= file.count - headerCount else { throw .wrongLength }
    let box = try SealedBox(parsing: [UInt8](file[headerCount..<headerCount + Int(length)]))
    return try ExchangeOutcome(decoding: box.open(using: key, context: context))
  }
}
