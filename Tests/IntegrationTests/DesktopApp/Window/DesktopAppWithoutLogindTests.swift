import TestSupport
import Testing

/// The desktop app with a system bus that has no logind.
struct DesktopAppWithoutLogindTests {
  @Test
  func aPersonLearnsThatLocksOfTheScreenAreNotNoticed() throws {
    let person = try Person()
    let bus = try DesktopBus(nil, logind: false, fprintd: false)
    defer { bus.remove() }
    let app = try AppWindows(of: person, "--private", bus: bus.address)
    try app.run("open()")
    try app.run("key('ctrl+comma')")
    try app.sees("Locks are not noticed: ")
    try app.sees("Lock the vault before you leave.")
    // The remedy of the doctor's finding is a lock.
    try app.run("click('Health', 'list item')")
    try app.press("Lock Now")
    try app.sees("The Vault Is Locked")
  }
}
