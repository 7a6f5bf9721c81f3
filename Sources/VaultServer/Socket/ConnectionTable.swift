internal import System

/// The connections of all callers, by number and by the party that they count for.
///
/// The connections of one party never lock out another party. If there is no room, the stranger
/// that has been silent for the longest time loses its connection. If there is no stranger, the
/// person with the most connections loses the one that has been silent for the longest time.
struct ConnectionTable {
  /// The step that must come before another connection is accepted.
  enum Room {
    case free
    /// This connection must be ended first.
    case insteadOf(Connection)
    /// No connection can be ended, because all of them wait for an answer.
    case none
  }

  /// A person with fewer connections than this may exceed `limits.all`.
  private static let few = 2

  private let limits: ConnectionLimits
  private var connections: [UInt64: Connection] = [:]
  private var shares: [Party: Share] = [:]
  /// Bytes that all connections hold.
  private(set) var buffered = 0
  /// Messages that were incomplete, oldest first.
  ///
  /// Some are complete by now.
  private var halves: [(number: UInt64, since: BootInstant)] = []
  private var firstHalf = 0

  init(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  var count: Int { connections.count }
  var isEmpty: Bool { connections.isEmpty }
  /// All connections, in no order.
  var all: [Connection] { Array(connections.values) }
  var connectedUsers: Set<UInt32> {
    Set(
      shares.keys.compactMap { party in
        if case .person(let user) = party { user } else { nil }
      }
    )
  }

  subscript(number: UInt64) -> Connection? { connections[number] }

  var strangers: [Connection] { shares[.strangers]?.connections ?? [] }

  /// Whether a known person of this uid is connected.
  func hasPerson(_ user: UInt32) -> Bool { shares[.person(user)] != nil }

  /// The share of a party, which may be empty.
  func share(of party: Party) -> Share { shares[party] ?? Share(party) }

  mutating func add(_ connection: Connection) {
    connections[connection.number] = connection
    enter(connection)
  }

  mutating func remove(_ number: UInt64) -> Connection? {
    guard let connection = connections.removeValue(forKey: number) else { return nil }
    leave(connection)
    connection.hasEnded = true
    return connection
  }

  /// Makes a connection count for another party from now on.
  mutating func move(_ connection: Connection, to party: Party) {
    leave(connection)
    connection.share = share(of: party)
    enter(connection)
  }

  private mutating func enter(_ connection: Connection) {
    let share = connection.share
    shares[share.party] = share
    share.connections.append(connection)
    share.buffered += connection.buffered
    buffered += connection.buffered
  }

  private mutating func leave(_ connection: Connection) {
    let share = connection.share
    share.connections.removeAll { $0 === connection }
    share.buffered -= connection.buffered
    buffered -= connection.buffered
    if share.connections.isEmpty { shares[share.party] = nil }
  }

  // MARK: - Room

  func room(for party: Party) -> Room {
    let own = shares[party]?.connections ?? []
    guard party != .strangers else {
      guard own.count >= limits.strangers || count >= limits.all else { return .free }
      return longestSilentStranger.map(Room.insteadOf) ?? .none
    }
    if own.count >= limits.each {
      return Self.idlestWithoutCall(of: own).map(Room.insteadOf) ?? .none
    }
    guard count >= limits.all else { return .free }
    if let stranger = longestSilentStranger { return .insteadOf(stranger) }
    let most = shares.values.max { $0.connections.count < $1.connections.count }
    if let most, most.connections.count > own.count + 1,
      let idlest = Self.idlest(of: most.connections)
    {
      return .insteadOf(idlest)
    }
    return own.count < Self.few && count < limits.all + limits.reserve ? .free : .none
  }

  /// Prefer strangers that are known to have no vault here.
  private var longestSilentStranger: Connection? {
    let strangers = shares[.strangers]?.connections ?? []
    return Self.idlest(of: strangers.filter { $0.kind != .pending })
      ?? Self.idlest(of: strangers)
  }

  /// A caller that waits for an answer is not disconnected.
  private static func idlest(of connections: [Connection]) -> Connection? {
    var idlest: Connection?
    for connection in connections where !connection.isAtWorkForCaller {
      if let idlest, idlest.lastCall <= connection.lastCall { continue }
      idlest = connection
    }
    return idlest
  }

  /// The same, but a call that was not read yet counts as one that waits for an answer.
  ///
  /// Each look at a socket is a system call, so the idlest one is looked at first.
  private static func idlestWithoutCall(of connections: [Connection]) -> Connection? {
    connections.filter { !$0.isAtWorkForCaller && !$0.hasMessage }
      .sorted { ($0.lastCall, $0.number) < ($1.lastCall, $1.number) }
      .first { !$0.hasUnread }
  }

  // MARK: - Memory

  /// Updates the count of the bytes that a connection holds.
  mutating func recount(_ connection: Connection) {
    let change = connection.recount()
    guard change != 0, !connection.hasEnded else { return }
    connection.share.buffered += change
    buffered += change
  }

  /// The next connection to end because all of them hold too much: the largest one of the largest
  /// party.
  var heaviest: Connection? {
    if let strangers = shares[.strangers], strangers.buffered > limits.strangersBuffered {
      return strangers.connections.max { $0.buffered < $1.buffered }
    }
    guard buffered > limits.buffered else { return nil }
    let most = shares.values.max { $0.buffered < $1.buffered }
    return most?.connections.max { $0.buffered < $1.buffered }
  }

  // MARK: - Deadlines

  /// Whether so many are connected that silent connections must be ended.
  var isNearlyFull: Bool { Self.isNearly(count, limits.all) || areStrangersNearlyFull }

  private var areStrangersNearlyFull: Bool {
    Self.isNearly(shares[.strangers]?.connections.count ?? 0, limits.strangers)
  }

  private static func isNearly(_ count: Int, _ most: Int) -> Bool {
    count > 0 && count * 4 >= most * 3
  }

  /// The connections without a call for so many seconds since they arrived, if there is little room
  /// left.
  func silent(at now: BootInstant, after seconds: Int64) -> [Connection] {
    guard isNearlyFull else { return [] }
    let looked =
      Self.isNearly(count, limits.all) ? all : shares[.strangers]?.connections ?? []
    return looked.filter { !$0.hasCalled && now >= $0.lastCall.advanced(bySeconds: seconds) }
  }

  /// Notes an incomplete message.
  ///
  /// All have the same time limit, so the first one is overdue first.
  mutating func note(_ connection: Connection) {
    guard let since = connection.incompleteSince, since != connection.notedSince else { return }
    connection.notedSince = since
    halves.append((connection.number, since))
  }

  /// The next connection whose message has been incomplete for too long; `nil` if there is none.
  mutating func nextOverdue(at now: BootInstant, after seconds: Int64) -> Connection? {
    while firstHalf < halves.count {
      let (number, since) = halves[firstHalf]
      let connection = connections[number]
      if let connection, connection.incompleteSince == since {
        guard now >= since.advanced(bySeconds: seconds) else { return nil }
        takeFirstHalf()
        return connection
      }
      takeFirstHalf()
    }
    return nil
  }

  private mutating func takeFirstHalf() {
    firstHalf += 1
    // This is rare enough to cost almost nothing.
    guard firstHalf * 2 > halves.count else { return }
    halves.removeFirst(firstHalf)
    firstHalf = 0
  }

  /// How long no connection becomes overdue, in milliseconds, but at most `most`.
  func timeout(at now: BootInstant, after seconds: Int64, most: Int32) -> Int32 {
    guard firstHalf < halves.count else { return most }
    let end = halves[firstHalf].since.advanced(bySeconds: seconds)
    let left = (end.nanoseconds - now.nanoseconds) / 1_000_000 + 1
    return Int32(max(0, min(Int64(most), left)))
  }
}
