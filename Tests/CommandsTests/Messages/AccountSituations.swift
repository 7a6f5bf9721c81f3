import PresenceTerms
import System
import VaultInterface

@testable import Commands

// Accounts, their state, and how they end.
extension Situation {
  static func know(_ stage: Stage, _ accounts: [VaultAccount]) throws {
    guard accounts.isEmpty else { return try stage.knowAccounts(accounts) }
    _ = try stage.call(GetAccountCall.self)
    try stage.reply(GetAccountReply(account: nil))
  }

  private static let various = [
    account { $0.isDefault = true },
    account {
      $0.name = "lost"
      $0.state = .loginRequired
      $0.cause = "the provider signed you out"
      $0.presenceProtection = true
      $0.exportable = true
      $0.refreshedAt = Int(WallTime.now.seconds) - 300_000
    },
    account {
      $0.name = "plain"
      $0.issuer = "http://localhost:8000"
      $0.missingScope = "mail"
      $0.accessTokenExpiresAt = Int(WallTime.now.seconds) + 300_000
      $0.refreshedAt = Int(WallTime.now.seconds) + 300_000
    },
  ]

  @Sendable
  private static func rename(_ stage: Stage) throws {
    _ = try stage.expect(RenameAccountCall.self)
    try stage.reply(AccountReply(account: account()))
  }

  static let accounts: [Situation] = [
    Situation("account list", "no account") { try know($0, []) },
    Situation("account list", "several accounts") { try know($0, various) },
    Situation("account rename old work", "an unprotected account", script: rename).with(hosts: ""),
    Situation("account rename old work", "an account with a host", script: rename)
      .with(hosts: "[git.example.org]\naccount = old\n"),
    Situation("account rename old work", "a fault in hosts.conf", script: rename)
      .with(hosts: "[git.example.org]\nx = y\n"),
    Situation("account rename old work", "the engine ends before it answers") { stage in
      _ = try stage.expect(RenameAccountCall.self)
      stage.hangUp()
    },
    Situation(
      "account rename old ../x",
      "a name that is not allowed"
    ),
    Situation("account default work", "another was the default") { stage in
      _ = try stage.expect(SetDefaultAccountCall.self)
      try stage.reply(AccountReply(account: account { $0.isDefault = true }))
    },
  ]

  static func ready(
    _ stage: Stage,
    _ accounts: [VaultAccount],
    _ change: (inout VaultStatus) -> Void = { _ in },
    reader: VaultReader = VaultReader(available: true, name: "Goodix MOC", driver: "goodixmoc"),
    only: VaultAccount? = nil
  ) throws {
    var status = VaultStatus(
      form: .private,
      version: "0.1.0",
      process: 42,
      deviceSecret: "file",
      memory: .secret,
      unlocked: false,
      unlockedAccounts: [],
      enrolledFingers: [],
      fingerprintLockedOut: false
    )
    change(&status)
    _ = try stage.expect(GetStatusCall.self)
    try stage.reply(status)
    guard status.problem == nil else { return }
    _ = try stage.expect(GetReaderCall.self)
    try stage.reply(GetReaderReply(reader: reader))
    if let only { try stage.knowAccount(only) } else { try know(stage, accounts) }
  }

  static let status: [Situation] = [
    Situation("status", "a new vault") { try ready($0, []) },
    Situation("status", "unlocked, with fingers of the desktop and several accounts") { stage in
      try ready(
        stage,
        [account(), account { $0.name = "home" }],
        {
          $0.memory = .ordinary
          $0.unlocked = true
          $0.unlockedFor = 540
          $0.unlockedAccounts = ["work"]
          $0.enrolledFingers = ["right-index"]
          $0.desktopFingers = ["left-index"]
          $0.fingerSource = .namesOnly
          $0.fingerReason = "the desktop's fingers cannot be seen now"
        },
        reader: VaultReader(available: true, name: "Goodix MOC", inUse: true)
      )
    },
    Situation("status", "unlocked for all accounts until it is locked; the reader was used last") {
      try ready(
        $0,
        various,
        {
          $0.memory = .locked
          $0.unlocked = true
          $0.deviceSecret = "tpm"
          $0.counter = .current
        },
        reader: VaultReader(available: true, name: "Goodix MOC", known: .lastUsed)
      )
    },
    Situation("status", "a security key opens the vault") {
      try ready(
        $0,
        various,
        { $0.deviceSecret = "security_key" },
        reader: VaultReader(available: true, name: "Goodix MOC", known: .lastUsed)
      )
    },
    Situation("status", "too many fingers failed; no reader") {
      try ready(
        $0,
        [account()],
        { $0.fingerprintLockedOut = true },
        reader: VaultReader(available: false, reason: "no fingerprint reader is plugged in")
      )
    },
    Situation("status", "the reader is not known") {
      try ready($0, [account()], reader: VaultReader(available: false, known: .notLooked))
    },
    Situation("status", "the vault may be an old copy") { stage in
      try ready(stage, []) {
        $0.problem = "the store is older than its rollback counter: an old copy was restored"
        $0.remedy = "if you restored it yourself, accept it: thumblatch recover"
      }
    },
    Situation("status work", "one account, all of it") { stage in
      try ready(
        stage,
        [],
        only: account {
          $0.issuer = "http://localhost:8000"
          $0.subject = "17"
          $0.displayName = "Ada Lovelace"
          $0.emailVerified = false
          $0.role = "admin"
          $0.createdAt = 1_763_717_400
          $0.presenceProtection = true
          $0.isDefault = true
          $0.scope = "openid"
          $0.missingScope = "mail"
          $0.accessTokenExpiresAt = Int(WallTime.now.seconds) + 300_000
          $0.refreshedAt = Int(WallTime.now.seconds) - 300_000
          $0.state = .uncertain
          $0.cause = "the answer to the last refresh was lost"
        }
      )
    },
    Situation("status work", "an unprotected account") { stage in
      try ready(stage, [], only: account { $0.emailVerified = true })
    },
  ]
}
