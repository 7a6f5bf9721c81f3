internal import CTSS
internal import MachineKey

// Converts both parts of a sealed secret between the library's structures and the bytes of a slot.
// The public part is marshalled here, because it has only one form: a part that differs in more
// than `unique` was not made by `seal`. It is refused before the TPM sees it.

extension TPM2B_PRIVATE {
  /// Reads a marshalled private part.
  init(marshalled bytes: [UInt8]) throws(TPMFailure) {
    self.init()
    guard bytes.count > 2, Int(bytes[0]) << 8 | Int(bytes[1]) == bytes.count - 2,
      bytes.count - 2 <= MemoryLayout.size(ofValue: buffer)
    else { throw .damaged }
    size = UInt16(bytes.count - 2)
    unsafe withUnsafeMutableBytes(of: &buffer) { unsafe $0.copyBytes(from: bytes.dropFirst(2)) }
  }

  var marshalled: [UInt8] {
    var copy = buffer
    return unsafe withUnsafeBytes(of: &copy) { bytes in
      unsafe [UInt8(size >> 8), UInt8(size & 0xff)] + bytes.prefix(Int(size))
    }
  }
}

extension TPM2B_PUBLIC {
  /// The bytes of a digest, SHA-256.
  private static let digest = 32

  /// The marshalled public area of a sealed secret with this `unique`; all else is the same for
  /// each secret.
  private static func marshalled(unique: some Sequence<UInt8>) -> [UInt8] {
    var template = TPM2B_PUBLIC()
    unsafe ctss_sealed(&template)
    let area = template.publicArea
    var policy = area.authPolicy.buffer
    var bytes = words(area.type, area.nameAlg)
    bytes += words(UInt16(area.objectAttributes >> 16), UInt16(area.objectAttributes & 0xffff))
    bytes += words(area.authPolicy.size)
    unsafe withUnsafeBytes(of: &policy) { unsafe bytes += $0.prefix(digest) }
    unsafe bytes += words(area.parameters.keyedHashDetail.scheme.scheme, UInt16(digest))
    bytes += unique
    return words(UInt16(bytes.count)) + bytes
  }

  private static func words(_ words: UInt16...) -> [UInt8] {
    words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
  }

  /// Reads the marshalled public part of a sealed secret.
  init(marshalledSealed bytes: [UInt8]) throws(TPMFailure) {
    let unique = bytes.suffix(Self.digest)
    guard bytes == Self.marshalled(unique: unique) else { throw .damaged }
    self.init()
    unsafe ctss_sealed(&self)
    unsafe publicArea.unique.keyedHash.size = UInt16(Self.digest)
    unsafe withUnsafeMutableBytes(of: &publicArea.unique.keyedHash.buffer) {
      unsafe $0.copyBytes(from: unique)
    }
  }

  /// The marshalled public part of a sealed secret; `nil` if it does not have the template's form.
  var marshalledSealed: [UInt8]? {
    guard unsafe publicArea.unique.keyedHash.size == Self.digest else { return nil }
    var unique = unsafe publicArea.unique.keyedHash.buffer
    let bytes = unsafe withUnsafeBytes(of: &unique) { unsafe Array($0.prefix(Self.digest)) }
    return Self.marshalled(unique: bytes)
  }
}
