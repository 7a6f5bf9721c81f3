internal import SecretMemory

/// The bytes of one run, taken from the front.
///
/// Choices come first and are one byte each. So the rest of a corpus file is the plain text or file
/// that the fuzzer reads.
struct Input {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  /// The next byte, or 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// One of the values.
  mutating func choice<Value>(_ values: [Value]) -> Value {
    values[Int(byte()) % values.count]
  }

  /// The next bytes, at most `count` of them.
  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// The bytes up to a line feed, which is consumed as well.
  mutating func line() -> [UInt8] {
    defer { _ = byte() }
    return bytes(rest.prefix { $0 != UInt8(ascii: "\n") }.count)
  }

  /// All remaining bytes.
  mutating func bytes() -> [UInt8] { bytes(rest.count) }

  /// All remaining bytes, in locked memory.
  mutating func secret() throws -> SharedSecret { try SharedSecret(SecretBytes(copying: bytes())) }

  /// An integer, least significant byte first.
  mutating func integer() -> Int64 {
    Int64(bitPattern: bytes(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}

/// Numbers that depend only on the bytes, so that an input does the same in every run (FNV-1a, and
/// xorshift64*).
struct Dice: RandomNumberGenerator {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ bytes: [UInt8]) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    if state == 0 { state = 1 }
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
