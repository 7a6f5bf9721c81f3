internal import Glibc

/// The path of an engine's socket, written into its address without a string.
struct SocketPath {
  private var address = sockaddr_un()
  private var count = 0

  init() {
    address.sun_family = sa_family_t(AF_UNIX)
  }

  /// Appends a text; all texts of the program together fit.
  mutating func add(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { unsafe add(byte: text.utf8Start[index]) }
  }

  /// Appends a number in decimal digits.
  mutating func add(_ number: UInt64) {
    Decimal.write(number) { digit in add(byte: digit) }
  }

  private mutating func add(byte: UInt8) {
    let offset = MemoryLayout<sa_family_t>.size + count
    unsafe withUnsafeMutableBytes(of: &address) { bytes in unsafe bytes[offset] = byte }
    count += 1
  }

  /// Connects a socket; false if no server listens there.
  func connect(_ socket: Int32) -> Bool {
    unsafe withUnsafeBytes(of: address) { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe Glibc.connect(
        socket,
        base.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      ) == 0
    }
  }
}

/// Decimal numbers without strings.
enum Decimal {
  /// Writes the digits of a number, the highest one first.
  static func write(_ number: UInt64, _ add: (UInt8) -> Void) {
    if number >= 10 { write(number / 10, add) }
    add(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
