import Glibc
import LoginEvents
import Synchronization
import System
import TestSupport
import Testing

/// Logind's reports about a user's sessions, on a real bus with a stand-in for logind.
@Suite(.serialized)
struct SessionWatchTests {
  private let bus: DesktopBus

  init() throws {
    bus = try DesktopBus(logind: true)
    try bus.act("add_session('1', 'seat0', 1234)")
    try bus.act("add_session('2', 'seat0', 4321)")
  }

  /// The end or failure of the watch after it was begun.
  private func end(
    delaysSleep: Bool = false,
    _ happening: () throws -> Void
  ) throws -> Result<SessionEnd?, LoginFailure> {
    var watch = try SessionWatch(user: 1234, address: bus.address, delaysSleep: delaysSleep)
    try happening()
    let wake = try WakeEvent()
    return Result { () throws(LoginFailure) in
      var end = try watch.next(interrupt: wake.descriptor.number)
      while true {
        switch end {
        case .sessionEnded?, .sessionLocked?:
          end = try watch.next(interrupt: wake.descriptor.number)
        default: return end
        }
      }
    }
  }

  @Test(arguments: [
    ("session('1', 'Lock')", SessionEnd.locked),
    ("session('1', 'SetLockedHint', True)", .locked),
    ("update_session('1', 'Active', False)", .switchedAway),
    ("prepare_for_sleep(True)", .sleeping),
    ("remove_session('1')", .loggedOut),
  ])
  func whatEndsAPersonsTimeIsSeen(_ act: String, _ end: SessionEnd) throws {
    defer { bus.remove() }
    #expect(try self.end { try bus.act(act) } == .success(end))
  }

  @Test
  func aScreenThatIsLockedAlreadyIsSeenAtTheBeginning() throws {
    defer { bus.remove() }
    func before() throws -> SessionEnd? {
      try SessionWatch(user: 1234, address: bus.address, delaysSleep: false).before
    }
    #expect(try before() == nil)
    // The session of another user.
    try bus.act("session('2', 'SetLockedHint', True)")
    #expect(try before() == nil)
    try bus.act("session('1', 'SetLockedHint', True)")
    #expect(try before() == .locked)
    // The person may be at the other session.
    try bus.act("add_session('3', '', 1234)")
    #expect(try before() == nil)
    try bus.act("session('3', 'SetLockedHint', True)")
    #expect(try before() == .locked)
    try bus.act("session('1', 'SetLockedHint', False)")
    #expect(try before() == nil)
  }

  @Test
  func whatEndsNothingIsPassedOver() throws {
    defer { bus.remove() }
    let end = try end {
      for act in [
        // Events of other users.
        "session('2', 'Lock')", "session('2', 'SetLockedHint', True)",
        "update_session('2', 'Active', False)", "remove_session('2')",
        // Events that are not ends.
        "session('1', 'Unlock')", "session('1', 'SetLockedHint', False)",
        "update_session('1', 'Active', True)", "update_session('1', 'IdleHint', True)",
        "prepare_for_sleep(False)",
        // A session without a seat, which is not the last one.
        "add_session('3', '', 1234)", "remove_session('3')",
        // The session of a timer.
        "add_session('4', 'seat0', 1234, 'background')", "session('4', 'Lock')",
        "remove_session('4')",
      ] { try bus.act(act) }
      // A session that came later.
      try bus.act("add_session('5', 'seat0', 1234)")
      try bus.act("update_session('5', 'Active', False)")
    }
    #expect(end == .success(.switchedAway))
  }

  @Test
  func theEndOfOneSessionAmongSeveralIsThatOfThisOne() throws {
    defer { bus.remove() }
    try bus.act("add_session('c3', '', 1234)")
    var watch = try SessionWatch(user: 1234, address: bus.address, delaysSleep: false)
    let wake = try WakeEvent()
    // Another user may have left the session to this one.
    for act in ["session('2', 'Lock')", "update_session('2', 'Active', False)"] {
      try bus.act(act)
      #expect(try watch.next(interrupt: wake.descriptor.number) == .sessionLocked("2"))
    }
    // A session of this user, and that one.
    for (session, name) in [("'c3'", "c3"), ("'2'", "2")] {
      try bus.act("remove_session(\(session))")
      #expect(try watch.next(interrupt: wake.descriptor.number) == .sessionEnded(name))
    }
  }

  @Test
  func whereTheComputerDoesNotWaitWithSleepAllElseIsSeen() throws {
    defer { bus.remove() }
    try bus.act("refuse_inhibitors()")
    var watch = try SessionWatch(user: 1234, address: bus.address, delaysSleep: true)
    guard case .noLogind? = watch.sleepFailure else {
      Issue.record("\(String(describing: watch.sleepFailure))")
      return
    }
    let wake = try WakeEvent()
    try bus.run("prepare_for_sleep(True)")
    #expect(try watch.next(interrupt: wake.descriptor.number) == .sleeping)
  }

  @Test
  func theLastSessionFromAfarCounts() throws {
    defer { bus.remove() }
    try bus.act("add_session('3', '', 1234)")
    try bus.act("remove_session('1')")
    #expect(try end { try bus.act("remove_session('3')") } == .success(.loggedOut))
  }

  @Test
  func whatAStrangerSendsDoesNotCount() throws {
    defer { bus.remove() }
    let session = "'/org/freedesktop/login1/session/1', 'org.freedesktop.login1.Session'"
    let manager = "'/org/freedesktop/login1', 'org.freedesktop.login1.Manager'"
    let end = try end {
      for act in ["\(session), 'Lock'", "\(manager), 'PrepareForSleep', True"] {
        let count = try bus.run("forge(\(ThisProcess.identifier), \(act))")
        #expect(Int(count) ?? 0 > 0, "\(count)")
      }
      try bus.act("update_session('1', 'Active', False)")
    }
    #expect(end == .success(.switchedAway))
  }

  @Test
  func theComputerWaitsWithSleep() throws {
    defer { bus.remove() }
    var watch = try SessionWatch(user: 1234, address: bus.address, delaysSleep: true)
    try bus.run("await_inhibitor(True)")
    try bus.run("prepare_for_sleep(True)")
    let wake = try WakeEvent()
    #expect(try watch.next(interrupt: wake.descriptor.number) == .sleeping)
    #expect(try bus.run("still_inhibits(20)") == "True")
    watch.letSleep()
    try bus.run("await_inhibitor(False)")
  }

  @Test
  func anInterruptEndsTheWait() throws {
    defer { bus.remove() }
    var watch = try SessionWatch(user: 1234, address: bus.address, delaysSleep: true)
    let wake = try WakeEvent()
    wake.signal()
    #expect(try watch.next(interrupt: wake.descriptor.number) == nil)
  }

  @Test
  func logindThatGoesIsAnEnd() throws {
    defer { bus.remove() }
    #expect(try end { try bus.killLogind() } == .failure(.gone))
    // No watch can begin without logind.
    #expect {
      _ = try SessionWatch(user: 1234, address: bus.address, delaysSleep: false)
    } throws: { error in
      guard case .noLogind = error as? LoginFailure else { return false }
      return true
    }
  }

  @Test
  func aBusThatGoesIsAnEnd() throws {
    #expect(try end { bus.remove() } == .failure(.gone))
  }

  @Test
  func withoutABusThereIsAReason() throws {
    defer { bus.remove() }
    #expect {
      _ = try SessionWatch(user: 1234, address: "unix:path=/nowhere/bus", delaysSleep: false)
    } throws: { error in
      guard case .bus(let cause) = error as? LoginFailure else { return false }
      return cause.code == ENOENT
    }
  }
}
