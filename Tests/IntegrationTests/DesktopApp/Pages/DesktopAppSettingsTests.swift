import JSON
import System
import TestSupport
import Testing

/// The settings in the desktop app: real engine, real PAM.
@Suite(.serialized)
struct DesktopAppSettingsTests {
  /// Opens the settings by their key in a window that shows all of them.
  private func openPage(of app: AppWindows, _ variables: String = "") throws {
    try app.run("open(\(variables))")
    try app.run("resize(800, 860)")
    try app.run("key('ctrl+comma')")
    try app.sees("Unlock window stays open")
  }

  /// Chooses a value by the keyboard, some rows below the first.
  private func choose(_ row: String, _ value: String, below: Int, in app: AppWindows) throws {
    try app.run("click('\(row)', 'combo box')")
    try app.sees(value)
    let keys = ["'Home'"] + Array(repeating: "'Down'", count: below) + ["'Return'"]
    try app.run("key(\(keys.joined(separator: ", ")))")
  }

  @Test
  func aRuleAndTheDefaultAccountAreSet() throws {
    let person = try Person()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    try person.register("private")
    try person.register("work")
    let app = try AppWindows(seating: person, by: bus)
    try openPage(of: app)
    try app.expectNames()
    app.keepPicture("settings")
    // The first value is that no account is the default.
    try choose("Default account", "work", below: 2, in: app)
    let isDefault = try eventually {
      try person.run("whoami", "--json").text.contains("work@example.org")
    }
    #expect(isDefault)

    // A denied change does not change the rule, and the screen shows that.
    try app.sees("10 minutes (default)")
    try choose("Unlock window stays open after", "5 minutes", below: 1, in: app)
    try app.sees("change the policy (window: the default 10 min → 5 min)")
    try app.press("Deny")
    try app.sees("10 minutes (default)")
    try app.misses("5 minutes")
    #expect(try person.run("policy", "window").succeeded().contains("10 min"))

    try choose("Unlock window stays open after", "2 minutes", below: 2, in: app)
    try app.typePassword()
    let isChanged = try eventually {
      try person.run("policy", "window").succeeded().contains("2 min")
    }
    #expect(isChanged)
    try app.sees("2 minutes")
    try app.misses("10 minutes (default)")
    try app.misses("System password")

    // A change of another program is seen, with a value that the app does not offer.
    let change = try person.terminal("policy", "window", "7m")
    try change.expect("System password for")
    try change.enter(Someone.systemPassword)
    try change.end()
    try app.sees("7 minutes")
    try choose("Unlock window stays open after", "10 minutes (default)", below: 0, in: app)
    try app.typePassword()
    try app.misses("7 minutes")
    app.keepPicture("settings-changed")
  }

  @Test
  func notificationsAreChosenByThePerson() throws {
    let person = try Person()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus)
    try openPage(of: app)
    try app.sees("Releases and ended logins (default)")
    try choose("Notifications after a use", "Each protected use", below: 1, in: app)
    try app.sees("change the policy (notify: the default ")
    try app.typePassword()
    try app.misses("System password")
    #expect(eventually { (try? person.run("policy", "notify").text.contains("all")) == true })
    try app.sees("Each protected use")
    try app.misses("Releases and ended logins")
    // The file that is read at the next start has it.
    #expect(try app.run("quit()") == .integer(0))
    try person.endEngine()
    try openPage(of: app)
    try app.sees("Each protected use")
  }

  @Test
  func theKeyOpensThePageAgainAndMarksItsRow() throws {
    let person = try Person()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    try person.register("work")
    let app = try AppWindows(seating: person, by: bus)
    try openPage(of: app)
    let states = "app.find('list item', 'Settings').get_state_set()"
    let isMarked = "\(states).contains(app.atspi.StateType.SELECTED)"
    try app.run("until(lambda: \(isMarked), 'the row is not marked')")
    // A narrow window shows the list or the page, and the keyboard reaches only that.
    try app.run("resize(360, 860)")
    try app.press("Back")
    try app.run("tab_to('Settings')")
    try app.run("key('ctrl+comma')")
    try app.run("tab_to('Blur this window while you work in another one')")
  }

  @Test
  func whatTheAdministratorSetsIsShown() throws {
    let bench = try ServiceBench(withSessions: true)
    let policy = "\(bench.base)/machine/thumblatch.conf"
    let text = "[Policy]\nwindow = 5\nnotify = all\naccounts = 20\nproviders = dev\n"
    try shell("umask 022; cat >\(policy) <<'X'\n\(text)X")
    let customer = try Customer(bench)
    let app = try AppWindows(of: customer, bus: bench.bus)
    for style in ["light", "dark"] {
      try openPage(of: app, style == "dark" ? "ADW_DEBUG_COLOR_SCHEME='prefer-dark'" : "")
      try app.sees("5 minutes (administrator)")
      try app.sees("20, set by the administrator in \(policy):4")
      try app.sees("dev, set by the administrator in \(policy):5")
      try app.sees("Each protected use, set by the administrator in \(policy):3")
      try app.sees("Allowed, by default")
      try app.sees("Written, by default")
      try app.expectNames()
      for width in [800, 360] {
        try app.run("resize(\(width), 860)")
        app.keepPicture("settings-service-\(width)-\(style)")
        #expect(try app.run("overflowing()") == .array([]))
      }
      #expect(try app.run("quit()") == .integer(0))
    }
  }
}
