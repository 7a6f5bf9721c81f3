import Glibc
import SecretMemory
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
    // A number is not text.
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

  /// A signal that comes while a call waits for its answer is kept, but a signal from another
  /// sender is not.
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

  /// Serves calls by answering what came, until a call of `End`.
  private static func echo(at address: String, started: WakeHolder) throws(BusError) {
    let bus = try SystemBus(address)
    let isOwner = try bus.own("io.thumblatch.Echo")
    #expect(isOwner)
    started.event.signal()
    while let call = try bus.next(within: BusLimit(milliseconds: 60_000)) {
      guard call.member != "End" else { return try bus.answer(call, []) }
      do throws(BusError) {
        let values = try call.values()
        try bus.signal(call.path, "io.thumblatch.Echo", "Came", values, to: call.sender)
        try bus.answer(call, values)
      } catch {
        try bus.refuse(call, name: "io.thumblatch.Bad", message: error.reason)
      }
    }
  }

  @Test
  func aServedCallBringsBackItsValues() throws {
    defer { desktop.remove() }
    let address = desktop.address
    let started = try WakeHolder()
    try startThread { try? Self.echo(at: address, started: started) }
    #expect(try started.event.descriptor.waitReadable(milliseconds: 60_000))
    let bus = try SystemBus(address)
    #expect(try !bus.own("io.thumblatch.Echo"))
    let owner = try bus.owner(of: "io.thumblatch.Echo", user: ThisProcess.user)
    try bus.subscribe(to: owner, "interface='io.thumblatch.Echo'")
    func call(_ method: String, _ values: [BusValue]) throws(BusError) -> BusMessage {
      try bus.call(owner, "/a", "io.thumblatch.Echo", method, values: values)
    }
    let secret = SharedSecret(try SecretBytes(copying: [0, 1, 255]))
    let values: [BusValue] = [
      .text("é"), .path("/a/b"), .byte(7), .number(8), .signed(-9), .wide(1 << 63), .boolean(true),
      .bytes(secret), .bytes(SharedSecret(try SecretBytes(copying: []))), .texts(["a", ""]),
      .array("o", []), .structure([.path("/"), .bytes(secret), .structure([.text("")])]),
      .variant(.variant(.texts([]))), .dictionary([("a", .boolean(false)), ("b", .texts(["c"]))]),
      .array("{o(oay)}", [.entry(.path("/"), .structure([.path("/"), .bytes(secret)]))]),
    ]
    let echoed = try call("Echo", values).values()
    #expect(echoed.map(\.type) == values.map(\.type))
    #expect("\(try call("Echo", echoed).values().count)" == "\(values.count)")
    guard case .bytes(let first) = echoed[7] else { throw BusError.notUnderstood }
    let isEqual = SecretBytes.constantTimeEqual(first.bytes, secret.bytes)
    #expect(isEqual)
    #expect(try bus.next(within: BusLimit(milliseconds: 60_000))?.values().count == values.count)
    // Messages over the limits, and unsupported types.
    let long = String(repeating: "x", count: 70_000)
    for values: [BusValue] in [[.text(long)], [.texts(Array(repeating: "", count: 5000))]] {
      let error = #expect(throws: BusError.self) { try call("Echo", values) }
      guard case .refused(let refusal) = error else {
        Issue.record("\(error as Any)")
        continue
      }
      #expect(refusal.name == "io.thumblatch.Bad")
    }
    _ = try call("End", [])
  }

  /// Answers one call with a number, on request.
  private static func answerLate(
    at address: String,
    _ started: WakeHolder,
    _ release: WakeHolder
  ) throws {
    let bus = try SystemBus(address)
    let isOwner = try bus.own("io.thumblatch.Late")
    #expect(isOwner)
    started.event.signal()
    guard let call = try bus.next(within: BusLimit(milliseconds: 60_000)) else { return }
    _ = try release.event.descriptor.waitReadable(milliseconds: 60_000)
    try bus.answer(call, [.number(7)])
    // The bus has the answer before the connection ends.
    _ = try bus.callDriver("GetId")
  }

  @Test
  func anAnswerAfterTheLimitComesIfItIsExpected() throws {
    defer { desktop.remove() }
    let address = desktop.address
    let (started, release) = (try WakeHolder(), try WakeHolder())
    try startThread { try? Self.answerLate(at: address, started, release) }
    #expect(try started.event.descriptor.waitReadable(milliseconds: 60_000))
    let bus = try SystemBus(address)
    let name = "io.thumblatch.Late"
    let owner = try bus.owner(of: name, user: ThisProcess.user)
    #expect(throws: BusError.failed(SystemError("Take", code: ETIMEDOUT))) {
      try bus.call(owner, "/", name, "Take", within: BusLimit(milliseconds: 1))
    }
    let call = bus.expectLateAnswer()
    release.event.signal()
    let answer = try #require(try bus.next(within: BusLimit(milliseconds: 60_000)))
    #expect(answer.replyCookie == call)
    #expect(try answer.number() == 7)
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

/// A wake event that two threads hold.
private final class WakeHolder: Sendable {
  let event: WakeEvent

  init() throws(SystemError) { event = try WakeEvent() }
}
