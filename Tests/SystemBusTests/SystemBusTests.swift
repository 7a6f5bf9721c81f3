import Glibc
import System
import SystemBus
import TestSupport
import Testing

/// Calls and signals on a real bus.
@Suite(.serialized)
struct SystemBusTests {
  private let desktop: DesktopBus

  init() throws {
    desktop = try DesktopBus(logind: true)
  }

  private func answer(
    _ bus: SystemBus,
    _ method: String = "GetId",
    within limit: BusLimit
  ) -> Result<String, BusError> {
    Result { () throws(BusError) in try bus.callDriver(method, within: limit).text() }
  }

  @Test
  func aBusThatNeverAnswersIsWaitedForUntilTheLimit() throws {
    defer { desktop.remove() }
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let silent = try UnixSocket.listen(in: try Directory(path: directory), name: "s")
    let bus = try SystemBus("unix:path=\(directory)/s")
    let begun = BootInstant.now
    let late = answer(bus, within: BusLimit(milliseconds: 200))
    #expect(late == .failure(.failed(SystemError("GetId", code: ETIMEDOUT))))
    // An interrupt ends the wait at once, or the given time later.
    let wake = try WakeEvent()
    wake.signal()
    let interrupt = wake.descriptor.number
    for grace in [0, 200] {
      let limit = BusLimit(milliseconds: 60_000, interrupt: interrupt, grace: grace)
      #expect(answer(bus, within: limit) == .failure(.failed(SystemError("GetId", code: EINTR))))
      #expect(try bus.next(within: limit) == nil)
    }
    #expect(BootInstant.now.seconds(since: begun) < 30)
    _ = silent.number
  }

  @Test
  func anAnswerDuringTheGraceCounts() throws {
    defer { desktop.remove() }
    let wake = try WakeEvent()
    wake.signal()
    let bus = try SystemBus(desktop.address)
    let limit = BusLimit(interrupt: wake.descriptor.number, grace: 60_000)
    #expect(try answer(bus, within: limit).get().isEmpty == false)
  }

  @Test
  func anErrorHasItsName() throws {
    defer { desktop.remove() }
    let bus = try SystemBus(desktop.address)
    let error = #expect(throws: BusError.self) { try bus.owner(of: "io.thumblatch.None") }
    guard case .refused(let refusal) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(refusal.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
    #expect(refusal.method == "GetNameOwner")
    // A number is no text.
    #expect(throws: BusError.notUnderstood) {
      try bus.callDriver("GetConnectionUnixUser", [SystemBus.driver]).text()
    }
  }

  @Test
  func aNameOfAnotherUserIsNotTrusted() throws {
    defer { desktop.remove() }
    let owner = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: [
        "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c",
        """
        import dbus, signal, sys
        bus = dbus.bus.BusConnection(sys.argv[1])
        bus.request_name('io.thumblatch.Stranger')
        signal.pause()
        """, desktop.address,
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, 2]
    )
    defer {
      owner.kill()
      _ = try? owner.wait()
    }
    try desktop.act("await_name('io.thumblatch.Stranger')")
    let bus = try SystemBus(desktop.address)
    #expect(throws: BusError.failed(SystemError("GetConnectionUnixUser", code: EPERM))) {
      try bus.owner(of: "io.thumblatch.Stranger")
    }
    #expect(try bus.owner(of: "org.freedesktop.login1").hasPrefix(":"))
  }

  /// A signal that comes while a call waits for its answer is kept, and one of a stranger is not.
  @Test
  func noSignalIsLostDuringACall() throws {
    defer { desktop.remove() }
    let bus = try SystemBus(desktop.address)
    let owner = try bus.owner(of: "org.freedesktop.login1")
    let manager = "org.freedesktop.login1.Manager"
    try bus.subscribe(to: owner, "member='PrepareForSleep'")
    let path = "'/org/freedesktop/login1', '\(manager)', 'PrepareForSleep'"
    #expect(try desktop.run("forge(\(ThisProcess.identifier), \(path), True)") != "0")
    for isSleeping in ["True", "False"] { try desktop.run("prepare_for_sleep(\(isSleeping))") }
    #expect(try !answer(bus, within: BusLimit(milliseconds: 60_000)).get().isEmpty)
    for isSleeping in [true, false] {
      let signal = try #require(try bus.next(within: BusLimit(milliseconds: 60_000)))
      #expect(signal.sender == owner)
      #expect(signal.name == manager + ".PrepareForSleep")
      #expect(try signal.boolean() == isSleeping)
    }
    try desktop.run("prepare_for_sleep(True)")
    #expect(try !answer(bus, within: BusLimit(milliseconds: 60_000)).get().isEmpty)
    #expect(bus.takeKept().count == 1)
    #expect(bus.takeKept().isEmpty)
  }

  @Test
  func aBusThatEndsIsGone() throws {
    let bus = try SystemBus(desktop.address)
    #expect(try !answer(bus, within: BusLimit(milliseconds: 60_000)).get().isEmpty)
    desktop.remove()
    #expect(throws: BusError.gone) { try bus.next(within: BusLimit(milliseconds: 60_000)) }
    #expect(
      throws: BusError.noBus(SystemError("sd_bus_start", code: ENOENT, subject: desktop.address))
    ) {
      try SystemBus(desktop.address)
    }
  }
}
