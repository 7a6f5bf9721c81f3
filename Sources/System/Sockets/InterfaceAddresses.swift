internal import Glibc

/// The addresses of this machine's network interfaces (getifaddrs(3)).
package enum InterfaceAddresses {
  /// All addresses, each 4 or 16 bytes in network order.
  package static func all() throws(SystemError) -> Set<[UInt8]> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { throw SystemError("getifaddrs", code: errno) }
    // getifaddrs(3): "The data returned by getifaddrs() is dynamically allocated and should be
    // freed using freeifaddrs()".
    defer { unsafe freeifaddrs(first) }
    var found: Set<[UInt8]> = []
    var next = unsafe first
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ifa_addr, let bytes = unsafe bytes(of: address) {
        found.insert(bytes)
      }
      unsafe next = entry.pointee.ifa_next
    }
    return found
  }

  private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
    let raw = UnsafeRawPointer(address)
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      let found = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      return unsafe withUnsafeBytes(of: found.sin_addr) { unsafe Array($0) }
    case AF_INET6:
      let found = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      return unsafe withUnsafeBytes(of: found.sin6_addr) { unsafe Array($0) }
    default: return nil
    }
  }
}
