import PresenceTerms
import System
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Accounts, their state, and how they end.
extension Situation {
  private static func know(_ stage: Stage, _ accounts: [VaultAccount]) throws {
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

  static let accounts: [Situation] = [
    Situation("account list", "no account") { try know($0, []) },
    Situation("account list", "several accounts") { try know($0, various) },
    Situation("account rename old work", "an unprotected account") { stage in
      _ = try stage.expect(RenameAccountCall.self)
      try stage.reply(AccountReply(account: account()))
    },
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

  private static func ready(
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
        },
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

  private static func logout(
    _ options: String,
    _ what: String,
    _ account: VaultAccount,
    answer: String? = "y",
    _ reply: LogoutReply
  ) -> Situation {
    Situation("logout work\(options)", what) { stage in
      try stage.knowAccount(account)
      if let answer { try stage.answer("[y/N]", answer) }
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(reply)
    }
  }

  private static func remove(
    _ options: String,
    _ what: String,
    _ account: VaultAccount,
    answer: String? = "y",
    _ reply: LogoutReply
  ) -> Situation {
    Situation("account remove work\(options)", what) { stage in
      try stage.knowAccount(account)
      if let answer { try stage.answer("[y/N]", answer) }
      _ = try stage.expect(RemoveAccountCall.self)
      try stage.reply(reply)
    }
  }

  private static let ended = LogoutReply(revoked: true, grant: .ended)
  private static let nothing = LogoutReply(
    revoked: false,
    reason: "was not signed in",
    grant: GrantState.none
  )
  private static let valid = LogoutReply(
    revoked: false,
    reason: "no network: id.example.com cannot be reached from here (resolve)",
    grant: .valid
  )

  private static func signedOutOfAll(
    _ what: String,
    _ options: String,
    _ ends: [EndedAccount],
    asks: Bool = false
  ) -> Situation {
    Situation("logout --all\(options)", what) { stage in
      try know(stage, [account(), account { $0.name = "home" }])
      if asks { try stage.answer("[y/N]", "y") }
      _ = try stage.call(LogoutAllCall.self)
      for (index, end) in ends.enumerated() {
        try stage.reply(LogoutAllReply(ended: end), continues: index + 1 < ends.count)
      }
    }
  }

  private static func end(
    _ account: String,
    _ grant: GrantState,
    error: String? = nil,
    reason: String? = nil
  ) -> EndedAccount {
    EndedAccount(
      account: account,
      provider: "dev",
      erased: error == nil,
      grant: grant,
      reason: reason,
      error: error
    )
  }

  static let endings: [Situation] = [
    logout("", "the provider confirms", account(), ended),
    logout("", "the provider confirms, and the account is protected", protected, ended),
    logout("", "the provider cannot be reached", account(), valid),
    logout(
      "",
      "the answer of the provider was lost",
      account(),
      LogoutReply(revoked: false, reason: "no answer came back", grant: .unknown)
    ),
    logout(
      " --local",
      "the provider is not told",
      account(),
      LogoutReply(revoked: false, grant: .valid)
    ),
    logout("", "no person is signed in", signedOut, answer: nil, nothing),
    Situation("logout work", "the person says no") { stage in
      try stage.knowAccount(account())
      try stage.answer("[y/N]", "n")
      try stage.expectEnd()
    },
    Situation("logout", "no account is named"), Situation("logout --all work", "all, and one"),
    Situation("logout --all", "no account") { try know($0, []) },
    Situation("logout --all", "one account, and the person says no") { stage in
      try know(stage, [account()])
      try stage.answer("[y/N]", "n")
      try stage.expectEnd()
    },
    Situation("logout --all", "no terminal") { try know($0, [account()]) }.withoutTerminal,
    signedOutOfAll("all end", "", [end("work", .ended), end("home", .none)], asks: true),
    signedOutOfAll("no provider is told", " --local", [end("work", .valid)], asks: true),
    signedOutOfAll(
      "one stays valid, and one cannot be erased",
      " --yes",
      [
        end("work", .valid, reason: "the provider has no revocation_endpoint"),
        end("home", .valid, error: "VaultUnsafe"),
      ]
    ),
    remove("", "the provider confirms", account(), ended),
    remove(
      " --local",
      "the provider is not told",
      account(),
      LogoutReply(revoked: false, grant: .valid)
    ),
    remove("", "no person is signed in", signedOut, answer: nil, nothing),
    Situation("account remove work", "the person says no") { stage in
      try stage.knowAccount(account())
      try stage.answer("[y/N]", "n")
      try stage.expectEnd()
    },
    Situation("account remove work", "no terminal") {
      try $0.knowAccount(account())
      try $0.expectEnd()
    }.withoutTerminal,
  ]

  private static func removal(_ line: String, _ what: String, _ reply: RemoveUserReply) -> Situation
  {
    Situation(line, what, RemoveUserCall.self, replies: reply).with { $0.isRoot = true }
  }

  static let users: [Situation] = [
    Situation("user remove bob", "another user than root"),
    Situation("user remove bob", "a private vault").with { $0.location = .privateVault },
    Situation("user remove bob", "the person says no") { try $0.answer("[y/N]", "n") }
      .with { $0.isRoot = true },
    Situation("user remove bob work", "no terminal").withoutTerminal.with { $0.isRoot = true },
    Situation("user remove bob work", "the person says no") { try $0.answer("[y/N]", "n") }
      .with { $0.isRoot = true },
    removal(
      "user remove bob --yes",
      "an account is signed in, and a reader stores prints",
      RemoveUserReply(
        user: 1001,
        name: "bob",
        accounts: [end("work", .valid), end("old", .none)],
        onReader: "right-index: it is not plugged in"
      )
    ),
    removal(
      "user remove 1001 work --yes",
      "an account that is not signed in",
      RemoveUserReply(user: 1001, accounts: [end("work", .none)])
    ),
    removal("user remove bob --yes", "a damaged vault", RemoveUserReply(user: 1001, name: "bob")),
    Situation(
      "user remove bob --yes",
      "no vault",
      RemoveUserCall.self,
      fails: .noSuchUser(user: "bob")
    )
    .with { $0.isRoot = true },
  ]
}
