import JSON
import System
import TestSupport
import Testing
import VaultClient
import VaultInterface

@testable import Commands

/// The option for the vault in the commands that messages name.
struct CommandTextTests {
  /// The variable names another vault, as the service would be.
  private static let beside = ["THUMBLATCH_SOCKET": "/s"]
  private let own = CommandText(forPrivateVaultIn: { Self.beside[$0] })

  @Test(arguments: [
    ("run: thumblatch login me", "run: thumblatch --private login me"),
    ("thumblatch status", "thumblatch --private status"),
    ("(thumblatch agent), or this", "(thumblatch --private agent), or this"),
    ("To lock it: thumblatch lock.", "To lock it: thumblatch --private lock."),
    ("thumblatch lock, thumblatch lock", "thumblatch --private lock, thumblatch --private lock"),
    ("first thumblatch\n   unlock a", "first thumblatch --private\n   unlock a"),
    ("$ a | thumblatch import --from x", "$ a | thumblatch --private import --from x"),
    ("'thumblatch backup FILE'", "'thumblatch --private backup FILE'"),
  ])
  func aCommandNamesThePrivateVault(_ text: String, _ expected: String) {
    #expect(own.adapted(text) == expected)
    // A text may pass through the engine and through a command of this program.
    #expect(own.adapted(expected) == expected)
    #expect(CommandText(forPrivateVaultIn: { _ in nil }).adapted(text) == text)
    #expect(CommandText().adapted(text) == text)
  }

  /// Other words, and commands that use no vault of the caller.
  @Test(arguments: [
    "thumblatch", "thumblatch ", "thumblatch\n", "thumblatch sets this header itself",
    "thumblatch host add a.org me", "thumblatch service import", "thumblatch user remove ann",
    "thumblatch --help lists all verbs", "thumblatch --private login", "/x/thumblatch login",
    "thumblatch-cli login", "git-credential-thumblatch store", "thumblatch loginx",
    "thumblatch login/x", "thumblatch login\u{301}", "Thumblatch login", "thumblatchd login",
    // An account of that name in a table.
    "thumblatch  git  signed in",
  ])
  func anotherTextStaysAsItIs(_ text: String) {
    #expect(own.adapted(text) == text)
  }

  /// A text of a server must not take long.
  @Test
  func aLongTextIsAdaptedAtOnce() {
    let text = String(repeating: "thumblatch \u{301}", count: 20_000)
    let start = BootInstant.now
    #expect(own.adapted(text) == text)
    #expect(BootInstant.now.nanoseconds - start.nanoseconds < 5_000_000_000)
  }

  private func run(
    _ words: [String],
    _ environment: [String: String],
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    try Play.run(words, terminal: false, environment: environment, script: script)
  }

  @Test(arguments: [[], ["--json"]])
  func anErrorNamesTheVault(_ options: [String]) throws {
    let script: @Sendable (Stage) throws -> Void = { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.refused(message: "it is off; enable it: thumblatch presence enable me"))
    }
    for (words, environment, program) in [
      (["--private"], Self.beside, "thumblatch --private"), (["--private"], [:], "thumblatch"),
      ([], Self.beside, "thumblatch"),
    ] {
      let play = try run(["token", "me"] + words + options, environment, script: script)
      let text = options.isEmpty ? play.talk : play.out
      #expect(text.contains("enable it: \(program) presence enable me"), "\(text)")
    }
  }

  @Test(arguments: [[], ["--json"]])
  func theStateOfAnAccountNamesTheVault(_ options: [String]) throws {
    let words = ["account", "list", "--private"]
    let play = try run(words + options, Self.beside) { stage in
      var account = VerbTests.account
      account.cause = "the provider signed you out: thumblatch login me"
      try stage.knowAccounts([account])
    }
    #expect(play.out.contains("out: thumblatch --private login me"), "\(play.out)")
  }

  /// What programs have stated is no text of this program.
  @Test(arguments: [[], ["--json"]])
  func recordsOfTheAuditLogStayAsTheyAre(_ options: [String]) throws {
    let detail = "reason: to run thumblatch login me"
    let record = VaultAuditRecord(
      number: 1,
      time: 1_763_717_400,
      event: "access-token",
      outcome: "done",
      detail: detail
    )
    for words in [["audit", "--private"], ["audit", "--follow", "--private"]] {
      let play = try run(words + options, Self.beside) { stage in
        _ = try stage.call(AuditCall.self)
        try stage.reply(AuditReply(record: record), continues: true)
        try stage.reply(AuditReply())
      }
      #expect(play.out.contains(detail), "\(play.out)")
    }
  }

  /// A move into the service calls both vaults.
  @Test
  func anErrorOfThePrivateVaultInAMoveNamesThatOne() throws {
    let (client, engine) = try UnixSocket.pair()
    let (interrupt, key) = try UnixSocket.pair()
    let owner = Descriptor(owning: interrupt)
    let terminal = try PseudoTerminal(columns: 80)
    let vault = Stage(terminal: terminal, engine: engine, interruptKey: key)
    let play = try Play.run(
      ["service", "import", "--cancel"],
      terminal: false,
      environment: Self.beside,
      prepare: { session in
        session.privateCalls = VaultCalls(interrupt: nil) { () throws(VaultClientError) in
          try Connection(Descriptor(owning: client))
        }
      },
      script: { _ in
        _ = try vault.expect(CancelServiceImportCall.self)
        try vault.fail(.refused(message: "an answer was lost; first run thumblatch token me"))
      }
    )
    withExtendedLifetime(owner) {}
    #expect(play.talk.contains("first run thumblatch --private token me"), "\(play.talk)")
  }
}
