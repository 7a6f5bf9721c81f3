internal import Glibc

/// Finds the user at the other end of a TCP connection within this machine.
///
/// TCP itself does not show that, but the kernel's tables of sockets do (proc_net_tcp(5)).
package enum LoopbackPeer {
  /// The number of table reads: a read is not atomic, so it may miss a row.
  private static let tries = 3

  /// The user whose program made the socket at the other end.
  ///
  /// - Throws: if the connection has ended, or a table cannot be read.
  /// - Returns: `nil` for a connection from another machine, or if no program holds the other end
  ///   open: the tables show the rest of a closed socket as root's.
  package static func user(of socket: borrowing Descriptor) throws(SystemError) -> UInt32? {
    let here = unsafe try LoopbackAddress(ofSocket: socket.number, "getsockname") {
      unsafe getsockname($0, $1, $2)
    }
    let there = try peer(of: socket)
    guard here.isLoopback, there.isLoopback else { return nil }
    for _ in 0..<tries {
      // Established, or half-closed; a row without an inode belongs to no program any more.
      let row = try SocketTable.row(local: there, remote: here) {
        ["01", "04", "05"].contains($0.state) && $0.inode != 0
      }
      guard let row else { continue }
      // The connection is still the same, so no other socket had these addresses during the search.
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
