internal import System

/// How many connections an engine has at most.
struct ConnectionLimits: Sendable {
  /// For one user.
  let each: Int
  /// For all of them; one who has none, or nearly none, gets in beyond it.
  let all: Int
  /// How many may come beyond `all`.
  let reserve: Int

  /// What one user may have, where there is nobody else.
  static let alone = ConnectionLimits(each: 256, all: 256, reserve: 0)

  /// A part of the descriptors that the process may have, for users who may all be hostile.
  ///
  /// A connection takes two, of which one holds its process; the others are for stores and helpers.
  static func shared(descriptors: Int) -> ConnectionLimits {
    let reserve = min(32, descriptors / 16)
    let all = max(16, (descriptors - min(512, descriptors / 2)) / 2 - reserve)
    // Each may have begun a message of 64 KiB: this many are 8 MiB.
    return ConnectionLimits(each: max(8, min(128, all / 4)), all: all, reserve: reserve)
  }
}

/// The connections of all callers, by their number and by their user.
///
/// One user's connections never keep another one out: where there is no room, the user who has most
/// of them loses the one that has been silent for longest.
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
  private var users: [UInt32: [Connection]] = [:]
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
  /// Who is connected.
  var connectedUsers: Set<UInt32> { Set(users.keys) }

  subscript(number: UInt64) -> Connection? { connections[number] }

  mutating func add(_ connection: Connection) {
    connections[connection.number] = connection
    users[connection.user, default: []].append(connection)
  }

  mutating func remove(_ number: UInt64) -> Connection? {
    guard let connection = connections.removeValue(forKey: number) else { return nil }
    let user = connection.user
    if let place = users[user]?.firstIndex(where: { $0 === connection }) {
      users[user]?.remove(at: place)
    }
    if users[user]?.isEmpty == true { users[user] = nil }
    return connection
  }

  /// Whether a user may have one more.
  func room(for user: UInt32) -> Room {
    let own = users[user]?.count ?? 0
    if own >= limits.each { return Self.idlest(of: users[user] ?? []).map(Room.insteadOf) ?? .none }
    guard count >= limits.all else { return .free }
    let others = users.values.filter { $0.count > own + 1 }.sorted { $0.count > $1.count }
    for other in others {
      if let idlest = Self.idlest(of: other) { return .insteadOf(idlest) }
    }
    return own < Self.few && count < limits.all + limits.reserve ? .free : .none
  }

  /// Whoever waits for an answer is not sent away.
  private static func idlest(of connections: [Connection]) -> Connection? {
    var idlest: Connection?
    for connection in connections where !connection.isAnswering {
      if let idlest, idlest.lastHeard <= connection.lastHeard { continue }
      idlest = connection
    }
    return idlest
  }

  // MARK: - Deadlines

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
