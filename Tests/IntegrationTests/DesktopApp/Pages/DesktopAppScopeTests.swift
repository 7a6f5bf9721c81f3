import JSON
import System
import TestSupport
import Testing

/// The prompt for an account with scopes: the real engine, an OpenID provider, real PAM.
@Suite(.serialized)
struct DesktopAppScopeTests {
  @Test
  func thePromptNamesTheScopesAndTheStatedReason() throws {
    let member = try Member()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: member, by: bus)
    try member.signIn().succeeded()
    let enable = try member.terminal("presence", "enable", "work")
    try enable.expect("System password for")
    try enable.enter(Someone.systemPassword)
    try enable.end()
    // No unlock window is open in the next engine.
    try member.startEngine(asking: bus)
    try app.run("open()")
    try app.sees("work, Ready · protected · idp", "list item")

    let options = ["--scope", "openid read", "--reason", "nightly"]
    let run = try member.start(["token", "work"] + options)
    try app.sees("Type the system password to use account 'work' (scope openid read).", "label")
    try app.sees("; stated reason, not verified: \"nightly\".", "label")
    _ = try run.text()
  }
}
