internal import CLinux
internal import Glibc

/// A Unix datagram socket that sends to the socket at a path, such as the journal's.
///
/// It is not connected: the receiver may be started again in between.
package struct DatagramSocket: ~Copyable, Sendable {
  private let socket: Descriptor

  package init() throws(SystemError) {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    socket = Descriptor(owning: Int32(try check(Int(Glibc.socket(AF_UNIX, type, 0)), "socket")))
  }

  /// Sends one datagram without waiting (sendto(2), MSG_DONTWAIT).
  ///
  /// - Throws: EAGAIN if the queue of the receiver is full, ENOENT or ECONNREFUSED if there is
  ///   none.
  package func send(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let name = path.utf8CString
    guard name.count <= 108 else {
      throw SystemError("sendto", code: ENAMETOOLONG, subject: path)
    }
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let count = unsafe UnixSocket.withAddress(Array(name)) { address, length in
      unsafe Int32(sendto(socket.number, bytes, bytes.count, flags, address, length))
    }
    try check(Int(count), "sendto", subject: path)
  }
}
