import Glibc
import JSON
import System
import TestSupport
import Testing

/// The rules for programs in the desktop app: real engine, real PAM.
@Suite(.serialized)
struct DesktopAppProgramsTests {
  private static let rules = """
    [Caller nightly]
    unit = nightly-sync.service
    accounts = work home
    presence = never-ask
    rate = 10

    [Caller ci]
    reason = required
    lifetime = 5
    """

  /// Tests the rules by the focused field.
  private func test(_ subject: String, in app: AppWindows) throws {
    try app.run("key('ctrl+a')")
    try app.run("type('\(subject)')")
    try app.run("key('Return')")
  }

  @Test
  func rulesAreShownTestedAndRemoved() throws {
    let bench = try ServiceBench(withSessions: true)
    let policy = "\(bench.base)/machine/thumblatch.conf"
    try shell("umask 022; cat >\(policy) <<'X'\n\(Self.rules)\nX")
    let customer = try Customer(bench)
    let change = try customer.terminal("policy", "caller.mine.user-unit", "app-code*.scope")
    try change.expect("System password for")
    try change.enter(customer.systemPassword)
    try change.end()
    let app = try AppWindows(of: customer, bus: bench.bus)
    for style in ["dark", "light"] {
      try app.run(style == "dark" ? "open(ADW_DEBUG_COLOR_SCHEME='prefer-dark')" : "open()")
      try app.run("resize(800, 860)")
      try app.run("click('Programs', 'list item')")
      try app.sees("Set by the administrator in \(policy) or in conf.d")
      try app.sees("Programs of the system’s unit nightly-sync.service")
      try app.sees("work, home")
      try app.sees("No prompt is shown: a token that needs a check is refused")
      try app.sees("10 tokens in an hour")
      try app.sees("Restricted sockets that name this rule")
      try app.sees("5 minutes")
      try app.sees("Your own rule")
      try app.sees("Programs of your unit app-code*.scope")
      try app.expectNames()
      for width in [800, 360] {
        try app.run("resize(\(width), 860)")
        app.keepPicture("programs-\(width)-\(style)")
        #expect(try app.run("overflowing()") == .array([]))
      }
      if style == "dark" { #expect(try app.run("quit()") == .integer(0)) }
    }

    // Only with the keyboard.
    try app.run("resize(800, 860)")
    try app.run("tab_to('Remove “Holds for”')")
    try app.run("key('Tab')")
    try test("nightly-sync.service", in: app)
    try app.sees("nightly (unit = nightly-sync.service)")
    // The page is longer than the window.
    try app.run("until(lambda: app.lies_within('nightly (unit', 'Thumblatch'), 'out of view')")
    app.keepPicture("programs-tested")
    try test("1", in: app)
    try app.sees("Process 1 is another user's.")
    try app.misses("nightly (unit")

    try removeRule(of: customer, app)
  }

  /// Removes the rule of the person, after a test of the rules.
  private func removeRule(of customer: Customer, _ app: AppWindows) throws {
    try app.press("Remove “Holds for” from the rule mine")
    try app.sees("It is the only setting, so the rule goes too.")
    try app.run("press('Cancel Cancel')")
    try app.misses("It is the only setting")
    try app.press("Remove “Holds for” from the rule mine")
    try app.run("press('Remove Remove')")
    try app.sees("System password")
    try app.run("type(\"\(customer.systemPassword)\")")
    try app.press("Continue")
    try app.misses("Your own rule")
    // The answer was one of the former rules. Enter asks again, though the text is the same.
    try app.misses("Process 1 is another user's.")
    try app.run("key('Return')")
    try app.sees("Process 1 is another user's.")
    #expect(try !customer.run("rule", "list").succeeded().contains("mine"))
  }

  @Test
  func aPrivateVaultHasNoRules() throws {
    let person = try Someone()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus)
    try app.run("open()")
    try app.run("click('Programs', 'list item')")
    try app.sees("No Rules in a Private Vault")
    try app.expectNames()
    for width in [800, 360] {
      try app.run("resize(\(width), 860)")
      app.keepPicture("programs-private-\(width)")
      #expect(try app.run("overflowing()") == .array([]))
    }
  }

  @Test
  func restrictedSocketsComeAndGoWithTheirAgents() throws {
    let person = try Person()
    try person.register("work")
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus)
    let session = "XDG_RUNTIME_DIR=" + app.session
    let notes = app.session + "/thumblatch-sockets"
    func startAgent(_ name: String, _ options: String...) throws -> (agent: Run, path: String) {
      let path = "\(person.home)/<b>\(name)"
      let words = ["agent", "--socket", path, "--name", name, "--account", "work"]
      let agent = try person.start(words + options, variables: [session])
      try awaitSocket(path)
      try #require(person.isNoted(agent.child.identifier, in: notes))
      return (agent, path)
    }
    let first = try startAgent("build", "--scope", "read mail")
    // A file that is not the note of a running process is not shown.
    for name in ["notes", "\(person.user.user).1.1"] {
      try person.shell("cp \(notes)/*.*.* \(notes)/\(name)").succeeded()
    }
    try app.run("open()")
    try app.run("click('Programs', 'list item')")
    try app.sees("Restricted Sockets")
    try app.sees("\(first.path)\\nAccounts: work\\nScopes: read mail")
    let second = try startAgent("ci")
    try app.sees("\(second.path)\\nAccounts: work")
    try app.expectNames()
    for width in [800, 360] {
      try app.run("resize(\(width), 860)")
      app.keepPicture("programs-sockets-\(width)")
      #expect(try app.run("overflowing()") == .array([]))
    }
    for socket in [first, second] {
      kill(socket.agent.child.identifier, SIGTERM)
      _ = try socket.agent.child.wait()
      try app.misses(socket.path)
    }
    try app.misses("Restricted Sockets")
    // An agent that is killed leaves its note.
    let killed = try startAgent("killed")
    try app.sees(killed.path)
    kill(killed.agent.child.identifier, SIGKILL)
    try app.misses(killed.path)
    _ = try killed.agent.child.wait()
  }
}
