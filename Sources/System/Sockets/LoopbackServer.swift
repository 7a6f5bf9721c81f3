/// Finds the program that serves a connection within this machine, from the kernel's tables.
///
/// A port of this machine belongs to the first program that takes it. While a provider is down, a
/// program of another user can listen at its port and receive what is sent there in plain text. So
/// a client checks before it connects, and again before it sends its first byte: `objection` says
/// what is wrong with the connection.
package struct LoopbackServer: Sendable {
  /// A socket that accepts connections at the address.
  struct Listener: Hashable, Sendable {
    let user: UInt32
    let inode: UInt64
    /// Whether no other socket can accept connections there while this one listens.
    ///
    /// A socket at `::` may exclude IPv4 (ipv6(7), IPV6_V6ONLY), which the tables do not show.
    let isSure: Bool
  }

  /// The server's end of a connection.
  enum Acceptance: Equatable, Sendable {
    /// No program has accepted the connection yet, so its listener still listens.
    ///
    /// The kernel resets such connections when their listener is closed.
    case waiting
    /// A program of this user accepted it.
    case accepted(UInt32)
    /// The tables do not show the connection.
    case unseen
  }

  /// Why a client must not send over a connection.
  package enum Objection: Equatable, Sendable {
    /// A program of this user listens there, or has accepted the connection.
    case user(UInt32)
    /// No listener was seen there before the connection, or it has been replaced since.
    case unknown
  }

  private static let listens = "0A"
  /// The number of reads of a long table: a read is not atomic, so it may miss a row.
  private static let tries = 3

  private let address: LoopbackAddress
  private let users: Set<UInt32>
  private let before: Set<Listener>

  /// Finds the listeners at an address; call it before the client connects.
  ///
  /// - Parameters:
  ///   - address: the exact address of the connection.
  ///   - users: the users whose programs may listen there, besides root.
  /// - Throws: if the tables cannot be read.
  package init(at address: LoopbackAddress, for users: Set<UInt32>) throws(SystemError) {
    self.address = address
    self.users = users
    before = try Self.listeners(at: address)
  }

  /// The listener that must not listen there; `nil` if there is none.
  package var stranger: Objection? { Self.named(Self.stranger(among: before, users)) }

  /// Checks again after the client has connected.
  ///
  /// - Parameter own: the client's end of the connection.
  /// - Throws: if the tables cannot be read.
  /// - Returns: the problem; `nil` if the connection may be used.
  package func objection(to own: LoopbackAddress) throws(SystemError) -> Objection? {
    let after = try Self.listeners(at: address)
    // Look up the accepting program only if it matters, because the kernel walks all sockets for
    // that.
    let unasked = Self.objection(before: before, after: after, .unseen, users: users)
    guard unasked == .unknown, !before.isEmpty, !after.isEmpty else { return Self.named(unasked) }
    // Read this last: a connection that still waits has a listener that is in `after`.
    let acceptance = try Self.acceptance(at: address, from: own)
    return Self.named(Self.objection(before: before, after: after, acceptance, users: users))
  }

  /// Says that a user whom a sandbox hides is not known.
  private static func named(_ objection: Objection?) -> Objection? {
    guard case .user(let user) = objection, FileOwner.isHidden(user) else { return objection }
    return .unknown
  }

  /// The rule, separate from the source of the rows.
  static func objection(
    before: Set<Listener>,
    after: Set<Listener>,
    _ acceptance: Acceptance,
    users: Set<UInt32>
  ) -> Objection? {
    if let stranger = stranger(among: before.union(after), users) { return stranger }
    guard !before.isEmpty, !after.isEmpty else { return .unknown }
    // The same socket listened throughout, and no other could. Its owner decides which process
    // accepts: servers that root starts accept as another user.
    if !before.intersection(after).filter(\.isSure).isEmpty { return nil }
    switch acceptance {
    case .waiting: return nil
    case .accepted(let user): return isTrusted(user, users) ? nil : .user(user)
    case .unseen: return .unknown
    }
  }

  private static func stranger(among listeners: Set<Listener>, _ users: Set<UInt32>) -> Objection? {
    listeners.map(\.user).filter { !isTrusted($0, users) }.min().map { .user($0) }
  }

  /// Root can read the sender's memory, so it is always trusted.
  private static func isTrusted(_ user: UInt32, _ users: Set<UInt32>) -> Bool {
    user == 0 || users.contains(user)
  }

  // MARK: - Tables

  static func listeners(at address: LoopbackAddress) throws(SystemError) -> Set<Listener> {
    var found: Set<Listener> = []
    for _ in 0..<tries {
      guard let sockets = ListeningSocket.all(at: address) else {
        // The kernel lacks the module, or a sandbox forbids netlink(7).
        return try listenersInTables(at: address)
      }
      for socket in sockets {
        let isSure = socket.address == address || socket.address == address.wildcard
        guard isSure || address.isIPv4 && socket.address == address.dualWildcard else { continue }
        found.insert(Listener(user: socket.user, inode: socket.inode, isSure: isSure))
      }
      if sockets.count <= ListeningSocket.mostAtOnce { break }
    }
    return found
  }

  /// Finds the listeners in proc_net_tcp(5).
  ///
  /// The kernel walks the table of all connections for that: 1.7 ms for each read of a table with
  /// ten rows.
  static func listenersInTables(at address: LoopbackAddress) throws(SystemError) -> Set<Listener> {
    var found: Set<Listener> = []
    func collect(
      _ table: SocketTable,
      _ addresses: [(text: [UInt8], isSure: Bool)]
    ) throws(SystemError) {
      try table.read { row in
        // Listening sockets come first.
        guard row.state == listens else { return true }
        if let wanted = addresses.first(where: { row.local.elementsEqual($0.text) }) {
          found.insert(Listener(user: row.user, inode: row.inode, isSure: wanted.isSure))
        }
        return false
      }
    }
    let wildcard = address.wildcard
    let short = [address, wildcard].compactMap(\.shortText).map { (text: $0, isSure: true) }
    let long = [(address.text, true), (wildcard.text, true)]
    let dual = address.isIPv4 ? [(address.dualWildcard.text, false)] : []
    for _ in 0..<tries {
      if !short.isEmpty { try collect(.ipv4, short) }
      try collect(.ipv6, long + dual)
    }
    return found
  }

  private static func acceptance(
    at address: LoopbackAddress,
    from own: LoopbackAddress
  ) throws(SystemError) -> Acceptance {
    for _ in 0..<tries {
      let row = try SocketTable.row(local: address, remote: own) { $0.state != listens }
      guard let row else { continue }
      if row.inode != 0 { return .accepted(row.user) }
      // Established, or not quite (tcp(7), TCP_DEFER_ACCEPT); other states belong to a closed
      // connection.
      return ["01", "03"].contains(row.state) ? .waiting : .unseen
    }
    return .unseen
  }
}
