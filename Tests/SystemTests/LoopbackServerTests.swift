import TestSupport
import Testing

@testable import System

/// The user of the program at the other end of a connection within this machine.
@Suite(.timeLimit(.minutes(10)))
struct LoopbackServerTests {
  private static let nobody = PortHolder.nobody
  private static let own: Set<UInt32> = [ThisProcess.user]

  private func address(_ text: String, _ port: UInt16) throws -> LoopbackAddress {
    try #require(LoopbackAddress(text, port: port))
  }

  private func server(
    _ holder: PortHolder,
    _ text: String = "127.0.0.1",
    for users: Set<UInt32> = own
  ) throws -> LoopbackServer {
    try LoopbackServer(at: address(text, holder.port), for: users)
  }

  /// A connection that lasts as long as this object.
  private final class Connection {
    private let socket: Descriptor
    /// This side's end of it.
    let own: LoopbackAddress

    init(_ port: UInt16, _ family: LoopbackSocket.Family = .ipv4) throws {
      socket = try LoopbackSocket.connect(family, port: port)
      let port = try LoopbackSocket.port(of: socket)
      own = try #require(
        LoopbackAddress(family == .ipv4 ? "127.0.0.1" : "::1", port: port)
      )
    }
  }

  // MARK: - Real sockets

  @Test(arguments: [
    PortHolder.Place.ipv4, .anyIPv4, .any, .mapped, .ipv6, .anyIPv6,
  ])
  func theKernelTellsTheSameByBothOfItsWays(_ place: PortHolder.Place) throws {
    let holder = try PortHolder(at: place)
    let connection = try Connection(holder.port, [.ipv6, .anyIPv6].contains(place) ? .ipv6 : .ipv4)
    for text in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"] {
      let address = try address(text, holder.port)
      #expect(
        try LoopbackServer.listeners(at: address) == LoopbackServer.listenersInTables(at: address),
        "\(text)"
      )
    }
    withExtendedLifetime(connection) {}
  }

  @Test(arguments: [PortHolder.Place.ipv4, .anyIPv4, .any, .mapped])
  func aProgramOfThisUserIsTrustedBeforeAndAfterItAccepts(_ place: PortHolder.Place) throws {
    let holder = try PortHolder(at: place)
    let server = try server(holder)
    #expect(server.stranger == nil)
    let connection = try Connection(holder.port)
    #expect(try server.objection(to: connection.own) == nil, "a connection that waits")
    try holder.accept()
    #expect(try server.objection(to: connection.own) == nil)
    withExtendedLifetime(connection) {}
  }

  @Test(arguments: [PortHolder.Place.ipv6, .anyIPv6, .any])
  func itIsSoOverIPv6(_ place: PortHolder.Place) throws {
    let holder = try PortHolder(at: place)
    let server = try server(holder, "::1")
    #expect(server.stranger == nil)
    let connection = try Connection(holder.port, .ipv6)
    #expect(try server.objection(to: connection.own) == nil)
    withExtendedLifetime(connection) {}
  }

  @Test(arguments: [PortHolder.Place.ipv4, .anyIPv4, .any, .mapped])
  func aProgramOfAnotherUserIsAStrangerWhateverAddressItListensAt(
    _ place: PortHolder.Place
  ) throws {
    let holder = try PortHolder(at: place, user: Self.nobody)
    let server = try server(holder)
    #expect(server.stranger == .user(Self.nobody))
    // The program has not accepted yet, but its listener is visible.
    let connection = try Connection(holder.port)
    #expect(try server.objection(to: connection.own) == .user(Self.nobody))
    withExtendedLifetime(connection) {}
    #expect(try self.server(holder, for: [Self.nobody]).stranger == nil, "its user is named")
  }

  @Test(arguments: [PortHolder.Place.ipv6, .anyIPv6, .any])
  func itIsAStrangerOverIPv6(_ place: PortHolder.Place) throws {
    let holder = try PortHolder(at: place, user: Self.nobody)
    #expect(try server(holder, "::1").stranger == .user(Self.nobody))
  }

  @Test
  func oneOfSeveralListenersIsEnough() throws {
    let own = try PortHolder(at: .ipv6)
    let other = try PortHolder(at: .ipv4, port: own.port, user: Self.nobody)
    #expect(try server(own, "::1").stranger == nil)
    #expect(try server(other).stranger == .user(Self.nobody))
    // By the tables, a listener for IPv6 only may accept IPv4 as well.
    let six = try PortHolder(at: .anyIPv6, user: Self.nobody)
    let four = try PortHolder(at: .ipv4, port: six.port)
    #expect(try server(four).stranger == .user(Self.nobody))
  }

  @Test
  func programsThatShareAPortAreThisUsers() throws {
    let first = try PortHolder(isShared: true)
    let second = try PortHolder(port: first.port, isShared: true)
    let server = try server(second)
    let connection = try Connection(second.port)
    #expect(try server.objection(to: connection.own) == nil)
    withExtendedLifetime(connection) {}
  }

  @Test
  func whereNoProgramListenedBeforeNothingIsTrustedAfterwards() throws {
    let free = try PortHolder()
    try free.close()
    let server = try server(free)
    #expect(server.stranger == nil)
    let holder = try PortHolder(port: free.port)
    let connection = try Connection(holder.port)
    #expect(try server.objection(to: connection.own) == .unknown)
    withExtendedLifetime(connection) {}
  }

  /// The attack: another user's program accepts the connection while the provider restarts.
  ///
  /// It is gone when the tables are read again.
  @Test
  func aConnectionThatAnotherUserTookInBetweenIsNotTrusted() throws {
    let before = try PortHolder()
    let server = try server(before)
    try before.close()
    let stranger = try PortHolder(port: before.port, user: Self.nobody)
    let connection = try Connection(stranger.port)
    try stranger.accept()
    try stranger.close()
    let after = try PortHolder(port: before.port)
    #expect(try server.objection(to: connection.own) == .user(Self.nobody))
    withExtendedLifetime((connection, after)) {}
  }

  /// The same with a listener that excludes IPv4, which the tables do not show.
  @Test
  func anIPv6OnlyListenerVouchesForNoIPv4Connection() throws {
    let own = try PortHolder(at: .anyIPv6)
    let server = try server(own)
    #expect(server.stranger == nil)
    let stranger = try PortHolder(at: .ipv4, port: own.port, user: Self.nobody)
    let connection = try Connection(own.port)
    try stranger.accept()
    try stranger.close()
    #expect(try server.objection(to: connection.own) == .user(Self.nobody))
    withExtendedLifetime(connection) {}
  }

  // MARK: - The rule

  private typealias Listener = LoopbackServer.Listener

  private func judge(
    _ before: [Listener],
    _ after: [Listener],
    _ acceptance: LoopbackServer.Acceptance,
    _ users: Set<UInt32> = [1000]
  ) -> LoopbackServer.Objection? {
    LoopbackServer.objection(before: Set(before), after: Set(after), acceptance, users: users)
  }

  @Test
  func theRuleHoldsForAllThatTheTablesMayShow() {
    let sure = Listener(user: 1000, inode: 1, isSure: true)
    let unsure = Listener(user: 1000, inode: 2, isSure: false)
    let later = Listener(user: 1000, inode: 3, isSure: true)
    let root = Listener(user: 0, inode: 4, isSure: true)
    let stranger = Listener(user: 1001, inode: 5, isSure: true)
    // A listener that existed all the time vouches for the program that accepts for it.
    for acceptance in [.waiting, .accepted(1000), .accepted(33), .unseen]
      as [LoopbackServer.Acceptance]
    {
      #expect(judge([sure], [sure], acceptance) == nil)
      #expect(judge([root], [root], acceptance) == nil)
      #expect(judge([sure, stranger], [sure], acceptance) == .user(1001))
      #expect(judge([sure], [sure, stranger], acceptance) == .user(1001))
      #expect(judge([stranger], [stranger], acceptance) == .user(1001))
      #expect(judge([stranger], [stranger], acceptance, [1000, 1001]) == nil)
      #expect(judge([], [sure], acceptance) == .unknown)
      #expect(judge([sure], [], acceptance) == .unknown)
      #expect(judge([], [], acceptance) == .unknown)
    }
    // A listener that was replaced, or that may not be for this address, vouches for none.
    for (before, after) in [([sure], [later]), ([unsure], [unsure])] {
      #expect(judge(before, after, .waiting) == nil)
      #expect(judge(before, after, .accepted(1000)) == nil)
      #expect(judge(before, after, .accepted(0)) == nil)
      #expect(judge(before, after, .accepted(1001)) == .user(1001))
      #expect(judge(before, after, .unseen) == .unknown)
    }
  }

  @Test
  func addressesAreWhatTheyAreInWhateverSpelling() throws {
    let four = try address("127.0.0.1", 80)
    #expect(try four == address("::ffff:127.0.0.1", 80))
    #expect(try four.hasSameHost(as: address("::ffff:7f00:1", 81)))
    #expect(four == LoopbackAddress([127, 0, 0, 1], port: 80))
    for text in ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.2"] {
      #expect(try address(text, 1).isLoopback)
    }
    for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "::127.0.0.1", "10.0.0.1"] {
      #expect(try !address(text, 1).isLoopback)
    }
    for text in ["", "127.1", "localhost", "::1%lo", "127.0.0.1 "] {
      #expect(LoopbackAddress(text, port: 1) == nil)
    }
    for count in [0, 3, 5, 15, 17] {
      #expect(LoopbackAddress([UInt8](repeating: 1, count: count)[...], port: 1) == nil)
    }
  }

  @Test
  func theInterfacesOfThisMachineAreKnown() throws {
    let all = try InterfaceAddresses.all()
    #expect(all.contains([127, 0, 0, 1]))
    #expect(all.allSatisfy { [4, 16].contains($0.count) })
  }
}
