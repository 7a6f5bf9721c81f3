import VaultClient
import VaultInterface

@testable import Commands

/// The ends of accounts.
extension Situation {
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
    }.with(hosts: "")
  }

  private static let ended = LogoutReply(revoked: true, grant: .ended)
  private static let nothing = LogoutReply(
    revoked: false,
    reason: "the account was not signed in",
    grant: GrantState.none
  )
  private static let valid = LogoutReply(
    revoked: false,
    reason: "no network: id.example.com cannot be reached from here (its address was not found)",
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
    logout("", "a secret without login", account { $0.kind = StoreVerb.kind }, valid),
    logout(
      "",
      "an item of the Secret Service",
      account {
        let item = SecretAccount.provider
        ($0.kind, $0.provider) = (StoreVerb.kind, item.name)
        $0.issuer = item.settings["issuer"] ?? ""
      },
      valid
    ),
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
    remove("", "an account with a host", account(), ended)
      .with(hosts: "[git.example.org]\naccount = work\n"),
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
    removal(
      "user remove bob --yes",
      "another directory cannot be read",
      RemoveUserReply(user: 1001, name: "bob", accounts: [], unread: [999])
    ),
    Situation(
      "user remove bob --yes",
      "no vault",
      RemoveUserCall.self,
      fails: .noSuchUser(user: "bob")
    )
    .with { $0.isRoot = true },
    Situation(
      "user remove bob --yes --if-exists",
      "no vault",
      RemoveUserCall.self,
      fails: .noSuchUser(user: "bob")
    )
    .with { $0.isRoot = true },
    Situation(
      "user remove bob work --yes",
      "no account",
      RemoveUserCall.self,
      fails: .noSuchAccount(account: "work")
    )
    .with { $0.isRoot = true },
    Situation(
      "user remove bob work --yes --if-exists",
      "no account",
      RemoveUserCall.self,
      fails: .noSuchAccount(account: "work")
    )
    .with { $0.isRoot = true },
  ]
}
