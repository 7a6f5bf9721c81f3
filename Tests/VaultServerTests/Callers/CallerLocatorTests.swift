import System
import TestSupport
import Testing
import TokenVault

@testable import VaultServer

/// The locations of callers, from a stand-in for logind on a real bus.
///
/// No other caller waits for the lookup.
@Suite(.serialized)
struct CallerLocatorTests {
  private let bus: DesktopBus
  private let user = ThisProcess.user

  init() throws {
    bus = try DesktopBus(logind: true)
    try bus.act("add_session('1', 'seat0', \(user))")
    try bus.act("set_session('1', State='active')")
    try bus.act("set_sessions({\(ThisProcess.identifier): '1'})")
  }

  private func caller(_ connection: UInt64, _ peer: Peer?) -> Caller {
    Caller(connection: connection, user: user, requester: "bash, PID 1", peer: peer)
  }

  @Test
  func aCallerInALocalSessionIsAtItsSeat() async throws {
    defer { bus.remove() }
    let peer = try Peer.thisProcess()
    let locations = CallerLocator(address: bus.address)
    let here = CallerLocation(
      name: "session 1",
      objection: nil,
      isLocal: true,
      hasSession: true
    )
    #expect(await locations.location(of: caller(1, peer)) == here)
    try bus.act("set_session('1', Remote=True)")
    let far = CallerLocation(
      name: "session 1",
      objection: "remote session",
      isLocal: false,
      hasSession: true
    )
    #expect(await locations.location(of: caller(2, peer)) == far)
    // Without a session the caller shares the location of its unit. Without a unit it has its own
    // location.
    try bus.act("set_sessions({})")
    let one = await locations.location(of: caller(1, peer))
    let two = await locations.location(of: caller(2, peer))
    #expect(one.hasSession == false && two.hasSession == false)
    #expect(one.objection == "no session" && !one.isLocal)
    if let group = ControlGroup(process: ThisProcess.identifier) {
      #expect(one == two && one.name == "unit \(group.unit)")
    } else {
      #expect(one.name == "connection 1" && two.name == "connection 2")
    }
  }

  @Test
  func manyAtOnceAreAnsweredEachForItself() async throws {
    defer { bus.remove() }
    let peer = try Peer.thisProcess()
    // The last caller waits for all others, and the machine may be busy.
    let locations = CallerLocator(address: bus.address, limit: 300_000_000_000)
    let found = await withTaskGroup(of: CallerLocation.self) { group in
      for connection: UInt64 in 1...300 {
        let caller = caller(connection, connection % 3 == 0 ? nil : peer)
        group.addTask { await locations.location(of: caller) }
      }
      return await group.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
    }
    #expect(found["session 1"] == 200)
    // The engine itself has no location.
    #expect(found.count == 101 && found["connection 3"] == 1)
  }

  @Test
  func aCallerThatHasEndedSitsNowhere() async throws {
    defer { bus.remove() }
    let location = try Directory(path: bus.directory)
    let listener = try UnixSocket.listen(in: location, name: "test")
    let child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: [
        "-c",
        """
        import socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        s.recv(1)
        """, bus.directory + "/test",
      ],
      environment: [],
      descriptors: [-1, -1, 2]
    )
    #expect(try listener.waitReadable(milliseconds: 60_000))
    guard let socket = try UnixSocket.accept(on: listener) else {
      Issue.record("no connection came")
      return
    }
    let peer = try Peer(of: socket)
    try bus.act("set_sessions({\(child.identifier): '1'})")
    let locations = CallerLocator(address: bus.address)
    child.kill()
    _ = try child.wait()
    // Its number may belong to another process by now.
    let found = await locations.location(of: caller(7, peer))
    #expect(
      found
        == CallerLocation(name: "connection 7", objection: "the caller has ended", isLocal: false)
    )
  }

  @Test
  func withoutLogindNoCallersShareALocation() async throws {
    defer { bus.remove() }
    let peer = try Peer.thisProcess()
    func unknown(_ connection: UInt64) -> CallerLocation {
      CallerLocation(
        name: "connection \(connection)",
        objection: "logind does not answer",
        isLocal: false
      )
    }
    let nowhere = CallerLocator(address: "unix:path=/nowhere/bus")
    #expect(await nowhere.location(of: caller(1, peer)) == unknown(1))
    let locations = CallerLocator(address: bus.address)
    bus.haltLogind()
    let begun = BootInstant.now
    // The lookups do not wait for earlier ones.
    let (one, two, three) = (caller(1, peer), caller(2, peer), caller(3, peer))
    async let first = locations.location(of: one)
    async let second = locations.location(of: two)
    async let third = locations.location(of: three)
    #expect(await (first, second, third) == (unknown(1), unknown(2), unknown(3)))
    #expect(BootInstant.now.seconds(since: begun) < 30)
    bus.resumeLogind()
    #expect(await locations.location(of: caller(4, peer)).name == "session 1")
    try bus.killLogind()
    #expect(await locations.location(of: caller(5, peer)) == unknown(5))
  }
}
