import JSON
import System
import TestSupport
import Testing

/// A backup on one machine and its restore on another, as a person meets them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BackupStoryTests {
  private static let passphrase = "correct horse battery staple"

  /// Signs in to an exportable account.
  private func login(_ person: Person, _ account: String) throws {
    try person.allowed(
      "make account '\(account)' exportable",
      ["login", account, "--provider", "dev", "--email", "me@example.org", "--exportable"],
      typing: [("Password of me@example.org at dev: ", "backend-password")]
    )
  }

  /// Takes the state of this person's machine away, as a new machine has none.
  private func changeMachine(_ person: Person) throws {
    try person.endEngine()
    try shell("rm -rf \(person.state) \(person.home)/.config/thumblatch")
  }

  private func backUp(_ person: Person, _ file: String) throws -> String {
    try person.allowed(
      "back up the vault",
      ["backup", file],
      typing: [
        ("New passphrase of the backup: ", Self.passphrase),
        ("Passphrase again: ", Self.passphrase),
      ]
    )
  }

  @Test
  func anAccountWorksOnAnotherMachineAndTheOthersAreNamed() throws {
    let person = try Person(["--no-rotation"])
    try person.register()
    try login(person, "moves")
    try person.expireTokens()
    #expect(try person.run("token", "moves").succeeded().hasPrefix("at_"))
    let file = person.home + "/backup"
    let shown = try backUp(person, file)
    #expect(shown.contains("2 accounts, 1 refresh token"))
    #expect(shown.contains("me has to sign in again after a restore: it is not exportable"))
    #expect(try shell("stat -c %a \(file)") == "600\n")
    #expect(try person.run("backup", file).end == .exited(2))
    #expect(try person.run("audit").succeeded().contains("backup"))

    try changeMachine(person)
    try restoreOnANewMachine(person, file)
    try restoreBesideAccounts(person, file)
  }

  @Test(arguments: [1, 2])
  func aBackupThatIsNotOnTheDiskIsReportedAndLeavesNoFile(failing call: Int) throws {
    let person = try Person(["--no-rotation"])
    try person.register()
    let file = person.home + "/backup"
    // The first call is for the file, and the second one for its name.
    let terminal = try TerminalSession(
      [
        "/usr/bin/strace", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e",
        "inject=fsync:error=EIO:when=\(call)",
      ] + person.running + [person.programs + "/thumblatch", "backup", file],
      environment: person.environment,
      columns: 240
    )
    for question in ["New passphrase of the backup: ", "Passphrase again: "] {
      try terminal.expect(question)
      try terminal.enter(Self.passphrase)
    }
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    #expect(try terminal.end(2).contains("could not be written"))
    #expect(try shell("ls -A \(person.home)").contains("backup") == false)
  }

  private func restoreOnANewMachine(_ person: Person, _ file: String) throws {
    let wrong = try person.run(
      "restore",
      file,
      "--passphrase-fd",
      "0",
      input: "another passphrase\n"
    )
    #expect(wrong.end == .exited(2) && wrong.text.contains("does not open the backup"))
    let restored = try person.run(
      "restore",
      file,
      "--passphrase-fd",
      "0",
      input: Self.passphrase + "\n"
    ).succeeded()
    #expect(restored.contains("restored 2 accounts"))
    #expect(restored.contains("me is signed out: thumblatch login me"))
    #expect(restored.contains("added the provider files: dev"))
    #expect(try person.run("token", "moves").succeeded().hasPrefix("at_"))
    #expect(try person.run("token", "me", "--no-input").end == .exited(4))
    // The account keeps its permission, and a start keeps all accounts.
    try person.endEngine()
    let status = try person.run("status", "--json").succeeded()
    #expect(status.contains(#""exportable":true"#))
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }

  private func restoreBesideAccounts(_ person: Person, _ file: String) throws {
    #expect(
      try person.run(
        "restore",
        file,
        "--passphrase-fd",
        "0",
        "--no-input",
        input: Self.passphrase + "\n"
      ).end == .exited(11)
    )
    try person.run("account", "remove", "me", "--yes").succeeded()
    try person.allowed(
      "restore accounts from a backup (me, moves)",
      ["restore", file, "--skip-existing"],
      typing: [("Passphrase of the backup: ", Self.passphrase)]
    )
    #expect(try person.run("account", "list").succeeded().contains("me"))
  }

  /// The other service has its own state directory, and the person another home directory.
  @Test
  func anAccountOfTheServiceIsRestoredInAnother() throws {
    let backend = try DevBackend(["--no-rotation"])
    let person = try Customer(try ServiceBench(), backend: backend)
    try person.makeExportable("moves")
    try person.register()
    // A refresh shows that the provider keeps the refresh token.
    let old = try person.run("token", "moves").succeeded()
    try person.run(["token", "moves", "--rejected"], input: old).succeeded()
    let file = person.home + "/backup"
    let terminal = try person.terminal("backup", file, columns: 200)
    for question in ["New passphrase of the backup: ", "Passphrase again: "] {
      try terminal.expect(question)
      try terminal.enter(Self.passphrase)
    }
    try terminal.expect("Type the system password to back up the vault")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    let shown = try terminal.end()
    #expect(shown.contains("2 accounts, 1 refresh token"))
    #expect(shown.contains("me has to sign in again after a restore: it is not exportable"))
    #expect(try person.run("token", "moves").succeeded().hasPrefix("at_"))

    let other = try Customer(try ServiceBench(), backend: backend)
    #expect(try other.run("token", "moves", "--no-input").end == .exited(9))
    let restored = try other.run(
      "restore",
      file,
      "--passphrase-fd",
      "0",
      input: Self.passphrase + "\n"
    ).succeeded()
    #expect(restored.contains("restored 2 accounts"))
    #expect(try other.run("token", "moves").succeeded().hasPrefix("at_"))
    #expect(try other.run("token", "me", "--no-input").end == .exited(4))
    #expect(try other.run("audit", "verify").succeeded().contains("intact"))
  }

  @Test
  func aTokenThatTheProviderReplacesStaysInTheVault() throws {
    let person = try Person()
    try person.register()
    try login(person, "me")
    try person.expireTokens()
    try person.run("token", "me").succeeded()
    let shown = try backUp(person, person.home + "/backup")
    #expect(shown.contains("1 account, 0 refresh tokens"))
    #expect(shown.contains("its provider replaces refresh tokens"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }
}
