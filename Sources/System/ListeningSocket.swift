internal import CLinux
internal import Glibc

/// A TCP socket that takes connections.
struct ListeningSocket {
  /// More of one port are not looked at: the tables of proc_net_tcp(5) are read then.
  private static let most = 256

  let address: LoopbackAddress
  let user: UInt32
  let inode: UInt64

  /// All sockets that listen at the port of an address, whatever address they listen at; `nil` if the
  /// kernel does not tell (sock_diag(7)).
  static func all(at address: LoopbackAddress) -> [ListeningSocket]? {
    var found: [ListeningSocket] = []
    for (family, words) in [(AF_INET, 1), (AF_INET6, 4)]
    where family == AF_INET6 || address.isIPv4 {
      var rows = [clinux_listener](repeating: clinux_listener(), count: most)
      let count = unsafe clinux_listeners(family, address.port, &rows, most)
      guard (0...most).contains(count) else { return nil }
      for row in rows.prefix(count) {
        let all = [row.words.0, row.words.1, row.words.2, row.words.3]
        found.append(
          ListeningSocket(
            address: LoopbackAddress(inMemory: Array(all.prefix(words)), port: address.port),
            user: row.user,
            inode: UInt64(row.inode)
          )
        )
      }
    }
    return found
  }
}
