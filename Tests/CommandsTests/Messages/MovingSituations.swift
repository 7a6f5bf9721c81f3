import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Backups and their restore.
extension Situation {
  private static let passphrase = "correct horse battery staple"
  private static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
  private static let salt = "0123456789abcdef"
  /// A backup under a passphrase, at a low cost.
  private static let byPassphrase =
    "TLBACKUP\u{1}\u{1}" + salt + "\u{1}\u{0}\u{0}\u{0}\u{8}\u{0}\u{0}\u{0}"
  private static let byCode = "TLBACKUP\u{1}\u{2}" + salt + String(repeating: "\u{0}", count: 8)

  private static let backedUp = [
    VaultBackupAccount(name: "home", provider: "corp"),
    VaultBackupAccount(
      name: "work",
      provider: "dev",
      reason: "its provider replaces refresh tokens"
    ),
  ]

  /// Answers a backup with the accounts.
  private static func backUp(_ stage: Stage) throws {
    _ = try stage.expect(BackupCall.self)
    for account in [nil] + backedUp.map(Optional.some) {
      let isLast = account == backedUp.last
      try stage.reply(BackupReply(account: account, bytes: [1, 2]), continues: !isLast)
    }
  }

  private static func backingUp(
    _ options: String,
    _ what: String,
    _ script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("backup FOLDER/vault/new \(options)", what, script: script)
      .with(settings: ["vault/old": byPassphrase])
  }

  static let backups: [Situation] = [
    backingUp("", "a passphrase is typed") { stage in
      for word in ["short", passphrase] { try stage.answer("New passphrase", word) }
      try stage.answer("Passphrase again", "another one")
      try stage.answer("New passphrase", passphrase)
      try stage.answer("Passphrase again", passphrase)
      try backUp(stage)
    },
    backingUp("", "three passphrases are too short") { stage in
      for _ in 0..<3 { try stage.answer("New passphrase", "short") }
      try stage.expectEnd()
    },
    backingUp("--passphrase-fd 0 --json", "a script gives it", backUp)
      .withoutTerminal.with(input: passphrase + "\n"),
    backingUp("--passphrase-fd 0", "a script gives a short one").withoutTerminal
      .with(input: "short\n"),
    backingUp("--passphrase-fd 1", "no descriptor for input"),
    backingUp("--passphrase-fd 2147483647", "a descriptor that is not open"),
    backingUp("", "no terminal").withoutTerminal,
    backingUp("--code-stdin", "to the recovery code", backUp).with(input: code + "\n"),
    backingUp("--code --passphrase-fd 0", "both"),
    Situation("backup FOLDER/vault/old", "the file exists").with(settings: ["vault/old": "x"]),
    Situation("backup FOLDER/vault/old --force --code-stdin", "it is replaced", script: backUp)
      .with(settings: ["vault/old": "x"]).with(input: code + "\n"),
    Situation("backup FOLDER/vault --force", "a directory").with(settings: ["vault/old": "x"]),
    Situation("backup FOLDER/", "no name").with(settings: ["vault/old": "x"]),
    Situation("backup FOLDER/none/new", "no directory").with(settings: ["vault/old": "x"]),
  ]

  private static func found(
    _ name: String,
    signedIn: Bool,
    exists: Bool = false,
    issuer: String = "https://id.example.com",
    of provider: String = "dev",
    kind: String = "password-backend"
  ) -> VaultRestoredAccount {
    VaultRestoredAccount(
      name: name,
      provider: VaultProvider(
        name: provider,
        settings: ["kind": kind, "issuer": issuer]
      ),
      signedIn: signedIn,
      exists: exists
    )
  }

  /// Answers each of the calls of a restore, and the last one.
  private static func restore(
    _ accounts: [VaultRestoredAccount]
  ) -> @Sendable (Stage) throws -> Void {
    { stage in
      _ = try stage.expect(SendBackupCall.self)
      try stage.reply(EmptyReply())
      for _ in 0..<2 {
        _ = try stage.expect(RestoreCall.self)
        for account in accounts.dropLast() {
          try stage.reply(RestoreReply(account: account), continues: true)
        }
        try stage.reply(RestoreReply(account: accounts.last))
      }
    }
  }

  private static func restoring(
    _ options: String,
    _ what: String,
    of file: String = byPassphrase,
    _ script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("restore FOLDER/vault/old \(options)", what, script: script)
      .with(settings: ["vault/old": file])
  }

  static let restores: [Situation] = [
    restoring("", "a passphrase is typed") { stage in
      try stage.answer("Passphrase of the backup", passphrase)
      let item = found("secret-01", signedIn: false, of: "secret-service", kind: "static")
      try restore([found("home", signedIn: true), found("work", signedIn: false), item])(stage)
    },
    restoring(
      "--passphrase-fd 0 --skip-existing",
      "an account is there",
      restore([found("home", signedIn: true, exists: true), found("work", signedIn: true)])
    ).with(input: passphrase + "\n"),
    restoring(
      "--passphrase-fd 0",
      "two accounts have different settings of one provider",
      restore([
        found("home", signedIn: true),
        found("work", signedIn: true, issuer: "https://other.example.com"),
      ])
    ).with(input: passphrase + "\n"),
    restoring("--passphrase-fd 0 --json", "no account", restore([])).with(input: passphrase + "\n"),
    restoring("", "a recovery code is typed", of: byCode) { stage in
      try stage.answer("Recovery code", code)
      try restore([found("home", signedIn: true)])(stage)
    },
    restoring("--code-stdin", "a code for a passphrase").with(input: code + "\n"),
    restoring("--passphrase-fd 0", "a passphrase for a code", of: byCode)
      .with(input: passphrase + "\n"),
    restoring("", "no terminal").withoutTerminal,
    restoring("", "no backup", of: "hello"),
    restoring("", "a newer backup", of: byCode.replacing("\u{1}\u{2}", with: "\u{2}\u{2}")),
    restoring("", "an unknown lock", of: byCode.replacing("\u{1}\u{2}", with: "\u{1}\u{3}")),
    restoring("", "5 MiB", of: String(repeating: "x", count: 5 << 20)),
    Situation("restore FOLDER/none", "no file").with(settings: ["vault/old": "x"]),
    Situation("restore /dev/null", "a device"),
    restoring("--passphrase-fd 0", "another provider file of that name") { stage in
      _ = try stage.expect(SendBackupCall.self)
      try stage.reply(EmptyReply())
      _ = try stage.expect(RestoreCall.self)
      try stage.reply(RestoreReply(account: found("home", signedIn: true)))
      try stage.expectEnd()
    }.with(input: passphrase + "\n").with(files: [
      "dev": "[Provider]\nkind = password-backend\nissuer = https://other.example.com\n"
    ]),
  ]

  static func moved(_ name: String, signedIn: Bool = true) -> VaultMovedAccount {
    VaultMovedAccount(name: name, provider: "dev", signedIn: signedIn)
  }

  private static func moving(
    _ options: String,
    _ what: String,
    _ script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("service import \(options)", what, script: script).with { $0.location = .service }
  }

  /// Answers a move of three accounts, one of which is signed out, and the refresh of one.
  private static func move(_ stage: Stage) throws {
    _ = try stage.call(ImportIntoServiceCall.self)
    try touch(stage, .moveToService)
    _ = try stage.call(ImportIntoServiceCall.self)
    let accounts = [moved("gone", signedIn: false), moved("home"), moved("work")]
    for account in accounts {
      try stage.reply(
        ImportIntoServiceReply(account: account),
        continues: account != accounts.last
      )
    }
    try stage.knowAccounts(["gone", "home", "work"].map { name in account { $0.name = name } })
    _ = try stage.call(AccessTokenCall.self)
    try stage.reply(token: "at-1")
    _ = try stage.call(AccessTokenCall.self)
    try stage.fail(.providerUnavailable(message: "id.example.com does not answer"))
  }

  static let serviceImports: [Situation] = [
    moving("", "two are refreshed, one of them in vain", move),
    moving("--json", "the same", move),
    moving("", "no account") { stage in
      _ = try stage.call(ImportIntoServiceCall.self)
      try stage.reply(ImportIntoServiceReply())
    },
    moving("", "the service has an account of that name") { stage in
      _ = try stage.call(ImportIntoServiceCall.self)
      try stage.fail(.refused(message: "the service has these accounts already: work"))
    },
    moving("", "no service").with { $0.location = .privateVault },
    moving("--private", "a service that is left out").with { $0.location = .privateVault },
    moving("--cancel", "after an interruption") { stage in
      _ = try stage.expect(CancelServiceImportCall.self)
      try stage.reply(CancelServiceImportReply(cancelled: true))
    },
    moving("--cancel", "nothing was interrupted") { stage in
      _ = try stage.expect(CancelServiceImportCall.self)
      try stage.reply(CancelServiceImportReply(cancelled: false))
    },
  ]
}
