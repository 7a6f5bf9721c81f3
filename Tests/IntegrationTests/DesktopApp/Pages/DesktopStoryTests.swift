import System
import TestSupport
import Testing

/// A person on a desktop, where fprintd owns the reader and the fingers.
@Suite(.serialized)
struct DesktopStoryTests {
  private static let prompt = "Touch the fingerprint reader to use account 'me' (requested by"

  /// Waits until the check counts touches, which the hint about a bad scan shows, and then touches.
  private func touch(
    _ name: String,
    _ reader: VirtualReader,
    _ bus: DesktopBus,
    _ terminal: TerminalSession
  ) throws {
    // A touch before the reader is armed is ignored, so another one is needed.
    var isArmed = false
    for _ in 0..<20 where !isArmed {
      try bus.run("await_needed()")
      try reader.send("RETRY 2")
      isArmed = try terminal.shows("not in the middle", withinMilliseconds: 400)
    }
    if !isArmed { try terminal.expect("not in the middle") }
    try bus.run("await_needed()")
    try reader.send("SCAN \(name)")
  }

  @Test
  func theDesktopsFingersServeUntilTheirListChanges() throws {
    let person = try Person()
    let reader = try VirtualReader(.device)
    let bus = try DesktopBus(reader)
    defer {
      bus.remove()
      reader.remove()
    }
    try shell(
      "printf '%s\\n' \(reader.variable) BUS=\(bus.address) >\(person.programs)/virtual-reader.conf"
    )
    try person.register()
    try bus.enroll("right", for: person.user.name, on: reader)
    #expect(try person.run("fingers", "list").succeeded().contains("right-index"))

    // The vault has never seen this finger: the password confirms it.
    let enable = try person.terminal("presence", "enable", "me", columns: 240)
    try enable.expect("Enrolled fingers not confirmed yet")
    try enable.expect("System password for")
    try enable.enter(Person.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()

    try person.expireTokens()
    let token = try person.terminal("token", "me")
    try token.expect(Self.prompt)
    try touch("wrong", reader, bus, token)
    try token.expect("The finger did not match")
    try touch("right", reader, bus, token)
    try token.expect("at_")
    try token.end()

    // Another program claims the reader, and then releases it.
    try person.expireTokens()
    try bus.run("await_claim()")
    let busy = try person.terminal("token", "me")
    try busy.expect(Self.prompt)
    try busy.expect("still waiting for the reader")
    try bus.run("device('Release')")
    try touch("right", reader, bus, busy)
    try busy.expect("at_")
    try busy.end()

    try person.expireTokens()
    try bus.enroll("left", as: "left-thumb", for: person.user.name, on: reader)
    let changed = try person.terminal("token", "me", columns: 240)
    try changed.expect("added left-thumb")
    try changed.expect("System password for")
    try changed.enter(Person.systemPassword)
    try changed.expect("at_")
    try changed.end()
  }
}
