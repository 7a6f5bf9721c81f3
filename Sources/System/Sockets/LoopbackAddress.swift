internal import Glibc

/// An IP address and a TCP port, such as one end of a connection.
package struct LoopbackAddress: Sendable, Hashable {
  /// Four words in memory order; an IPv4 address is mapped into IPv6.
  private let words: [UInt32]
  let port: UInt16

  private static let mapped: [UInt32] = [0, 0, UInt32(0xFFFF).bigEndian]

  /// Takes an address of 4 or 16 bytes in network order; `nil` for any other length.
  package init?(_ bytes: ArraySlice<UInt8>, port: UInt16) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let words = unsafe Array(bytes).withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        unsafe bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
      }
    }
    self.words = words.count == 1 ? Self.mapped + words : words
    self.port = port
  }

  /// Takes an address in text, as inet_ntop(3) writes it; `nil` for any other text.
  package init?(_ text: String, port: UInt16) {
    let family = text.contains(":") ? AF_INET6 : AF_INET
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(family, text, &bytes) == 1 else { return nil }
    self.init(bytes.prefix(family == AF_INET ? 4 : 16), port: port)
  }

  /// Takes one end of a socket, from getsockname(2) or getpeername(2).
  init(
    ofSocket number: Int32,
    _ call: String,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemError) {
    // The port has the same offset in the addresses of both families.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe ask(number, rebound, &length)
      }
    }
    guard status == 0 else { throw SystemError(call, code: errno) }
    port = UInt16(bigEndian: address.sin6_port)
    switch Int32(address.sin6_family) {
    case AF_INET: words = Self.mapped + [address.sin6_flowinfo]
    case AF_INET6:
      words = unsafe withUnsafeBytes(of: &address.sin6_addr) { bytes in
        (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
      }
    default: throw SystemError(call, code: EAFNOSUPPORT)
    }
  }

  private init(words: [UInt32], port: UInt16) {
    self.words = words
    self.port = port
  }

  /// Takes an address in memory order: one word of IPv4, or four of IPv6.
  init(inMemory words: [UInt32], port: UInt16) {
    self.init(words: words.count == 1 ? Self.mapped + words : words, port: port)
  }

  /// Whether it is an IPv4 address, mapped into IPv6 or not.
  var isIPv4: Bool { Array(words.prefix(3)) == Self.mapped }

  /// Whether it is in 127.0.0.0/8, or ::1.
  package var isLoopback: Bool {
    isIPv4 ? UInt32(bigEndian: words[3]) >> 24 == 127 : words == [0, 0, 0, UInt32(1).bigEndian]
  }

  /// Whether both are the same address, at any ports.
  package func hasSameHost(as other: LoopbackAddress) -> Bool { words == other.words }

  /// The wildcard address of the same family, at the same port.
  var wildcard: LoopbackAddress {
    LoopbackAddress(words: isIPv4 ? Self.mapped + [0] : [0, 0, 0, 0], port: port)
  }

  /// The IPv6 wildcard address at the same port; its socket takes IPv4 too unless it is
  /// IPV6_V6ONLY.
  var dualWildcard: LoopbackAddress { LoopbackAddress(words: [0, 0, 0, 0], port: port) }

  /// The text in the IPv6 table (proc_net_tcp(5)).
  var text: [UInt8] { Self.text(words[...], port) }

  /// The text in the IPv4 table; `nil` for an IPv6 address.
  var shortText: [UInt8]? { isIPv4 ? Self.text(words[3...], port) : nil }

  private static func text(_ words: ArraySlice<UInt32>, _ port: UInt16) -> [UInt8] {
    let address = words.map { hex($0, digits: 8) }.joined()
    return Array("\(address):\(hex(UInt32(port), digits: 4))".utf8)
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}
