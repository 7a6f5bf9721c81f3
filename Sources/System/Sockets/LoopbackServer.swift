/// The program that a connection within this machine leads to, as far as the kernel's tables tell.
///
/// A port of this machine belongs to the first program that takes it. While a provider is down, a
/// program of another user can listen at its port, and gets what is sent there in plain text. So
/// a client looks before it connects, and again before it sends its first byte: `objection` says
/// what is wrong with the connection.
public struct LoopbackServer: Sendable {
  /// A socket that takes connections at the address.
  struct Listener: Hashable, Sendable {
    let user: UInt32
    let inode: UInt64
    /// Whether no other socket can take connections there while this one listens.
    ///
    /// A socket at `::` may leave out IPv4 (ipv6(7), IPV6_V6ONLY), which the tables do not show.
    let isSure: Bool
  }

  /// The server's end of a connection.
  enum Acceptance: Equatable, Sendable {
    /// No program has accepted the connection yet, so its listener still listens: the kernel resets
    /// such connections when a listener is closed.
    case waiting
    /// A program of this user accepted it.
    case accepted(UInt32)
    /// The tables do not show it.
    case unseen
  }

  /// Why nothing is sent over a connection.
  public enum Objection: Equatable, Sendable {
    /// A program of this user listens there, or has taken the connection.
    case user(UInt32)
    /// No listener was seen there before the connection was made, or it has been replaced since.
    case unknown
  }

  private static let listens = "0A"
  /// How often a long table is read: it is no picture of one moment, and a row may be missed.
  private static let tries = 3

  private let address: LoopbackAddress
  private let users: Set<UInt32>
  private let before: Set<Listener>

  /// Looks who listens at an address, before a connection is made.
  ///
  /// - Parameters:
  ///   - address: the very address that is connected to.
  ///   - users: the users whose programs may listen there, besides root.
  /// - Throws: if the tables cannot be read.
  public init(at address: LoopbackAddress, for users: Set<UInt32>) throws(SystemError) {
    self.address = address
    self.users = users
    before = try Self.listeners(at: address)
  }

  /// A program that must not listen there, and does; `nil` also if none listens.
  public var stranger: Objection? { Self.stranger(among: before, users) }

  /// Looks again, once a connection has been made.
  ///
  /// - Parameter own: this machine's other end of it.
  /// - Throws: if the tables cannot be read.
  /// - Returns: what is wrong with it; `nil` if it may be used.
  public func objection(to own: LoopbackAddress) throws(SystemError) -> Objection? {
    let after = try Self.listeners(at: address)
    // Which program has accepted the connection is asked only if it matters: the kernel walks all sockets
    // for that.
    let unasked = Self.objection(before: before, after: after, .unseen, users: users)
    guard unasked == .unknown, !before.isEmpty, !after.isEmpty else { return unasked }
    // Read last: a connection that still waits then has a listener that stood in `after`.
    let acceptance = try Self.acceptance(at: address, from: own)
    return Self.objection(before: before, after: after, acceptance, users: users)
  }

  /// The rule, apart from where the rows come from.
  static func objection(
    before: Set<Listener>,
    after: Set<Listener>,
    _ acceptance: Acceptance,
    users: Set<UInt32>
  ) -> Objection? {
    if let stranger = stranger(among: before.union(after), users) { return stranger }
    guard !before.isEmpty, !after.isEmpty else { return .unknown }
    // The same socket listened all the time, and no other could. Who accepts its connections is its
    // own affair: servers that root starts do so as another user.
    if !before.intersection(after).filter(\.isSure).isEmpty { return nil }
    switch acceptance {
    case .waiting: return nil
    case .accepted(let user): return isTrusted(user, users) ? nil : .user(user)
    case .unseen: return .unknown
    }
  }

  private static func stranger(
    among listeners: Set<Listener>,
    _ users: Set<UInt32>
  ) -> Objection? {
    listeners.map(\.user).filter { !isTrusted($0, users) }.min().map { .user($0) }
  }

  /// Root can read the sender's memory: nothing is kept from it.
  private static func isTrusted(_ user: UInt32, _ users: Set<UInt32>) -> Bool {
    user == 0 || users.contains(user)
  }

  // MARK: - Tables

  static func listeners(
    at address: LoopbackAddress
  ) throws(SystemError) -> Set<Listener> {
    var found: Set<Listener> = []
    for _ in 0..<tries {
      guard let sockets = ListeningSocket.all(at: address) else {
        // A kernel without the module, or a sandbox without netlink(7).
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

  /// The same by proc_net_tcp(5), for which the kernel walks the table of all connections: that took
  /// 1.7 ms for each read of a table with ten rows.
  static func listenersInTables(
    at address: LoopbackAddress
  ) throws(SystemError) -> Set<Listener> {
    var found: Set<Listener> = []
    func collect(
      _ table: SocketTable,
      _ places: [(text: [UInt8], isSure: Bool)]
    ) throws(SystemError) {
      try table.read { row in
        // Sockets that listen come first.
        guard row.state == listens else { return true }
        if let place = places.first(where: { row.local.elementsEqual($0.text) }) {
          found.insert(Listener(user: row.user, inode: row.inode, isSure: place.isSure))
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
      // Established, or not quite (tcp(7), TCP_DEFER_ACCEPT); any other is left of a closed one.
      return ["01", "03"].contains(row.state) ? .waiting : .unseen
    }
    return .unseen
  }
}
