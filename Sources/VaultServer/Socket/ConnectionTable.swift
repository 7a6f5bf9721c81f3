internal import System

/// The connections of all callers, by their number and by the party that they count for.
///
/// One party's connections never keep another one out. Where there is no room, the stranger that has
/// been silent for longest loses its connection; if there is none, the person who has most of them
/// loses the one that has been silent for longest.
struct ConnectionTable {
  /// What has to happen before another connection is taken.
  enum Room {
    case free
    /// This one is to be ended.
    case insteadOf(Connection)
    /// All of them wait for an answer.
    case none
  }

  /// Whoever has fewer connections than this gets in beyond `limits.all`.
  private static let few = 2

  private let limits: ConnectionLimits
  private var connections: [UInt64: Connection] = [:]
  private var shares: [Party: Share] = [:]
  /// Bytes that all connections hold.
  private(set) var buffered = 0
  /// Messages that were half sent, oldest first; some are whole by now.
  private var halves: [(number: UInt64, since: BootInstant)] = []
  private var firstHalf = 0

  init(_ limits: ConnectionLimits) {
    self.limits = limits
  }

  var count: Int { connections.count }
  var isEmpty: Bool { connections.isEmpty }
  /// In no order.
  var all: [Connection] { Array(connections.values) }
  /// The people who are connected.
  var connectedUsers: Set<UInt32> {
    Set(
      shares.keys.compactMap { party in
        if case .person(let user) = party { user } else { nil }
      }
    )
  }

  subscript(number: UInt64) -> Connection? { connections[number] }

  /// The connections of strangers.
  var strangers: [Connection] { shares[.strangers]?.connections ?? [] }

  /// Whether somebody who is known to be a person is connected.
  func hasPerson(_ user: UInt32) -> Bool { shares[.person(user)] != nil }

  /// The share of a party, which may have nothing yet.
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

  /// Has a connection count for another party from now on.
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

  /// Whether a party may have one more.
  func room(for party: Party) -> Room {
    let own = shares[party]?.connections ?? []
    guard party != .strangers else {
      guard own.count >= limits.strangers || count >= limits.all else { return .free }
      return longestSilentStranger.map(Room.insteadOf) ?? .none
    }
    if own.count >= limits.each { return Self.idlest(of: own).map(Room.insteadOf) ?? .none }
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

  /// Those of whom it is known that they have no vault here come first.
  private var longestSilentStranger: Connection? {
    let strangers = shares[.strangers]?.connections ?? []
    return Self.idlest(of: strangers.filter { $0.standing != .pending })
      ?? Self.idlest(of: strangers)
  }

  /// Whoever waits for an answer is not sent away.
  private static func idlest(of connections: [Connection]) -> Connection? {
    var idlest: Connection?
    for connection in connections where !connection.isAtWorkForCaller {
      if let idlest, idlest.lastCall <= connection.lastCall { continue }
      idlest = connection
    }
    return idlest
  }

  // MARK: - Memory

  /// Takes how much a connection holds now.
  mutating func recount(_ connection: Connection) {
    let change = connection.recount()
    guard change != 0, !connection.hasEnded else { return }
    connection.share.buffered += change
    buffered += change
  }

  /// The next connection that is to be ended because all of them hold too much: the one that holds
  /// most, of the party that holds most.
  var heaviest: Connection? {
    if let strangers = shares[.strangers], strangers.buffered > limits.strangersBuffered {
      return strangers.connections.max { $0.buffered < $1.buffered }
    }
    guard buffered > limits.buffered else { return nil }
    let most = shares.values.max { $0.buffered < $1.buffered }
    return most?.connections.max { $0.buffered < $1.buffered }
  }

  // MARK: - Deadlines

  /// Whether so many are connected that those who only hold a connection are sent away.
  var isNearlyFull: Bool { Self.isNearly(count, limits.all) || areStrangersNearlyFull }

  private var areStrangersNearlyFull: Bool {
    Self.isNearly(shares[.strangers]?.connections.count ?? 0, limits.strangers)
  }

  private static func isNearly(_ count: Int, _ most: Int) -> Bool {
    count > 0 && count * 4 >= most * 3
  }

  /// Those who have made no call for so many seconds since they came, where there is little room left.
  func silent(at now: BootInstant, after seconds: Int64) -> [Connection] {
    guard isNearlyFull else { return [] }
    let looked =
      Self.isNearly(count, limits.all) ? all : shares[.strangers]?.connections ?? []
    return looked.filter {
      !$0.hasCalled && now >= $0.lastCall.advanced(bySeconds: seconds)
    }
  }

  /// A message may have begun to come; all have the same time: the first one is overdue first.
  mutating func note(_ connection: Connection) {
    guard let since = connection.incompleteSince, since != connection.notedSince else { return }
    connection.notedSince = since
    halves.append((connection.number, since))
  }

  /// The next connection whose message has been half sent for too long; nil: there is none.
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
    // Seldom enough to cost nothing.
    guard firstHalf * 2 > halves.count else { return }
    halves.removeFirst(firstHalf)
    firstHalf = 0
  }

  /// How long nobody is overdue, in milliseconds, but at most `most`.
  func patience(at now: BootInstant, after seconds: Int64, most: Int32) -> Int32 {
    guard firstHalf < halves.count else { return most }
    let end = halves[firstHalf].since.advanced(bySeconds: seconds)
    let left = (end.nanoseconds - now.nanoseconds) / 1_000_000 + 1
    return Int32(max(0, min(Int64(most), left)))
  }
}
