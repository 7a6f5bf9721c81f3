/// A party's share of the server's connections, memory and turns.
///
/// Only the server's thread uses it.
final class Share {
  let party: Party
  var connections: [Connection] = []
  /// Bytes that its connections hold: input that is not decoded, and output that is not read.
  var buffered = 0
  /// Bytes of messages that the server's thread may still decode in this round.
  var decodable = 0
  /// The round in which that was counted.
  var round: UInt64 = 0
  /// Connections that have work, in the order of their turns.
  private var waiting = TurnOrder<Connection>()

  init(_ party: Party) {
    self.party = party
  }

  /// Whether the share has more turns to come.
  var hasTurns: Bool { !waiting.isEmpty }

  fileprivate func add(_ connection: Connection) { waiting.add(connection) }

  fileprivate func takeTurn() -> Connection? { waiting.take() }
}

/// A first-in, first-out queue of turns.
///
/// An element is released at once after its turn. A connection that has ended may hold up to a
/// whole message, which no limit counts any more.
struct TurnOrder<Element> {
  private var elements: [Element?] = []
  private var next = 0

  var isEmpty: Bool { next == elements.count }

  mutating func add(_ element: Element) { elements.append(element) }

  mutating func take() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[next].take()
    next += 1
    // This is rare enough to cost almost nothing.
    if next * 2 > elements.count {
      elements.removeFirst(next)
      next = 0
    }
    return element
  }
}

/// Connections that have work.
///
/// Parties take turns, regardless of how many connections each one has.
struct TurnQueue {
  private var shares = TurnOrder<Share>()

  var isEmpty: Bool { shares.isEmpty }

  /// Queues a connection, once.
  mutating func add(_ connection: Connection) {
    guard !connection.isQueued else { return }
    connection.isQueued = true
    let share = connection.share
    if !share.hasTurns { shares.add(share) }
    share.add(connection)
  }

  /// The connection whose turn it is.
  ///
  /// It may have ended.
  mutating func take() -> Connection? {
    guard let share = shares.take() else { return nil }
    let connection = share.takeTurn()
    connection?.isQueued = false
    if share.hasTurns { shares.add(share) }
    return connection
  }
}
