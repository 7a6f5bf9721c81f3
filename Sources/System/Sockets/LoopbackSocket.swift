internal import Glibc

/// TCP sockets that are unreachable from other machines (ip(7), ipv6(7)).
package enum LoopbackSocket {
  /// One of the two loopback addresses.
  package enum Family: Sendable {
    /// 127.0.0.1.
    case ipv4
    /// Only ::1, without 127.0.0.1.
    case ipv6
  }

  /// Binds a port, which refuses connections until a socket listens.
  ///
  /// - Parameters:
  ///   - family: the loopback address.
  ///   - port: the port; 0 for any free one.
  ///   - reuse: whether to ignore connections to the port that have not quite ended. Any other user
  ///     may then bind the port too, until a socket listens.
  /// - Throws: EADDRINUSE if the port is taken; EAFNOSUPPORT or EADDRNOTAVAIL if this machine lacks
  ///   the address.
  /// - Returns: a non-blocking socket, close-on-exec (socket(2), bind(2)).
  package static func bind(
    _ family: Family,
    port: UInt16 = 0,
    reuse: Bool = true
  ) throws(SystemError) -> Descriptor {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let number = socket(family == .ipv4 ? AF_INET : AF_INET6, Int32(kind), 0)
    guard number >= 0 else { throw SystemError("socket", code: errno) }
    let socket = Descriptor(owning: number)
    // socket(7), SO_REUSEADDR: "a socket may bind, except when there is an active listening socket
    // bound to the address". So connections of the previous sign-in that have not quite ended do
    // not count.
    if reuse { try set(SO_REUSEADDR, of: SOL_SOCKET, on: number) }
    if family == .ipv6 { try set(Int32(IPV6_V6ONLY), of: Int32(IPPROTO_IPV6), on: number) }
    let status = unsafe withAddress(family, port) { unsafe Glibc.bind(number, $0, $1) }
    guard status == 0 else { throw SystemError("bind", code: errno) }
    return socket
  }

  /// Accepts connections, with a queue of `backlog` (listen(2)).
  package static func listen(
    at socket: borrowing Descriptor,
    backlog: Int32 = 64
  ) throws(SystemError) {
    guard Glibc.listen(socket.number, backlog) == 0 else {
      throw SystemError("listen", code: errno)
    }
  }

  /// Takes a waiting connection, close-on-exec and non-blocking (accept4(2)); `nil` if none waits.
  package static func accept(on listener: borrowing Descriptor) throws(SystemError) -> Descriptor? {
    try UnixSocket.accept(on: listener)
  }

  /// The port of a socket (getsockname(2)).
  package static func port(of socket: borrowing Descriptor) throws(SystemError) -> UInt16 {
    // The port has the same offset in the addresses of both families.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe getsockname(socket.number, rebound, &length)
      }
    }
    guard status == 0 else { throw SystemError("getsockname", code: errno) }
    return UInt16(bigEndian: address.sin6_port)
  }

  /// Connects to a port of this machine (connect(2)).
  package static func connect(_ family: Family, port: UInt16) throws(SystemError) -> Descriptor {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
    let number = socket(family == .ipv4 ? AF_INET : AF_INET6, Int32(kind), 0)
    guard number >= 0 else { throw SystemError("socket", code: errno) }
    let socket = Descriptor(owning: number)
    let status = unsafe withAddress(family, port) { unsafe Glibc.connect(number, $0, $1) }
    guard status == 0 else { throw SystemError("connect", code: errno) }
    return socket
  }

  private static func set(_ option: Int32, of level: Int32, on number: Int32) throws(SystemError) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe setsockopt(number, level, option, &on, size) == 0 else {
      throw SystemError("setsockopt", code: errno)
    }
  }

  private static func withAddress(
    _ family: Family,
    _ port: UInt16,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return unsafe lend(&address, body)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0[15] = 1 }
      return unsafe lend(&address, body)
    }
  }

  private static func lend<Address>(
    _ address: inout Address,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe body(rebound, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
