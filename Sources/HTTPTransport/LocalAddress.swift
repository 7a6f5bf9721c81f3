internal import System

/// The addresses of this machine and its link, and the addresses that belong to no single machine.
///
/// A service that connects there for its callers would lend them its own location. Other services
/// on loopback trust every caller from the machine itself. Cloud machines get credentials from an
/// address of the link (169.254.169.254). Two clouds use another address for that.
package enum LocalAddress {
  /// Whether an address of 4 or 16 bytes in network order is one of them; true for any other
  /// length.
  package static func contains(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(bytes)
    return switch bytes.count {
    case 4: isLocal(bytes)
    case 16: isLocalOfSix(bytes)
    default: true
    }
  }

  /// Whether an address belongs to one of these interfaces, directly or embedded in an IPv6
  /// address.
  package static func contains(_ bytes: ArraySlice<UInt8>, of interfaces: Set<[UInt8]>) -> Bool {
    let bytes = Array(bytes)
    if interfaces.contains(bytes) { return true }
    guard bytes.count == 16, let inner = inner(of: bytes) else { return false }
    return interfaces.contains(inner)
  }

  /// The blocks of the IANA registry of special addresses (RFC 6890) that no provider can use.
  private static func isLocal(_ bytes: [UInt8]) -> Bool {
    // The metadata address of Alibaba's machines.
    if bytes == [100, 100, 100, 200] { return true }
    return switch (bytes[0], bytes[1]) {
    // 0.0.0.0/8 (connect(2) treats 0.0.0.0 as this host), loopback, link-local.
    case (0, _), (127, _), (169, 254): true
    // Multicast, reserved, broadcast.
    case (224..., _): true
    default: false
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 12)

  private static func isLocalOfSix(_ bytes: [UInt8]) -> Bool {
    // fe80::/10, and the former site-local fec0::/10.
    if bytes[0] == 0xFE && bytes[1] >= 0x80 { return true }
    if bytes[0] == 0xFF { return true }
    // fd00:ec2::254, the metadata address of Amazon's machines.
    if bytes == [0xFD, 0, 0x0E, 0xC2] + [UInt8](repeating: 0, count: 10) + [2, 0x54] {
      return true
    }
    // ::/96 holds ::, ::1 and the deprecated compatible addresses, and nothing else.
    if bytes.starts(with: zeros) { return true }
    // All of 64:ff9b:1::/48 (RFC 8215), where each network chooses the position of the IPv4
    // address, and all of Teredo (RFC 4380), which hides it.
    if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 1]) { return true }
    if bytes.starts(with: [0x20, 0x01, 0, 0]) { return true }
    return inner(of: bytes).map(isLocal) ?? false
  }

  /// The IPv4 address that an IPv6 address embeds; `nil` if there is none.
  ///
  /// It may be mapped (RFC 4291, section 2.5.5; the kernel connects it by IPv4), translated (RFC
  /// 6052, RFC 2765) or tunnelled (RFC 3056).
  private static func inner(of bytes: [UInt8]) -> [UInt8]? {
    let start = Array(bytes[..<12])
    if start == zeros[..<10] + [0xFF, 0xFF] { return Array(bytes[12...]) }
    if start == zeros[..<8] + [0xFF, 0xFF, 0, 0] { return Array(bytes[12...]) }
    if start == [0, 0x64, 0xFF, 0x9B] + zeros[..<8] { return Array(bytes[12...]) }
    if bytes[0] == 0x20 && bytes[1] == 0x02 { return Array(bytes[2..<6]) }
    return nil
  }
}
