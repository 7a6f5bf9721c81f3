internal import CLinux
internal import Glibc

/// A TCP socket that accepts connections.
struct ListeningSocket {
  /// If a port has more listeners than this, the tables of proc_net_tcp(5) are read instead.
  private static let most = 256
  /// The most listeners of one family that the kernel lists in its first answer (3.7 KiB, 124 bytes
  /// for each).
  ///
  /// One answer is an uninterrupted list, so it misses no socket that listens throughout.
  static let mostAtOnce = 25

  let address: LoopbackAddress
  let user: UInt32
  let inode: UInt64

  /// All sockets that listen at the port of an address, on any address (sock_diag(7)); `nil` if the
  /// kernel does not report it.
  static func all(at address: LoopbackAddress) -> [ListeningSocket]? {
    var rows = [clinux_listener](repeating: clinux_listener(), count: most)
    let count = unsafe clinux_listeners(address.isIPv4 ? 1 : 0, address.port, &rows, most)
    guard (0...most).contains(count) else { return nil }
    return rows.prefix(count).map { row in
      let words = [row.words.0, row.words.1, row.words.2, row.words.3]
      return ListeningSocket(
        address: LoopbackAddress(
          inMemory: Array(words.prefix(row.family == AF_INET ? 1 : 4)),
          port: address.port
        ),
        user: row.user,
        inode: UInt64(row.inode)
      )
    }
  }
}
