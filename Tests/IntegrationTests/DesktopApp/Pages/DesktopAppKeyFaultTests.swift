import JSON
import System
import TestSupport
import Testing

/// Security keys that the desktop app cannot enroll: the real engine, the real libfido2, real PAM.
@Suite(.serialized)
struct DesktopAppKeyFaultTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Makes these keys the only devices.
  private func plug(_ keys: [SoftwareKey]) throws {
    for key in keys { try shell("chown \(person.user.name) \(key.path)") }
    let nodes = keys.map { "KEY=\($0.path)" }.joined(separator: " ")
    try shell("printf '%s\\n' \(nodes) >\(person.programs)/virtual-reader.conf")
  }

  /// Sends the form, and types the system password.
  private func enroll(pin: String? = nil) throws {
    try app.run("tab_to('\(pin == nil ? "Name of the key here" : "PIN of the key")')")
    if let pin { try app.run("type_secret('\(pin)')") }
    try app.run("key('Return')")
    try app.sees("Type the system password to enroll the security key")
    try app.typePassword()
  }

  @Test
  func aKeyThatIsNotThereOrBlockedIsTold() throws {
    defer { bus.remove() }
    try plug([])
    try app.run("open()")
    try app.run("resize(800, 880)")
    try app.run("click('Keys and Backup', 'list item')")
    try app.press("Enroll security key")
    try enroll()
    try app.sees("no security key is plugged in", "alert")
    app.keepPicture("key-missing")
    let key = try SoftwareKey(state: person.base + "/key", pin: "8261")
    let other = try SoftwareKey(state: person.base + "/other")
    try plug([key, other])
    try enroll()
    try app.sees("several security keys are plugged in: leave the one to enroll", "alert")

    try plug([key])
    for trouble in ["tries left: 7", "tries left: 6", "three PINs of the security key were wrong"] {
      try enroll(pin: "4711")
      try app.sees(trouble, "alert")
    }
    app.keepPicture("key-blocked")
    try app.expectNames()
    #expect(try app.run("overflowing()") == .array([]))

    // The other key is unplugged while it waits for the touch.
    try plug([other])
    try enroll()
    try app.sees("Touch the security key.")
    try other.wait(for: "touch")
    try other.say("unplug")
    try app.sees("the security key was unplugged, or does not answer", "alert")
    try app.press("Cancel")
    try app.sees("No security key enrolled")
  }

  @Test
  func aKeyThatAnotherProgramHasRemovedIsTold() throws {
    defer { bus.remove() }
    let key = try SoftwareKey(state: person.base + "/key")
    try plug([key])
    try person.enroll(key)
    try app.run("open()")
    try app.run("click('Keys and Backup', 'list item')")
    try app.press("Remove blue")
    try app.sees("Remove “blue”?")
    let remove = try person.terminal("keys", "remove", "blue")
    try remove.expect("System password for")
    try remove.enter(Someone.systemPassword)
    try remove.end()
    try app.sees("No security key enrolled")
    try app.run("press('Remove Remove')")
    try app.sees(
      "The security key is no longer there. The list shows what is there now.",
      "alert"
    )
  }
}
