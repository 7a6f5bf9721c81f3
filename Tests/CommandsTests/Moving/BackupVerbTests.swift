import BackupFormat
import Glibc
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

struct BackupVerbTests {
  private let home: ProviderHome
  private let code = Array("000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9\n".utf8)
  private var file: String { home.path + "/backup" }
  private var names: [String] { ((try? Directory(path: home.path).names()) ?? []).sorted() }

  init() throws { home = try ProviderHome() }

  private func contents() throws -> [UInt8] {
    try Directory(path: home.path).openForReading("backup").readAll(limit: 1 << 20)
  }

  private func backUp(
    _ options: String,
    input: [UInt8]? = nil,
    bytes: [[UInt8]] = [[1, 2], [3]]
  ) throws -> Play {
    try home.run("backup \(file) \(options)", input: input ?? code) { stage in
      _ = try stage.expect(BackupCall.self)
      try stage.needPresence(.backup, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.answer("Password: ", "hunter2")
      _ = try stage.expect(RespondCall.self)
      try stage.reply(CheckEvent.passed)
      let call = try stage.expect(BackupCall.self)
      #expect(call.prompt == "p1")
      for part in bytes.dropLast() {
        try stage.reply(BackupReply(bytes: part), continues: true)
      }
      try stage.reply(
        BackupReply(
          account: VaultBackupAccount(name: "me", provider: "dev"),
          bytes: bytes.last ?? []
        )
      )
    }
  }

  @Test
  func theFileIsThePartsInOrderAndOnlyItsOwnersToRead() throws {
    #expect(try backUp("--code-stdin").code == .done)
    #expect(try contents() == [1, 2, 3])
    var status = stat()
    #expect(unsafe stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(names == ["backup"])
  }

  @Test
  func aFileThatExistsIsReplacedOnlyByForce() throws {
    try Directory(path: home.path).create("backup").write("old")
    let refused = try home.run("backup \(file)")
    #expect(refused.code == .usage && refused.talk.contains("--force"))
    #expect(try contents() == Array("old".utf8))
    #expect(try backUp("--code-stdin --force").code == .done)
    #expect(try contents() == [1, 2, 3])
  }

  @Test
  func aFileThatAppearsInTheMeantimeStays() throws {
    let folder = home.path
    let play = try home.run("backup \(file) --code-stdin", input: code) { stage in
      _ = try stage.expect(BackupCall.self)
      try Directory(path: folder).create("backup").write("another")
      try stage.reply(BackupReply(bytes: [1, 2, 3]))
    }
    #expect(play.code == .usage && play.talk.contains("exists already"))
    #expect(try contents() == Array("another".utf8) && names == ["backup"])
  }

  /// A file of another system ends a line with CR LF.
  @Test(arguments: ["", "\n", "\r\n"])
  func theLineEndIsNoPartOfASecret(_ end: String) throws {
    let words = code.filter { $0 > 0x20 }
    let play = try home.run(
      "backup \(file) --code-stdin",
      input: words + Array(end.utf8)
    ) { stage in
      #expect(try stage.expect(BackupCall.self).code?.bytes.count == words.count)
      try stage.reply(BackupReply(bytes: [1]))
    }
    #expect(play.code == .done)
  }

  @Test
  func theEngineGetsTheKeyAndNotThePassphrase() throws {
    let passphrase = "correct horse battery staple"
    let play = try home.run(
      "backup \(file) --passphrase-fd 0",
      input: Array(passphrase.utf8)
    ) { stage in
      let call = try stage.expect(BackupCall.self)
      let header = try BackupHeader(parsing: call.header)
      #expect(header.lock == .passphrase(.standard) && call.code == nil)
      let key = try #require(call.backupKey)
      #expect(key.bytes.count == 32)
      try stage.reply(BackupReply(bytes: [1]))
    }
    #expect(play.code == .done)
    #expect(!(play.out + play.talk + play.screen).contains(passphrase))
  }

  @Test
  func nothingIsLeftIfTheEngineRefuses() throws {
    let play = try home.run("backup \(file) --code-stdin", input: code) { stage in
      _ = try stage.expect(BackupCall.self)
      try stage.fail(.invalidArgument(message: "this code opens no slot"))
    }
    #expect(play.code == .usage && names.isEmpty)
  }

  // MARK: - Restore

  private static let header = BackupHeader(.recoveryCode, salt: [UInt8](0..<16)).encoded

  private func provider(_ issuer: String = "https://id.example.com") -> VaultProvider {
    VaultProvider(name: "dev", settings: ["kind": "password-backend", "issuer": issuer])
  }

  private func restore(
    _ account: VaultRestoredAccount,
    _ options: String = "",
    isRefused: Bool = false
  ) throws -> Play {
    let whole = Self.header + [UInt8](repeating: 9, count: 40_000)
    _ = try? Directory(path: home.path).unlink("backup")
    try Directory(path: home.path).create("backup").write(whole)
    return try home.run("restore \(file) --code-stdin \(options)", input: code) { stage in
      var sent: [UInt8] = []
      for _ in 0..<2 {
        let call = try stage.expect(SendBackupCall.self)
        #expect(call.offset == sent.count && call.bytes.count <= 32 << 10)
        sent += call.bytes
        try stage.reply(EmptyReply())
      }
      #expect(sent == whole)
      for isExamination in [true, false] where isExamination || !isRefused {
        let call = try stage.expect(RestoreCall.self)
        #expect(call.examine == isExamination && call.backupKey == nil && call.code != nil)
        #expect(call.skipExisting == !options.isEmpty)
        try stage.reply(RestoreReply(account: account))
      }
      if isRefused { try stage.expectEnd() }
    }
  }

  private func account(exists: Bool = false) -> VaultRestoredAccount {
    VaultRestoredAccount(name: "me", provider: provider(), signedIn: true, exists: exists)
  }

  @Test
  func aProviderWithoutAFileGetsOne() throws {
    let play = try restore(account())
    #expect(play.code == .done && play.talk.contains("added the provider files: dev"))
    #expect(try home.text("dev").contains("https://id.example.com"))
    // A second restore finds the same file.
    #expect(try restore(account()).code == .done)
  }

  @Test
  func aProviderFileWithOtherSettingsIsRefusedBeforeAnythingChanges() throws {
    let text = "[Provider]\nkind = password-backend\nissuer = https://other.example.com\n"
    try home.write(text, "dev")
    let play = try restore(account(), isRefused: true)
    #expect(play.code == .refused && play.talk.contains("other settings"))
    #expect(try home.text("dev") == text)
    // A secret without login needs no file, and may have the name of a login's host.
    let settings = ["kind": "static", "issuer": "https://id.example.com"]
    let secret = VaultProvider(name: "dev", settings: settings)
    let kept = VaultRestoredAccount(name: "git", provider: secret, signedIn: true, exists: false)
    let done = try restore(kept)
    #expect(done.code == .done && !done.talk.contains("provider files"))
    #expect(try home.text("dev") == text)
    // An account that is left out needs no file.
    #expect(try restore(account(exists: true), "--skip-existing").code == .done)
  }

  /// No person stores an item of the Secret Service.
  @Test(arguments: [
    ("git.example.org", "thumblatch store git"), ("secret-service", "the program that uses it"),
  ])
  func aSecretThatIsNotInTheBackupNamesItsRemedy(_ name: String, _ remedy: String) throws {
    let settings = ["kind": "static", "issuer": "https://localhost"]
    let provider = VaultProvider(name: name, settings: settings)
    let play = try restore(
      VaultRestoredAccount(name: "git", provider: provider, signedIn: false, exists: false)
    )
    #expect(play.talk.contains("git is signed out: \(remedy)"), "\(play.talk)")
  }
}
