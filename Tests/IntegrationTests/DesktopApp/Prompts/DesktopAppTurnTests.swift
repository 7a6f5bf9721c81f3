import JSON
import System
import TestSupport
import Testing

/// A person presses buttons in the desktop app during another call: real engine, real PAM.
@Suite(.serialized)
struct DesktopAppTurnTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// The configuration of the app, which has a host of the account.
  private var hosts: String { app.session + "/thumblatch/hosts.conf" }

  private func addHost() throws {
    let text = "# mine\n\n[example.com]\naccount = work\n"
    try person.shell(
      "umask 077 && mkdir -p \(app.session)/thumblatch && printf '%s' '\(text)' >\(hosts)"
    ).succeeded()
  }

  private func openAccount() throws {
    try app.run("open()")
    try app.run("click('work', 'list item')")
    try app.sees("work@example.org")
  }

  @Test
  func aCallDuringAnotherOneWaitsForItsTurn() throws {
    defer { bus.remove() }
    try addHost()
    try openAccount()
    try app.run("press('Presence protection', 'check box')")
    try app.sees("to turn on presence protection for account 'work'")
    try app.press("Remove…")
    try app.run("press('Remove Remove')")
    try app.run("point_at_toasts()")
    try app.typePassword()
    try app.sees("to remove account 'work'")
    try app.typePassword()
    try app.sees("Account removed")
    try app.sees("No Accounts Yet")
    // A later account of that name must not get the host.
    #expect(try person.shell("cat \(hosts)").succeeded() == "# mine\n")
  }

  @Test
  func aSecondSignOutDoesNothing() throws {
    defer { bus.remove() }
    try person.backend.fail(.init("/auth/logout", hold: true))
    try openAccount()
    for _ in 0..<2 {
      try app.press("Sign Out…")
      try app.run("press('Sign Out Sign Out')")
      try app.sees("Signing out…", "alert")
    }
    try person.backend.release()
    try app.sees("work, Signed out", "list item")
    // This call follows the second one.
    try app.run("press('Presence protection', 'check box')")
    try app.sees("to turn on presence protection for account 'work'")
    let ends = try person.run("audit").succeeded().split(separator: "\n")
      .filter { $0.contains("logout            done") }
    #expect(ends.count == 1, "\(ends)")
  }

  @Test
  func aCallDuringARenamingIsAboutTheSameAccount() throws {
    defer { bus.remove() }
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("System password for")
    try enable.enter(Someone.systemPassword)
    try enable.end()
    try person.run("lock").succeeded()
    try addHost()
    try openAccount()
    try app.run("resize(800, 880)")
    try app.run("click('Name in the vault', 'text')")
    try app.run("key('ctrl+a')")
    try app.run("type('job')")
    try app.run("key('Return')")
    try app.sees("account 'work'")
    try app.run("press('Presence protection', 'check box')")
    try app.typePassword()
    try app.sees("to turn off presence protection for account 'job'")
    try app.typePassword()
    try app.sees("job, Ready · not protected · dev", "list item")
    try app.misses("work,")
    #expect(try person.shell("cat \(hosts)").succeeded().hasSuffix("\naccount = job\n"))
  }

  @Test
  func theNameOfAnAccountIsThereAgainAfterARefusal() throws {
    defer { bus.remove() }
    try openAccount()
    try app.run("resize(800, 880)")
    try app.run("click('Name in the vault', 'text')")
    try app.run("key('ctrl+a')")
    try app.run("type('a/b')")
    try app.sees("Apply", "push button")
    try app.expectNames()
    try app.run("key('Return')")
    try app.sees("is not an account name", "alert")
    try app.run("until(lambda: not app.shown('push button', 'Apply'), 'the button stays')")
  }

  @Test
  func aCallThatWaitsIsGivenUpWhenTheVaultLocks() throws {
    defer { bus.remove() }
    try openAccount()
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try app.press("Sign Out…")
    try app.run("press('Sign Out Sign Out')")
    try app.run("prompt_takes_keys()")
    let locked = BootInstant.now
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    // The open prompt ends with the lock: its answer must not undo it.
    try app.misses("System password")
    try app.misses("account 'work'")
    // A question without an answer ends after half a minute.
    #expect(BootInstant.now.seconds(since: locked) < 25)
    try app.press("Unlock")
    try app.typePassword()
    try app.sees("work, Ready · not protected · dev", "list item")
  }
}
