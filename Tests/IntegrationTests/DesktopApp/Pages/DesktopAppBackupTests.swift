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
  /// The file of the provider that the app reads.
  private var providerFile: String { person.base + "/screen/thumblatch/providers.d/dev.conf" }

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

  /// Fills in the form, only with the keyboard.
  private func fill(_ first: String, _ second: String) throws {
    try app.run("tab_to('Passphrase of the backup')")
    try type(secret: first)
    try app.run("key('Tab')")
    try type(secret: second)
    try app.run("key('Return')")
  }

  private func expectFit(_ name: String) throws {
    app.keepPicture("backup-\(name)-800")
    try app.run("resize(360, 880)")
    app.keepPicture("backup-\(name)-360")
    #expect(try app.run("overflowing()") == .array([]))
    try app.run("resize(800, 880)")
    try app.expectNames()
  }

  /// Names the file in the desktop's own window.
  private func chooseFile() throws {
    try app.sees("Save", "push button")
    app.keepPicture("backup-file")
    try app.run("key('ctrl+a')")
    try app.run("type('\(file)')")
    try app.run("key('Return')")
  }

  @Test
  func aBackupIsWrittenAndOpensAtTheTerminal() throws {
    defer { bus.remove() }
    try app.run("open(ADW_DEBUG_HIGH_CONTRAST='1')")
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
    // The passphrase opens it: only the existing account prevents the restore.
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
    // The place of a later backup of another program is not known.
    try backUp(to: person.home + "/later")
    try app.run("click('Health', 'list item')")
    try app.run("click('Keys and Backup', 'list item')")
    try app.sees("Last backup")
    try app.misses(file)
  }

  /// Types the right password, and waits until its check has begun and does not end.
  private func typePassword(haltingAt reached: String) throws {
    try app.typePassword()
    #expect(eventually { (try? shell("ls \(reached) 2>&1")) == reached + "\n" })
  }

  /// Cancels the running operation, and waits until its check has ended, long before its own time
  /// limit.
  private func cancel(seeing form: String) throws {
    let end = BootInstant.now.advanced(bySeconds: 20)
    try app.press("Cancel")
    let isOver = eventually { processes(in: person.programs, named: "thumblatch-presence").isEmpty }
    #expect(isOver && BootInstant.now < end)
    try app.sees(form)
    try app.misses("System password")
  }

  @Test
  func aBackupThatIsCancelledLeavesNoFile() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.run("click('Keys and Backup', 'list item')")
    try app.press("Back Up…")
    try fill(Self.passphrase, Self.passphrase)
    try chooseFile()
    try app.sees("Waiting for your system password")
    try app.sees("System password", "text")
    try cancel(seeing: "Choose File…")
    #expect(try shell("ls -A \(person.home)").contains("safe") == false)

    let (reached, _) = try person.haltPAM()
    try fill(Self.passphrase, Self.passphrase)
    try chooseFile()
    try typePassword(haltingAt: reached)
    try cancel(seeing: "Choose File…")
    #expect(try shell("ls -A \(person.home)").contains("safe") == false)
    try app.press("Cancel")  // Nothing runs any more, so this leaves the form.
    try app.sees("None is known.")
  }

  @Test
  func aRestoreThatIsCancelledBringsNoAccount() throws {
    defer { bus.remove() }
    try beginRestoreBesideAnAccount()
    try cancel(seeing: "Restore the Accounts")
    let (reached, _) = try person.haltPAM()
    try enter(Self.passphrase)
    try typePassword(haltingAt: reached)
    try cancel(seeing: "Restore the Accounts")
    #expect(try person.run("account", "list").succeeded().contains("work") == false)
    try app.misses("work, ")
    try app.misses("It is not known whether")
  }

  /// Removes one of two accounts of a backup, and restores that until its question is shown.
  private func beginRestoreBesideAnAccount() throws {
    try person.register("home")
    try backUp()
    try person.run("account", "remove", "work", "--yes").succeeded()
    try app.run("open()")
    try app.run("click('Keys and Backup', 'list item')")
    try chooseBackup(file)
    try enter(Self.passphrase)
    try app.sees("restore accounts from a backup (home, work)")
  }

  /// Makes a backup at the terminal.
  private func backUp(to path: String? = nil) throws {
    try person.allowed(
      "back up the vault",
      ["backup", path ?? file],
      typing: [
        ("New passphrase of the backup: ", Self.passphrase),
        ("Passphrase again: ", Self.passphrase),
      ]
    )
  }

  /// Chooses a backup in the desktop's own window.
  private func chooseBackup(
    _ path: String,
    by button: String = "Choose the backup to restore"
  ) throws {
    try app.press(button)
    try app.sees("Open", "push button")
    // The slash opens the line for a path.
    try app.run("type('\(path)')")
    try app.run("key('Return')")
  }

  /// Types the secret of the chosen backup, only with the keyboard.
  private func enter(_ secret: String, _ title: String = "Passphrase of the backup") throws {
    try app.run("tab_to('\(title)')")
    try type(secret: secret)
    try app.run("key('Return')")
  }

  @Test
  func aBackupIsRestoredWhereTheAccountsAreMissing() throws {
    defer { bus.remove() }
    try backUp()
    try person.run("account", "remove", "work", "--yes").succeeded()
    try app.run("open(ADW_DEBUG_HIGH_CONTRAST='1')")
    try app.sees("No Accounts Yet")
    app.keepPicture("empty-with-restore")
    try chooseBackup(file, by: "Restore Backup…")
    try app.sees("Restore the Accounts")
    try app.sees(file)
    try expectFit("restore-form")
    try enter("another passphrase")
    try app.sees("This passphrase does not open the backup, or the backup is damaged.", "alert")
    // A vault without accounts asks for no password.
    try enter(Self.passphrase)
    try app.sees("1 account restored.\\nProvider files added for later sign-ins: dev")
    try app.sees("Sign in at dev.")
    try expectFit("restore-done")
    try app.run("key('Return')")
    #expect(try person.run("account", "list").succeeded().contains("work"))
    #expect(try shell("stat -c '%a %U' \(providerFile)") == "600 \(person.user.name)\n")
    try person.shell("diff ~/.config/thumblatch/providers.d/dev.conf \(providerFile)").succeeded()
    // An existing account is not changed, which needs no check. A missing file is written again.
    try shell("rm \(providerFile)")
    try chooseBackup(file)
    try enter(Self.passphrase)
    try app.sees("Nothing Was Restored")
    try app.sees("These accounts existed and were not changed: work")
    try expectFit("restore-nothing")
    try app.press("Done")
    #expect(try shell("stat -c '%a %U' \(providerFile)") == "600 \(person.user.name)\n")
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }

  @Test
  func aRestoreBesideAccountsNeedsTheSystemPassword() throws {
    defer { bus.remove() }
    try beginRestoreBesideAnAccount()
    try app.press("Deny")
    try app.sees("Restore the Accounts")
    #expect(try person.run("account", "list").succeeded().contains("work") == false)
    try enter(Self.passphrase)
    try app.sees("Restoring the accounts.")
    try expectFit("restore-running")
    try app.typePassword()
    try app.sees("1 account restored.\\nThese accounts existed and were not changed: home")
    try app.press("Done")
    #expect(try person.run("account", "list").succeeded().contains("work"))
  }

  @Test
  func whatIsNoBackupOrDoesNotFitChangesNothing() throws {
    defer { bus.remove() }
    try backUp()
    try person.run("account", "remove", "work", "--yes").succeeded()
    try person.shell("printf 'no backup' >~/none; mkfifo ~/pipe").succeeded()
    // Only the header of a backup that a recovery code opens.
    try person.shell("{ printf 'TLBACKUP\\001\\002'; head -c 24 /dev/zero; } >~/coded").succeeded()
    try app.run("open()")
    try app.run("click('Keys and Backup', 'list item')")
    try chooseBackup(person.home + "/none")
    try app.sees("Not a Thumblatch backup, or the file is truncated. Choose another file.", "alert")
    try expectFit("restore-none")
    try chooseBackup(person.home + "/pipe")
    try app.sees("is not a regular file. Choose another file.", "alert")
    try chooseBackup(person.home + "/coded")
    try app.sees("Restore the Accounts")
    try enter("00000-00000", "Recovery code")
    try app.sees("A recovery code has 34 letters and digits, and this has 10.", "alert")
    try app.press("Cancel")
    // A later sign-in would use the file with the other settings.
    try person.shell("mkdir -p $(dirname \(providerFile))").succeeded()
    try person.shell(
      "{ cat ~/.config/thumblatch/providers.d/dev.conf; echo 'timeout = 21s'; } >\(providerFile)"
    ).succeeded()
    try chooseBackup(file)
    try enter(Self.passphrase)
    try app.sees("Your provider dev has other settings than the provider of work in the backup.")
    try app.press("Cancel")
    #expect(try person.run("account", "list").succeeded().contains("work") == false)
    // A locked screen closes the file chooser.
    try app.press("Choose the backup to restore")
    try app.sees("Open", "push button")
    try bus.act("set_session('c1', LockedHint=True)")
    try app.sees("The Vault Is Locked")
    try app.misses("Backup to Restore")
    try app.run("until(lambda: len(app.windows()) == 1, 'the question stays')")
  }
}
