import Glibc
import JSON
import System
import TestSupport
import Testing

/// The remedies that the desktop app offers for the doctor's findings.
@Suite(.serialized)
struct DesktopAppHealthTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Makes the account one that needs a sign-in, as an answer of its provider does.
  private func requireSignIn() throws {
    try person.endEngine()
    try shell(
      """
      python3 -c 'import sqlite3, sys; s = sqlite3.connect(sys.argv[1], isolation_level=None); \
      s.executescript(sys.argv[2])' \(person.state)/vault.db \
        "UPDATE accounts SET state = 'login_required', cause = 'answer lost'"
      """
    )
  }

  /// Expects that commands are shown as they are typed.
  private func expectCommands() throws {
    for (before, command) in [
      ("cannot be executed.", "chmod 755 \(person.programs)/thumblatch-exchange"),
      ("Find out who could use it; then:", "chmod 600 \(person.state)/vault.db"),
    ] {
      guard case .array(let parts) = try app.run("fonts(\"\(command)\")") else { continue }
      #expect(parts.contains(.array([.string(command), .string("Monospace")])), "\(parts)")
      try app.sees(before, "label")
    }
  }

  @Test
  func aFindingIsMendedByItsButton() throws {
    defer { bus.remove() }
    try requireSignIn()
    try app.run("open()")
    try app.sees("work, Needs a sign-in")
    // The program may be a link to that of all tests.
    try shell(
      """
      chmod 640 \(person.state)/vault.db
      cd \(person.programs); cp thumblatch-exchange new; mv -f new thumblatch-exchange
      chmod 644 thumblatch-exchange
      """
    )
    try app.run("click('Health', 'list item')")
    try app.sees("vault.db has mode 640")
    try expectCommands()
    app.keepPicture("health-remedies-800")
    try app.run("resize(360, 880)")
    app.keepPicture("health-remedies-360")
    #expect(try app.run("overflowing()") == .array([]))
    try app.expectNames()
    try app.run("resize(800, 880)")

    // The program is root's: its remedy is a command to copy.
    try app.run("point_at_toasts()")
    try app.press("Copy the command “chmod 755 \(person.programs)/thumblatch-exchange”")
    try app.sees("Command copied")
    // The file is another user's by now.
    try shell("chown root \(person.state)/vault.db")
    try app.press("Mend")
    try app.sees("The owner of the file can do it, or root.", "alert")
    // Its owner could do nothing about a file that is not there.
    try shell("cd \(person.state); chown \(person.user.name) vault.db; mv vault.db gone")
    try app.press("Mend")
    try app.sees("No such file or directory. Correct that, then try again.", "alert")
    try shell("mv \(person.state)/gone \(person.state)/vault.db")
    try app.press("Mend")
    try app.misses("has mode 640")
    #expect(try shell("stat -c %a \(person.state)/vault.db") == "600\n")

    try app.press("Sign In…")
    try app.sees("Sign In to “work”")
  }

  /// The engine does not answer.
  @Test
  func anExaminationIsCancelled() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.sees("work, Ready")
    let engine = try #require(processes(in: person.programs, named: "thumblatchd").first)
    try #require(halt(engine))
    defer { kill(engine, SIGCONT) }
    try app.run("click('Health', 'list item')")
    try app.sees("Looking…")
    try app.press("Cancel")
    try app.sees("Not examined yet.")
    kill(engine, SIGCONT)
    try app.press("Look Again")
    try app.sees("Device secret")
    try app.expectNames()
  }

  @Test
  func aLostStoreHasNoButtonThatBeginsAnEmptyVault() throws {
    defer { bus.remove() }
    try person.endEngine()
    try shell("cd \(person.state); rm -f vault.db vault.db-wal vault.db-shm")
    try app.run("open()")
    try app.sees("The Vault Is Not Usable")
    try app.run("click('Health', 'list item')")
    try app.sees("Copy the command “thumblatch recover”")
    try app.misses("Accept…")
    try app.expectNames()
  }

  @Test
  func anOldCopyThatThePersonRestoredIsAccepted() throws {
    defer { bus.remove() }
    try person.endEngine()
    try shell("cp -p \(person.state)/vault.db \(person.base)/old.db")
    try person.register("later")
    try person.endEngine()
    try shell(
      "cd \(person.state); rm -f vault.db-wal vault.db-shm; cp -p \(person.base)/old.db vault.db"
    )
    try app.run("open()")
    try app.sees("The Vault Is Not Usable")
    try app.run("click('Health', 'list item')")
    try app.sees("The store is older than its rollback counter: an old copy was restored.")
    app.keepPicture("health-old-copy")
    try app.press("Accept…")
    try app.sees("Accept the Vault as It Is?")
    app.keepPicture("health-accept")
    try app.run("press('Cancel Cancel')")
    try app.misses("Accept the Vault as It Is?")
    try app.sees("The Vault Is Not Usable")
    try app.press("Accept…")
    try app.run("press('Accept Accept')")
    try app.sees("accept a vault that was restored from a copy")
    try app.typePassword()
    try app.sees("Vault accepted")
    // The provider may have replaced the token since the copy.
    try app.sees("work, Needs a sign-in", "list item")
    try app.sees("The store matches its rollback counter.")
    // The names of files stay as they are.
    try app.sees("vault.db is intact.")
    try app.expectNames()
  }

  @Test
  func noLineEndsWithinAnOption() throws {
    defer { bus.remove() }
    try app.run("open(http_proxy='http://localhost:1')")
    try app.run("resize(800, 860)")
    try app.run("click('Health', 'list item')")
    try app.sees("thumblatch provider add NAME --proxy URL ...")
    // In some of these widths there is room for its hyphens only.
    for width in stride(from: 456, through: 552, by: 16) {
      try app.run("resize(\(width), 860)")
      let lines = try app.run("lines('--proxy URL')")
      guard case .array(let found) = lines, found.count > 2 else {
        Issue.record("\(lines)")
        continue
      }
      let isWhole = found.contains {
        if case .string(let line) = $0 { line.contains("--proxy") } else { false }
      }
      #expect(isWhole, "\(width): \(lines)")
    }
  }

  @Test
  func anAccountThatTheRulesWantProtectedIsProtected() throws {
    defer { bus.remove() }
    let bench = try ServiceBench(withSessions: true)
    let backend = try DevBackend()
    let customer = try Customer(bench, backend: backend)
    try customer.register()
    try bench.endEngine()
    let policy = "\(bench.base)/machine/thumblatch.conf"
    try shell("umask 022; printf '[Policy]\\npresence = required\\n' >\(policy)")
    let app = try AppWindows(of: customer, bus: bench.bus)
    try app.run("open()")
    try app.run("click('Health', 'list item')")
    try app.sees("The account me is not used: it has no presence protection")
    app.keepPicture("health-protect")
    try app.expectNames()
    try app.press("Protect…")
    try app.sees("turn on presence protection for account 'me'")
    try app.typePassword(customer.systemPassword)
    try app.sees(" · protected · dev", "list item")
    try app.misses("it has no presence protection")
    let accounts = try customer.run("account", "list", "--json").succeeded()
    #expect(accounts.contains(#""presence_protection":true"#), "\(accounts)")
  }
}
