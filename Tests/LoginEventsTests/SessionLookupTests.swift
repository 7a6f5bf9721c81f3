import Glibc
import System
import TestSupport
import Testing

@testable import LoginEvents

/// The location of a process by logind, on a real bus with a stand-in for logind.
@Suite(.serialized)
struct SessionLookupTests {
  private let bus: DesktopBus
  private let process = ThisProcess.identifier

  init() throws {
    bus = try DesktopBus(logind: true)
    try bus.act("add_session('1', 'seat0', 1234)")
    try bus.act("add_session('2', 'seat0', 4321)")
    try bus.act("set_session('1', State='active', Type='wayland')")
    try bus.act("set_sessions({\(process): '1'})")
  }

  private func group(_ path: String) -> ControlGroup? { ControlGroup.parse("0::\(path)\n") }

  /// Each combination of logind's facts.
  ///
  /// One rule says at which of them a finger counts.
  @Test
  func aFingerCountsOnlyForAnActiveLocalSessionOnASeat() throws {
    defer { bus.remove() }
    // The last fact changes first. `Type` decides nothing.
    try bus.act(
      """
      add_combinations(Active=(True, False), Remote=(True, False), \
      Seat=(seat_of('seat0'), seat_of('')), Class=('user', 'greeter', 'background'), \
      State=('active', 'online', 'closing'), Type=('wayland', 'tty', 'unspecified'), \
      LockedHint=(True, False), User=(user_of(1234), user_of(4321)))
      """
    )
    let lookup = try SessionLookup(address: bus.address)
    var counted = 0
    for number in 0..<(2 * 2 * 2 * 3 * 3 * 3 * 2 * 2) {
      var rest = number
      func choice(of count: Int) -> Int {
        defer { rest /= count }
        return rest % count
      }
      let isOwn = choice(of: 2) == 0
      let isLocked = choice(of: 2) == 0
      _ = choice(of: 3)
      let state = ["active", "online", "closing"][choice(of: 3)]
      let isPersonal = choice(of: 3) == 0
      let isAtSeat = choice(of: 2) == 0
      let isRemote = choice(of: 2) == 0
      let isActive = choice(of: 2) == 0
      let counts =
        isActive && !isRemote && isAtSeat && isPersonal && state == "active" && !isLocked && isOwn
      let location = try lookup.location(of: Int32(number), user: 1234)
      #expect((location.objection == nil) == counts, "\(number)")
      #expect(location.name == (state == "closing" ? "closing session" : "session") + " c\(number)")
      #expect(location.isLocal == (!isRemote && isAtSeat && isPersonal && state != "closing"))
      counted += counts ? 1 : 0
    }
    #expect(counted == 3)
  }

  /// Restores all facts for which a finger counts.
  private func reset() throws {
    try bus.act(
      """
      set_session('1', Id='1', Active=True, Remote=False, Seat=seat_of('seat0'), Class='user', \
      State='active', LockedHint=False, User=user_of(1234))
      """
    )
  }

  @Test
  func theReasonIsTold() throws {
    defer { bus.remove() }
    let reasons: [(String, LoginObjection)] = [
      ("Remote=True", .remoteSession), ("Active=False", .notActive),
      ("State='online'", .notActive), ("Seat=seat_of('')", .noSeat), ("State='closing'", .closing),
      ("LockedHint=True", .locked), ("User=user_of(4321)", .othersSession),
      ("Class='background'", .notPersonal),
      // The most specific reason.
      ("Remote=True, Active=False, Seat=seat_of('')", .remoteSession),
      ("Remote=True, State='closing'", .closing),
    ]
    let lookup = try SessionLookup(address: bus.address)
    for (facts, objection) in reasons {
      try reset()
      #expect(try lookup.location(of: process, user: 1234).objection == nil)
      try bus.act("set_session('1', \(facts))")
      #expect(try lookup.location(of: process, user: 1234).objection == objection, "\(facts)")
    }
  }

  /// Terminals of GNOME and KDE belong to the user's manager, and to no session.
  @Test
  func whoBelongsToTheUsersManagerSitsAtTheDisplaySession() throws {
    defer { bus.remove() }
    let lookup = try SessionLookup(address: bus.address)
    try bus.act("set_sessions({})")
    try bus.act("set_display(1234, '1')")
    try bus.act("set_display(4321, '2')")
    let terminal = "/user.slice/user-1234.slice/user@1234.service/app.slice/term.scope"
    func location(_ path: String, _ user: UInt32 = 1234) throws -> LoginLocation {
      try lookup.location(of: process, user: user) { _ in group(path) }
    }
    let found = try location(terminal)
    #expect(found.name == "session 1" && found.objection == nil && found.isLocal)
    #expect(try location("/user.slice/user-1234.slice/user@1234.service") == found)
    // A process of another user inside that unit.
    let other = try location(terminal, 4321)
    #expect(other.name == "unit \(terminal)" && other.objection == .noSession && !other.isLocal)
    // The display session has the usual rules.
    try bus.act("set_session('1', Remote=True)")
    #expect(try location(terminal).objection == .remoteSession)
    // Without a display session no person is at the machine.
    try bus.act("set_display(1234, '')")
    #expect(try location(terminal) == LoginLocation(unit: terminal))
    // The same if logind does not know the user at all.
    #expect(
      try location("/user@77.service/a.scope", 77)
        == LoginLocation(unit: "/user@77.service/a.scope")
    )
  }

  /// `systemd-run --user --scope` over ssh moves a program to the manager, and not its parents.
  @Test
  func aProgramOfTheManagerThatASessionStartedBelongsToThatSession() throws {
    defer { bus.remove() }
    let child = try ChildProcess(
      path: "/usr/bin/tail",
      arguments: ["-f", "/dev/null"],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    defer {
      child.kill()
      _ = try? child.wait()
    }
    try bus.act("add_session('7', 'seat0', 1234)")
    try bus.act("set_session('7', Remote=True)")
    try bus.act("set_sessions({\(process): '7'})")
    try bus.act("set_display(1234, '1')")
    let lookup = try SessionLookup(address: bus.address)
    func location(parent: String) throws -> LoginLocation {
      try lookup.location(of: child.identifier, user: 1234) { asked in
        let manager = "/user.slice/user-1234.slice/user@1234.service/run-1.scope"
        return group(asked == process ? parent : manager)
      }
    }
    let remote = try location(parent: "/user.slice/user-1234.slice/session-7.scope")
    #expect(remote.name == "session 7" && remote.objection == .remoteSession && !remote.isLocal)
    try bus.act("set_sessions({})")
    let cron = try location(parent: "/system.slice/cron.service")
    #expect(cron.name == "unit /system.slice/cron.service" && cron.objection == .noSession)
    // The parent of a service is the manager itself.
    let local = try location(parent: "/user.slice/user-1234.slice/user@1234.service/init.scope")
    #expect(local.name == "session 1" && local.objection == nil)
  }

  @Test
  func whoIsInNoSessionBelongsToItsUnit() throws {
    defer { bus.remove() }
    let lookup = try SessionLookup(address: bus.address)
    try bus.act("set_sessions({})")
    try bus.act("set_display(1234, '1')")
    let location = try lookup.location(of: process, user: 1234) { _ in
      group("/system.slice/cron.service")
    }
    #expect(location.name == "unit /system.slice/cron.service")
    #expect(location.objection == .noSession && !location.isLocal)
    let nowhere = try lookup.location(of: process, user: 1234) { _ in nil }
    #expect(nowhere.name == nil && nowhere.objection == .noSession)
  }

  /// sudo CVE-2013-1776 and CVE-2025-6018 trusted values that a program can set for itself.
  @Test
  func whatAProgramSaysOfItselfDoesNotCount() throws {
    defer { bus.remove() }
    let child = try ChildProcess(
      path: "/usr/bin/tail",
      arguments: ["-f", "/dev/null"],
      environment: [
        "XDG_SESSION_ID=1", "XDG_SEAT=seat0", "XDG_SESSION_TYPE=wayland", "XDG_VTNR=1",
      ],
      descriptors: [-1, -1, -1]
    )
    defer {
      child.kill()
      _ = try? child.wait()
    }
    let lookup = try SessionLookup(address: bus.address)
    #expect(try lookup.location(of: process, user: 1234).objection == nil)
    let location = try lookup.location(of: child.identifier, user: 1234)
    #expect(location.objection == .noSession && location.name != "session 1" && !location.isLocal)
  }

  @Test
  func whatMakesNoSenseIsNotBelieved() throws {
    defer { bus.remove() }
    let lookup = try SessionLookup(address: bus.address)
    for facts in [
      "Active='yes'", "Active=1", "Remote='no'", "Seat='seat0'", "User=dbus.UInt32(1234)",
      "Class=7", "State=True", "LockedHint='no'", "Id=''", "Id='1\\n2'", "Id='../1'",
      "Id='x' * 65", "Id=3", "Seat=dbus.Struct(('seat0', 'seat0'), signature='ss')",
    ] {
      try reset()
      #expect(try lookup.location(of: process, user: 1234).objection == nil)
      try bus.act("set_session('1', \(facts))")
      #expect(throws: LoginFailure.notUnderstood, "\(facts)") {
        _ = try lookup.location(of: process, user: 1234)
      }
    }
  }

  @Test
  func whatIsMissingIsNotMadeUp() throws {
    defer { bus.remove() }
    let all = [
      ("Id", "'9'"), ("User", "user_of(1234)"), ("Active", "True"), ("Remote", "False"),
      ("Seat", "seat_of('seat0')"), ("Class", "'user'"), ("State", "'active'"),
      ("LockedHint", "False"),
    ]
    let lookup = try SessionLookup(address: bus.address)
    for missing in [nil] + all.map(\.0) {
      let name = "x\(missing ?? "")"
      let facts = all.filter { $0.0 != missing }.map { "\($0.0)=\($0.1)" }
      try bus.act("add_strange('\(name)', \(facts.joined(separator: ", ")))")
      try bus.act("set_sessions({\(process): '\(name)'})")
      let location = Result { () throws(LoginFailure) in
        try lookup.location(of: process, user: 1234)
      }
      guard missing != nil else {
        #expect(try location.get().objection == nil)
        continue
      }
      #expect(location == .failure(.notUnderstood), "without \(missing ?? "")")
    }
    // A session that does not exist.
    try bus.act("set_sessions({\(process): 'gone'})")
    guard
      case .failure(.noLogind) = Result(catching: { () throws(LoginFailure) in
        try lookup.location(of: process, user: 1234)
      })
    else {
      Issue.record("a session was found that is not there")
      return
    }
  }

  @Test
  func logindThatDoesNotAnswerIsWaitedForNoLongerThanTwoSeconds() throws {
    defer { bus.remove() }
    let lookup = try SessionLookup(address: bus.address)
    bus.haltLogind()
    let begun = BootInstant.now
    let location = Result { () throws(LoginFailure) in try lookup.location(of: process, user: 1234)
    }
    guard case .failure(.noLogind(let cause)) = location else {
      Issue.record("\(location)")
      return
    }
    #expect(cause.code == ETIMEDOUT)
    #expect(BootInstant.now.seconds(since: begun) >= 1)
  }

  @Test
  func withoutLogindThereIsAReason() throws {
    defer { bus.remove() }
    let lookup = try SessionLookup(address: bus.address)
    try bus.killLogind()
    for attempt in [
      Result(catching: { () throws(LoginFailure) in try lookup.location(of: process, user: 1234) }),
      Result(catching: { () throws(LoginFailure) in
        try SessionLookup(address: bus.address).location(of: process, user: 1234)
      }),
    ] {
      guard case .failure(.noLogind) = attempt else {
        Issue.record("\(attempt)")
        continue
      }
    }
    #expect {
      _ = try SessionLookup(address: "unix:path=/nowhere/bus")
    } throws: { error in
      guard case .bus(let cause) = error as? LoginFailure else { return false }
      return cause.code == ENOENT
    }
  }
}
