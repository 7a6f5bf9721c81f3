internal import Glibc

/// One of the kernel's tables of TCP sockets (proc_net_tcp(5)).
///
/// The table is read under `self`, because that path exists even with `subset=pid` (proc(5)).
enum SocketTable: String {
  case ipv4 = "/proc/self/net/tcp"
  case ipv6 = "/proc/self/net/tcp6"

  /// Columns of a row: number, local address, remote address, state, queues, timer,
  /// retransmissions, uid, timeout, inode.
  struct Row {
    let local: ArraySlice<UInt8>
    let remote: ArraySlice<UInt8>
    /// `01` is established, `0A` is listening.
    let state: String
    let user: UInt32
    /// 0 if no program holds the socket.
    let inode: UInt64

    init?(_ line: [UInt8]) {
      let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
      guard columns.count > 9, let user = UInt32(Self.text(columns[7])),
        let inode = UInt64(Self.text(columns[9]))
      else { return nil }
      local = columns[1]
      remote = columns[2]
      state = Self.text(columns[3])
      self.user = user
      self.inode = inode
    }

    private static func text(_ column: ArraySlice<UInt8>) -> String {
      String(decoding: column, as: UTF8.self)
    }
  }

  /// Reads the rows in order until `isLast` returns true.
  ///
  /// A kernel without IPv6 has no second table, which counts as empty.
  func read(until isLast: (Row) -> Bool) throws(SystemError) {
    let number = unsafe open(rawValue, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      if self == .ipv6, errno == ENOENT { return }
      throw SystemError("open", code: errno, subject: rawValue)
    }
    let file = Descriptor(owning: number)
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    var line: [UInt8] = []
    while true {
      let got = unsafe Glibc.read(file.number, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw SystemError("read", code: errno, subject: rawValue) }
      if got == 0 { return }
      for byte in chunk[..<got] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if let row = Row(line), isLast(row) { return }
        line.removeAll(keepingCapacity: true)
      }
    }
  }

  /// The first row of a socket with these ends.
  static func row(
    local: LoopbackAddress,
    remote: LoopbackAddress,
    where fits: (Row) -> Bool
  ) throws(SystemError) -> Row? {
    var found: Row?
    if let ours = local.shortText, let theirs = remote.shortText {
      try ipv4.read { row in
        guard row.local.elementsEqual(ours), row.remote.elementsEqual(theirs), fits(row) else {
          return false
        }
        found = row
        return true
      }
      if found != nil { return found }
    }
    // An IPv6 socket can connect to IPv4 addresses too.
    let (ours, theirs) = (local.text, remote.text)
    try ipv6.read { row in
      guard row.local.elementsEqual(ours), row.remote.elementsEqual(theirs), fits(row) else {
        return false
      }
      found = row
      return true
    }
    return found
  }
}
