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
  /// Connections that have something to do, in the order of their turns.
  private var waiting = TurnOrder<Connection>()

  init(_ party: Party) {
    self.party = party
  }

  /// Whether it is one of the share's turns to come.
  var hasTurns: Bool { !waiting.isEmpty }

  fileprivate func add(_ connection: Connection) { waiting.add(connection) }

  fileprivate func takeTurn() -> Connection? { waiting.take() }
}

/// What waits for its turn, first come first served.
///
/// What had its turn is let go of at once. A connection that has ended holds up to a whole message, which
/// no limit counts any more.
struct TurnOrder<Element> {
  private var elements: [Element?] = []
  private var next = 0

  var isEmpty: Bool { next == elements.count }

  mutating func add(_ element: Element) { elements.append(element) }

  mutating func take() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[next].take()
    next += 1
    // Seldom enough to cost nothing.
    if next * 2 > elements.count {
      elements.removeFirst(next)
      next = 0
    }
    return element
  }
}

/// Connections that have something to do: each party has one turn after the other, however many
/// connections it has.
struct TurnQueue {
  private var shares = TurnOrder<Share>()

  var isEmpty: Bool { shares.isEmpty }

  /// Has a connection come to its turn, once.
  mutating func add(_ connection: Connection) {
    guard !connection.isQueued else { return }
    connection.isQueued = true
    let share = connection.share
    if !share.hasTurns { shares.add(share) }
    share.add(connection)
  }

  /// The connection whose turn it is; it may have ended.
  mutating func take() -> Connection? {
    guard let share = shares.take() else { return nil }
    let connection = share.takeTurn()
    connection?.isQueued = false
    if share.hasTurns { shares.add(share) }
    return connection
  }
}
