/// Whom connections count for: limits are of persons, and not of uids.
enum Party: Hashable, Sendable {
  /// A person of this machine, by their uid.
  case person(UInt32)
  /// All others together: uids without a name, and those that somebody else can act under.
  case strangers
}

/// What one party has of the server's connections, memory and turns; on the server's thread.
final class Share {
  let party: Party
  var connections: [Connection] = []
  /// Bytes that its connections hold: what they sent that is not decoded, and what they do not read.
  var buffered = 0
  /// Bytes of messages that may still be decoded on the server's thread in this round.
  var decodable = 0
  /// The round in which that was counted.
  var round: UInt64 = 0
  /// Connections that have something to do, in the order of their turns; those before `next` had it.
  private var waiting: [Connection] = []
  private var next = 0

  init(_ party: Party) {
    self.party = party
  }

  /// Whether it is one of the share's turns to come.
  var hasTurns: Bool { next < waiting.count }

  fileprivate func add(_ connection: Connection) {
    waiting.append(connection)
  }

  fileprivate func takeTurn() -> Connection? {
    guard hasTurns else { return nil }
    let connection = waiting[next]
    next += 1
    if !hasTurns {
      waiting.removeAll(keepingCapacity: waiting.count < 64)
      next = 0
    }
    return connection
  }
}

/// Connections that have something to do: each party has one turn after the other, however many
/// connections it has.
struct TurnQueue {
  private var shares: [Share] = []
  private var next = 0

  var isEmpty: Bool { next >= shares.count }

  /// Has a connection come to its turn, once.
  mutating func add(_ connection: Connection) {
    guard !connection.isQueued else { return }
    connection.isQueued = true
    let share = connection.share
    if !share.hasTurns { shares.append(share) }
    share.add(connection)
  }

  /// The connection whose turn it is; it may have ended.
  mutating func take() -> Connection? {
    guard !isEmpty else { return nil }
    let share = shares[next]
    next += 1
    let connection = share.takeTurn()
    connection?.isQueued = false
    if share.hasTurns { shares.append(share) }
    // Seldom enough to cost nothing.
    if next * 2 > shares.count {
      shares.removeFirst(next)
      next = 0
    }
    return connection
  }
}
