import System
import Testing

@testable import VaultServer

/// The admission, the eviction and the turns of connections.
@Suite
struct ConnectionTableTests {
  private static let limits = ConnectionLimits(
    each: 4,
    all: 12,
    reserve: 2,
    strangers: 3,
    buffered: 100_000,
    strangersBuffered: 20_000
  )

  /// A table with connections, whose other ends are kept open.
  private final class Scene {
    var table = ConnectionTable(limits)
    var turns = TurnQueue()
    private var number: UInt64 = 1
    private var others: [Int32] = []

    deinit {
      for other in others { _ = Descriptor(owning: other) }
    }

    func add(
      _ user: UInt32,
      _ kind: UserKind = .person
    ) throws -> Connection {
      let (own, other) = try UnixSocket.pair()
      others.append(other)
      let socket = Descriptor(owning: own)
      try socket.setNonblocking(true)
      let peer = Peer(
        socket,
        PeerCredentials(process: ThisProcess.identifier, user: user, group: user),
        try ProcessHandle(identifier: ThisProcess.identifier)
      )
      let party: Party = kind == .person ? .person(user) : .strangers
      let share = table.share(of: party)
      let connection = Connection(peer, number: number, share: share, kind: kind)
      number += 1
      table.add(connection)
      return connection
    }

    /// Makes the other end send something that the connection has not read yet.
    func sendUnread(to connection: Connection) throws {
      let other = Descriptor(owning: others[Int(connection.number) - 1])
      try other.write("a")
      _ = other.relinquish()
    }

    /// Makes the other end send this many bytes, which do not count as a message.
    func send(_ count: Int, to connection: Connection) throws {
      let other = Descriptor(owning: others[Int(connection.number) - 1])
      try other.write(String(repeating: "a", count: count))
      _ = other.relinquish()
      #expect(connection.receive())
      table.recount(connection)
    }

    func evicted(by party: Party) -> UInt64? {
      switch table.room(for: party) {
      case .free: 0
      case .insteadOf(let connection): connection.number
      case .none: nil
      }
    }
  }

  private static let stranger = UserKind.stranger("a test")

  @Test
  func strangersHaveFewConnectionsTogether() throws {
    let scene = Scene()
    for user in UInt32(1)...3 {
      #expect(scene.evicted(by: .strangers) == 0)
      _ = try scene.add(user, Self.stranger)
    }
    // The connection with the longest silence is evicted, but none of a person.
    #expect(scene.evicted(by: .strangers) == 1)
    #expect(scene.evicted(by: .person(9)) == 0)
    _ = scene.table.remove(1)
    #expect(scene.evicted(by: .strangers) == 0)
    // A connection in lookup comes after known strangers.
    let pending = try scene.add(7, .pending)
    #expect(scene.evicted(by: .strangers) == 2)
    scene.table.move(pending, to: .person(7))
    pending.kind = .person
    #expect(scene.table.hasPerson(7) && scene.evicted(by: .strangers) == 0)
    #expect(scene.table.strangers.map(\.number) == [2, 3])
  }

  /// A busy server reads late.
  ///
  /// A connection with a call that was not read yet is not idle.
  @Test
  func aCallThatWasNotReadYetKeepsItsConnection() throws {
    let scene = Scene()
    let own = try (0..<4).map { _ in try scene.add(1) }
    for connection in own.prefix(3) { try scene.sendUnread(to: connection) }
    #expect(scene.evicted(by: .person(1)) == own[3].number)
    try scene.sendUnread(to: own[3])
    #expect(scene.evicted(by: .person(1)) == nil)
    // It locks out no other person.
    for user in UInt32(2)...9 { _ = try scene.add(user) }
    #expect(scene.table.count == 12)
    #expect(scene.evicted(by: .person(10)) == own[0].number)
  }

  @Test
  func aFullTableHasRoomForAPersonInPlaceOfAStranger() throws {
    let scene = Scene()
    for _ in 0..<4 { _ = try scene.add(1) }
    for _ in 0..<4 { _ = try scene.add(2) }
    let stranger = try scene.add(50, Self.stranger)
    for user in UInt32(3)...5 { _ = try scene.add(user) }
    #expect(scene.table.count == 12)
    #expect(scene.evicted(by: .person(6)) == stranger.number)
    #expect(scene.evicted(by: .strangers) == stranger.number)
    _ = scene.table.remove(stranger.number)
    _ = try scene.add(6)
    // Without strangers, one of the person with the most connections is evicted.
    let evicted = try #require(scene.evicted(by: .person(7)))
    #expect((1...8).contains(evicted))
    #expect(scene.evicted(by: .strangers) == nil)
    // A person at the limit loses one of their own connections.
    #expect(scene.evicted(by: .person(1)) == 1)
  }

  @Test
  func whoHoldsMostGoesWhereAllTogetherHoldTooMuch() throws {
    let scene = Scene()
    let heavy = try (0..<4).map { _ in try scene.add(1) }
    let light = try scene.add(2)
    for connection in heavy { try scene.send(20_000, to: connection) }
    try scene.send(50, to: light)
    #expect(scene.table.heaviest === nil || scene.table.buffered > 100_000)
    try scene.send(20_000, to: heavy[2])
    #expect(scene.table.buffered > 100_000)
    let first = try #require(scene.table.heaviest)
    #expect(first === heavy[2])
    while let heaviest = scene.table.heaviest {
      #expect(heaviest.user == 1)
      _ = scene.table.remove(heaviest.number)
    }
    #expect(scene.table[light.number] != nil && scene.table.buffered <= 100_000)
    for connection in heavy { _ = scene.table.remove(connection.number) }
    _ = scene.table.remove(light.number)
    #expect(scene.table.buffered == 0)
  }

  @Test
  func strangersTogetherHoldLittle() throws {
    let scene = Scene()
    for user in UInt32(1)...2 { try scene.send(15_000, to: scene.add(user, Self.stranger)) }
    let person = try scene.add(3)
    try scene.send(30_000, to: person)
    let heaviest = try #require(scene.table.heaviest)
    #expect(heaviest.user != 3)
    _ = scene.table.remove(heaviest.number)
    #expect(scene.table.heaviest == nil)
  }

  @Test
  func whoMakesNoCallGoesWhereThereIsLittleRoom() throws {
    let scene = Scene()
    for user in UInt32(1)...2 { _ = try scene.add(user, Self.stranger) }
    for user in UInt32(11)...14 { _ = try scene.add(user) }
    let later = BootInstant.now.advanced(bySeconds: 6)
    #expect(!scene.table.isNearlyFull && scene.table.silent(at: later, after: 5).isEmpty)
    let caller = try scene.add(3, Self.stranger)
    try scene.send(1, to: caller)
    #expect(scene.table.isNearlyFull)
    // Half a message does not count as a call.
    #expect(Set(scene.table.silent(at: later, after: 5).map(\.user)) == [1, 2, 3])
    #expect(scene.table.silent(at: .now, after: 5).isEmpty)
    for connection in scene.table.strangers { _ = scene.table.remove(connection.number) }
    for user in UInt32(15)...19 { _ = try scene.add(user) }
    #expect(scene.table.silent(at: later, after: 5).count == 9)
  }

  @Test
  func eachPartyHasOneTurnAfterTheOther() throws {
    let scene = Scene()
    let many = try (0..<4).map { _ in try scene.add(1) }
    let one = try scene.add(2)
    let strangers = try [scene.add(8, Self.stranger), scene.add(9, Self.stranger)]
    for connection in many { scene.turns.add(connection) }
    scene.turns.add(many[0])
    scene.turns.add(one)
    for connection in strangers { scene.turns.add(connection) }
    var order: [UInt32] = []
    while let next = scene.turns.take() {
      order.append(next.user)
      // A party with more work comes again, at the end.
      if order.count == 2 { scene.turns.add(next) }
    }
    #expect(order == [1, 2, 8, 1, 2, 9, 1, 1])
    #expect(scene.turns.isEmpty && many.allSatisfy { !$0.isQueued })
  }
}
