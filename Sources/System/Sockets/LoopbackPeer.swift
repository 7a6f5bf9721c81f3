internal import Glibc

/// Who is at the other end of a TCP connection within this machine.
///
/// TCP tells nothing of the kind; the kernel's tables of sockets do (proc_net_tcp(5)).
public enum LoopbackPeer {
  /// How often the tables are read: they are no picture of one moment, and a row may be missed.
  private static let tries = 3

  /// The user whose program made the socket at the other end.
  ///
  /// - Throws: where the connection is over, or a table cannot be read.
  /// - Returns: nil for a connection from elsewhere, and where no program holds the other end open:
  ///   the tables show what is left of a closed socket as root's.
  public static func user(of socket: borrowing Descriptor) throws(SystemError) -> UInt32? {
    let here = unsafe try LoopbackAddress(ofSocket: socket.number, "getsockname") {
      unsafe getsockname($0, $1, $2)
    }
    let there = try peer(of: socket)
    guard here.isLoopback, there.isLoopback else { return nil }
    for _ in 0..<tries {
      // Established, or closed for sending alone; without an inode it is no program's any more.
      let row = try SocketTable.row(local: there, remote: here) {
        ["01", "04", "05"].contains($0.state) && $0.inode != 0
      }
      guard let row else { continue }
      // Still the same connection: nobody else's socket can have had these addresses meanwhile.
      return try peer(of: socket) == there ? row.user : nil
    }
    return nil
  }

  private static func peer(of socket: borrowing Descriptor) throws(SystemError) -> LoopbackAddress {
    unsafe try LoopbackAddress(ofSocket: socket.number, "getpeername") {
      unsafe getpeername($0, $1, $2)
    }
  }
}
