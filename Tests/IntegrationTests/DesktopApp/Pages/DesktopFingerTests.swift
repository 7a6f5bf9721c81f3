import System
import TestSupport
import Testing

/// Fingers that were enrolled by the desktop's settings and whose names come over D-Bus.
@Suite(.serialized)
struct DesktopFingerTests {
  @Test
  func theDesktopsFingerCountsOnceThePasswordHasConfirmedIt() throws {
    let reader = try VirtualReader(.device)
    let bus = try DesktopBus(reader, fprintd: false)
    defer {
      bus.remove()
      reader.remove()
    }
    try bus.startFalseFprintd(verify: [])
    let person = try Person()
    try shell("echo BUS=\(bus.address) >\(person.programs)/virtual-reader.conf")
    try person.register()
    let list = try person.run("fingers", "list").succeeded()
    #expect(list.contains("right-index (desktop, names only)"))
    #expect(list.contains("enrolled fingers not confirmed yet: right-index (desktop)"))
    #expect(try person.run("fingers", "delete", "right-index").end == .exited(11))

    let enable = try person.terminal("presence", "enable", "me", columns: 240)
    try enable.expect("Enrolled fingers not confirmed yet: right-index (desktop); the system")
    try enable.expect("System password for")
    try enable.enter(Person.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    let touched = try person.terminal("token", "me")
    try touched.expect("Touch the fingerprint reader to use account 'me'")
    // A result that comes before the reader is armed would not count.
    try bus.run("await_armed()")
    try bus.run("status('verify-match', True)")
    try touched.expect("at_")
    try touched.end()
    #expect(try person.run("audit").succeeded().contains("fingers-changed"))
  }
}
