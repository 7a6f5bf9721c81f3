import JSON
import System
import TestSupport
import Testing

/// Backups in the desktop app: the real engine, real PAM, the desktop's own question for the file.
@Suite(.serialized)
struct DesktopAppBackupTests {
  private static let passphrase = "correct horse battery staple"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows
  private var file: String { person.home + "/safe" }

  init() throws {
    person = try Person(["--no-rotation"])
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  /// Types a secret into the focused field, which no program on the accessibility bus may read.
  private func type(secret: String) throws {
    try app.run("type('\(secret)')")
    try app.misses(secret)
  }

  /// Fills in the form, by the keyboard alone.
  private func fill(_ first: String, _ second: String) throws {
    try app.run("tab_to('Passphrase of the backup')")
    try type(secret: first)
    try app.run("key('Tab')")
    try type(secret: second)
    try app.run("key('Return')")
  }

  private func expectFit(_ name: String) throws {
    try app.keepPicture("backup-\(name)-800")
    try app.run("resize(360, 880)")
    try app.keepPicture("backup-\(name)-360")
    #expect(try app.run("overflowing()") == .array([]))
    try app.run("resize(800, 880)")
    try app.expectNames()
  }

  /// Names the file in the desktop's own window.
  private func chooseFile() throws {
    try app.sees("Save", "push button")
    try app.keepPicture("backup-file")
    try app.run("key('ctrl+a')")
    try app.run("type('\(file)')")
    try app.run("key('Return')")
  }

  @Test
  func aBackupIsWrittenAndOpensAtTheTerminal() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.run("click('Keys and Backup', 'list item')")
    try app.sees("None is known.")
    try app.press("Back Up…")
    try app.sees("Back Up the Accounts")
    try expectFit("form")
    try fill("short", "short")
    try app.sees("Type at least 12 characters.", "alert")
    try fill(Self.passphrase, "another horse")
    try app.sees("The two passphrases differ.", "alert")
    try expectFit("differ")
    try fill(Self.passphrase, Self.passphrase)
    try chooseFile()
    try app.sees("Type the system password to back up the vault")
    try app.press("Deny")
    // Without the password there is no file.
    try app.sees("Choose File…")
    #expect(try shell("ls -A \(person.home)").contains("safe") == false)

    try fill(Self.passphrase, Self.passphrase)
    try chooseFile()
    try app.sees("Waiting for your system password")
    try expectFit("running")
    try app.typePassword()
    try app.sees("Backup Written")
    try app.sees("1 account, 0 of them with their refresh token")
    try app.sees("It is not exportable.")
    try expectFit("done")
    try app.run("key('Return')")
    try app.sees("Last backup")
    try app.sees(file)
    try expectFit("last")
    #expect(try shell("stat -c '%a %U' \(file)") == "600 \(person.user.name)\n")
    // The passphrase opens it: only the account that is there stands in the way.
    let restored = try person.run(
      "restore",
      file,
      "--passphrase-fd",
      "0",
      "--skip-existing",
      "--no-input",
      input: Self.passphrase + "\n"
    )
    #expect(restored.end == .exited(7), "\(restored.text)")
    try app.press("Copy the command")
    try app.sees("Copied")
  }
}
