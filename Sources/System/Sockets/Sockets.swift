internal import CLinux
internal import Glibc

/// The process at the other end of a Unix socket, as the kernel recorded it at connect(2).
public struct PeerCredentials: Sendable, Equatable {
  /// The process that connected; it may have ended, and its number may belong to another one now.
  public let process: Int32
  /// The effective user id at the time of the connection.
  public let user: UInt32
  /// The effective group id at the time of the connection.
  public let group: UInt32

  /// Makes credentials, for a test without the kernel's.
  public init(process: Int32, user: UInt32, group: UInt32) {
    self.process = process
    self.user = user
    self.group = group
  }
}

/// Unix stream sockets, reached through a directory's descriptor.
///
/// So the length of a path and a swapped directory in it do not matter.
package enum UnixSocket {
  /// Binds and listens on `name` in `directory`, with the socket's mode 0600 (bind(2), listen(2)).
  package static func listen(
    in directory: borrowing Directory,
    name: String,
    backlog: Int32 = 128
  ) throws(SystemError) -> Descriptor {
    let socket = Descriptor(owning: Int32(try check(Int(clinux_unix_socket()), "socket")))
    // umask(2) is process-wide; fchmod(2) on the socket before bind(2) sets the mode of the name.
    guard fchmod(socket.number, 0o600) == 0 else { throw SystemError("fchmod", code: errno) }
    let address = try address(of: name, in: directory)
    let status = unsafe withAddress(address) { pointer, length in
      unsafe bind(socket.number, pointer, length)
    }
    guard status == 0 else { throw SystemError("bind", code: errno, subject: name) }
    guard Glibc.listen(socket.number, backlog) == 0 else {
      throw SystemError("listen", code: errno)
    }
    try socket.setNonblocking(true)
    return socket
  }

  /// Connects to `name` in `directory` (connect(2)).
  ///
  /// - Throws: EAGAIN if a server with a full queue accepts no connection for `seconds`. With 0
  ///   seconds the call does not wait, and the descriptor is non-blocking.
  package static func connect(
    in directory: borrowing Directory,
    name: String,
    seconds: Int = 10
  ) throws(SystemError) -> Descriptor {
    let socket = Descriptor(owning: Int32(try check(Int(clinux_unix_socket()), "socket")))
    if seconds == 0 {
      try socket.setNonblocking(true)
    } else {
      try socket.limitSending(seconds: seconds)
    }
    let address = try address(of: name, in: directory)
    while true {
      let status = unsafe withAddress(address) { pointer, length in
        unsafe Glibc.connect(socket.number, pointer, length)
      }
      if status == 0 {
        if seconds > 0 { try socket.limitSending(seconds: 0) }
        return socket
      }
      // unix(7) connects at once or waits for room in the backlog, so EINTR left nothing half done.
      guard errno == EINTR else { throw SystemError("connect", code: errno, subject: name) }
    }
  }

  /// A connected pair (socketpair(2)).
  package static func pair() throws(SystemError) -> (Int32, Int32) {
    var numbers: [Int32] = [-1, -1]
    let status = unsafe numbers.withUnsafeMutableBufferPointer { buffer in
      unsafe clinux_socketpair(buffer.baseAddress)
    }
    try check(Int(status), "socketpair")
    return (numbers[0], numbers[1])
  }

  /// Takes a waiting connection, close-on-exec and non-blocking (accept4(2)); `nil` if none waits.
  package static func accept(on listener: borrowing Descriptor) throws(SystemError) -> Descriptor? {
    let number = clinux_accept(listener.number)
    switch -number {
    case EAGAIN, ECONNABORTED, EINTR: return nil
    default: return Descriptor(owning: Int32(try check(Int(number), "accept4")))
    }
  }

  private static func address(
    of name: String,
    in directory: borrowing Directory
  ) throws(SystemError) -> [CChar] {
    let path = "/proc/self/fd/\(directory.descriptor.number)/\(name)"
    let bytes = path.utf8CString
    guard bytes.count <= 108 else { throw SystemError("bind", code: ENAMETOOLONG, subject: name) }
    return Array(bytes)
  }

  /// Lends the address of a path, NUL at its end, of at most 108 bytes.
  static func withAddress(
    _ path: [CChar],
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { space in
      for (index, character) in path.enumerated() where index < space.count {
        unsafe space[index] = UInt8(bitPattern: character)
      }
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe body(rebound, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

extension Descriptor {
  /// The credentials of the process that connected (unix(7), SO_PEERCRED).
  package func peerCredentials() throws(SystemError) -> PeerCredentials {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
    let status = unsafe clinux_peer_credentials(number, &process, &user, &group)
    try check(Int(status), "getsockopt SO_PEERCRED")
    return PeerCredentials(process: process, user: user, group: group)
  }

  /// The path that a Unix socket, or the listener that accepted it, is bound to (getsockname(2),
  /// unix(7)); `nil` if there is none.
  package func boundPath() throws(SystemError) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe getsockname(number, rebound, &size)
      }
    }
    guard status == 0 else { throw SystemError("getsockname", code: errno) }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    guard address.sun_family == sa_family_t(AF_UNIX), Int(size) > start else { return nil }
    let bytes = unsafe withUnsafeBytes(of: address.sun_path) { path in
      unsafe path.prefix(Int(size) - start).prefix { $0 != 0 }.map { $0 }
    }
    // A name of the abstract namespace begins with NUL.
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// A descriptor of the process that connected (SO_PEERPIDFD, Linux 6.5).
  ///
  /// It fails with ENOPROTOOPT on older kernels, and with ESRCH if the process has ended.
  package func peerProcess() throws(SystemError) -> Descriptor {
    Descriptor(owning: Int32(try check(Int(clinux_peer_pidfd(number)), "getsockopt SO_PEERPIDFD")))
  }

  /// Sends some or all bytes, with a descriptor beside the first byte if one is given (sendmsg(2),
  /// SCM_RIGHTS).
  ///
  /// Returns the number of sent bytes; `nil` if the socket is full.
  package func send(
    _ bytes: UnsafeRawBufferPointer,
    passing descriptor: Int32 = -1
  ) throws(SystemError) -> Int? {
    let sent = unsafe clinux_send(number, bytes.baseAddress, bytes.count, descriptor)
    if sent == -Int(EAGAIN) { return nil }
    return try check(sent, "sendmsg")
  }

  /// Receives at most `buffer.count` bytes and at most one descriptor (recvmsg(2)).
  ///
  /// Zero bytes mean the end; `nil` means that no data waits on a non-blocking socket. More than
  /// one descriptor is EPROTO, and all of them are closed.
  package func receive(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Received? {
    var passed: Int32 = -1
    let got = unsafe clinux_receive(number, buffer.baseAddress, buffer.count, &passed)
    if got == -Int(EAGAIN) { return nil }
    try check(got, "recvmsg")
    return Received(count: got, descriptor: passed >= 0 ? Descriptor(owning: passed) : nil)
  }

  /// Limits the wait of connecting and sending (socket(7), SO_SNDTIMEO); 0 waits without limit.
  fileprivate func limitSending(seconds: Int) throws(SystemError) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) == 0 else {
      throw SystemError("setsockopt SO_SNDTIMEO", code: errno)
    }
  }

  /// Ends both directions without closing, so that a reading thread wakes (shutdown(2)).
  package func shutDown() {
    _ = shutdown(number, Int32(SHUT_RDWR))
  }

  /// Ends the direction to the peer, which reads an end; the peer's data can still be read
  /// (shutdown(2)).
  package func shutDownSending() {
    _ = shutdown(number, Int32(SHUT_WR))
  }
}

package struct Received: ~Copyable {
  /// The number of bytes; zero at the end of the stream.
  package let count: Int
  /// A descriptor that the peer passed.
  package var descriptor: Descriptor?

  init(count: Int, descriptor: consuming Descriptor?) {
    self.count = count
    self.descriptor = descriptor
  }

  package consuming func takeDescriptor() -> Descriptor? { descriptor }
}

extension Descriptor {
  /// Whether the peer has closed its side and all data has been read (recv(2), MSG_PEEK).
  package func hasEnded() throws(SystemError) -> Bool { try unread() == 0 }

  /// Whether data has come that was not read yet (recv(2), MSG_PEEK).
  package func hasUnread() throws(SystemError) -> Bool { try unread() ?? 0 > 0 }

  /// 1 if there is data, 0 at the end; `nil` if neither is there.
  private func unread() throws(SystemError) -> Int? {
    var byte: UInt8 = 0
    while true {
      let got = unsafe recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      if got >= 0 { return got }
      if errno == EAGAIN { return nil }
      guard errno == EINTR else { throw SystemError("recv", code: errno) }
    }
  }
}
