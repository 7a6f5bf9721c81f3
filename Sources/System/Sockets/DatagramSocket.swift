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
  /// - Throws: EAGAIN if the queue of the receiver is full, ENOENT or ECONNREFUSED if there is none.
  package func send(_ bytes: [UInt8], to path: String) throws(SystemError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    // One byte stays 0, the end of the path.
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError("sendto", code: ENAMETOOLONG, subject: path)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      unsafe room.copyBytes(from: name)
    }
    let count = unsafe withUnsafeBytes(of: address) { raw in
      unsafe sendto(
        socket.number,
        bytes,
        bytes.count,
        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL),
        raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(raw.count)
      )
    }
    try check(count, "sendto", subject: path)
  }
}
