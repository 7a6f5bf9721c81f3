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
    let here = unsafe try Address(ofSocket: socket.number, "getsockname") {
      unsafe getsockname($0, $1, $2)
    }
    let there = try peer(of: socket)
    guard here.isLoopback, there.isLoopback else { return nil }
    for _ in 0..<tries {
      guard let user = try look(there, here) else { continue }
      // Still the same connection: nobody else's socket can have had these addresses meanwhile.
      return try peer(of: socket) == there ? user : nil
    }
    return nil
  }

  private static func peer(of socket: borrowing Descriptor) throws(SystemError) -> Address {
    unsafe try Address(ofSocket: socket.number, "getpeername") { unsafe getpeername($0, $1, $2) }
  }

  private static func look(_ there: Address, _ here: Address) throws(SystemError) -> UInt32? {
    if let theirs = there.shortText, let ours = here.shortText,
      let user = try Table.look("/proc/net/tcp", local: theirs, remote: ours)
    {
      return user
    }
    // A socket of IPv6 reaches addresses of IPv4 as well.
    do throws(SystemError) {
      return try Table.look("/proc/net/tcp6", local: there.text, remote: here.text)
    } catch {
      // A kernel without IPv6.
      guard error.code == ENOENT, there.shortText != nil else { throw error }
      return nil
    }
  }
}

/// An address and port as the tables write them: words as they stand in memory.
private struct Address: Equatable {
  /// Four; those of an IPv4 address are mapped into IPv6.
  private let words: [UInt32]
  private let port: UInt16

  private static let mapped: [UInt32] = [0, 0, UInt32(0xFFFF).bigEndian]

  init(
    ofSocket number: Int32,
    _ call: String,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemError) {
    // The port stands at the same place in both families' addresses.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { rebound in
        unsafe ask(number, rebound, &length)
      }
    }
    guard status == 0 else { throw SystemError(call, code: errno) }
    port = UInt16(bigEndian: address.sin6_port)
    switch Int32(address.sin6_family) {
    case AF_INET: words = Self.mapped + [address.sin6_flowinfo]
    case AF_INET6:
      words = unsafe withUnsafeBytes(of: &address.sin6_addr) { bytes in
        (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
      }
    default: throw SystemError(call, code: EAFNOSUPPORT)
    }
  }

  private var isIPv4: Bool { Array(words.prefix(3)) == Self.mapped }

  /// 127.0.0.0/8, or ::1.
  var isLoopback: Bool {
    isIPv4 ? UInt32(bigEndian: words[3]) >> 24 == 127 : words == [0, 0, 0, UInt32(1).bigEndian]
  }

  /// In the table of IPv6.
  var text: [UInt8] { Self.text(words[...], port) }

  /// In the table of IPv4, if it is one.
  var shortText: [UInt8]? { isIPv4 ? Self.text(words[3...], port) : nil }

  private static func text(_ words: ArraySlice<UInt32>, _ port: UInt16) -> [UInt8] {
    let address = words.map { hex($0, digits: 8) }.joined()
    return Array("\(address):\(hex(UInt32(port), digits: 4))".utf8)
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }
}

/// One of the kernel's tables of TCP sockets.
private enum Table {
  /// The user of the open socket with these addresses.
  static func look(
    _ path: String,
    local: [UInt8],
    remote: [UInt8]
  ) throws(SystemError) -> UInt32? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
    let file = Descriptor(owning: number)
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    var line: [UInt8] = []
    while true {
      let got = unsafe read(file.number, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw SystemError("read", code: errno, subject: path) }
      if got == 0 { return nil }
      for byte in chunk[..<got] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if let user = user(line, local, remote) { return user }
        line.removeAll(keepingCapacity: true)
      }
    }
  }

  /// The user of a row, if it is the one that is looked for.
  ///
  /// Its columns: number, local address, remote address, state, queues, timer, retransmissions, uid,
  /// timeout, inode.
  private static func user(_ line: [UInt8], _ local: [UInt8], _ remote: [UInt8]) -> UInt32? {
    let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
    guard columns.count > 9, columns[1].elementsEqual(local), columns[2].elementsEqual(remote)
    else { return nil }
    // Established, or closed for sending alone; without an inode it is no program's any more.
    guard ["01", "04", "05"].contains(text(columns[3])), let inode = UInt64(text(columns[9])),
      inode != 0
    else { return nil }
    return UInt32(text(columns[7]))
  }

  private static func text(_ column: ArraySlice<UInt8>) -> String {
    String(decoding: column, as: UTF8.self)
  }
}
