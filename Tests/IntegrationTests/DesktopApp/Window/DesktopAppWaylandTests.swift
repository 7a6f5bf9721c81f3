import JSON
import System
import TestSupport
import Testing

/// The desktop app on Wayland: real engine, virtual reader.
///
/// The other tests are on X11, where keys and clicks can be sent to one window.
@Suite(.serialized)
struct DesktopAppWaylandTests {
  private static let cover = "Blurred while you work in another window"

  @Test
  func theAppShowsAccountsAndPromptsAndHidesThem() throws {
    let person = try Person()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus, onWayland: true)
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    try person.startEngine(asking: bus)
    try person.shell(
      """
      umask 077 && mkdir -p \(app.session)/thumblatch &&
        printf '[Desktop]\\nhide-when-inactive = yes\\n' >\(app.session)/thumblatch/desktop.conf
      """
    ).succeeded()
    try app.run("open()")
    try app.sees("me, Needs a presence check", "list item")
    try app.expectNames()
    try app.misses(Self.cover)
    app.keepPicture("wayland-accounts")

    let call = try person.start(["token", "me"])
    try app.sees("Touch the fingerprint reader to use account 'me'.")
    app.keepPicture("wayland-prompt")
    try person.touch()
    let token = try call.text()
    #expect(token.hasPrefix("at_"), "\(token)")
    try app.misses("Touch the fingerprint reader")

    // The window of another program takes the focus, and gives it back.
    try app.misses(Self.cover)
    try app.run("start_other('weston-flower')")
    try app.sees(Self.cover)
    app.keepPicture("wayland-covered")
    try app.run("end_other()")
    try app.misses(Self.cover)

    try app.press("Lock now")
    try app.sees("The Vault Is Locked")
    try app.misses("me, ")
    app.keepPicture("wayland-locked")
    try app.run("tool('key', 'ctrl+q')")
    #expect(try app.run("app.wait(120)") == .integer(0))
  }
}
