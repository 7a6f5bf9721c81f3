import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// The checks before the first question of `login`, and its messages afterwards.
struct LoginTests {
  /// A configuration directory with these providers, removed after the body.
  private func withProviders(_ names: [String], _ body: ([String: String]) throws -> Void) throws {
    let directory = try ScratchDirectory()
    let environment = ["XDG_CONFIG_HOME": directory.path]
    let kind = ["--kind", "password-backend", "--issuer", "http://localhost:8000"]
    for name in names {
      let added = try Play.run(["provider", "add", name] + kind, environment: environment) {
        stage in
        try stage.expectEnd()
      }
      #expect(added.code == .done)
    }
    try withExtendedLifetime(directory) { try body(environment) }
  }

  @Test(arguments: [
    (
      [],
      "add a provider first: thumblatch provider add NAME with --template T (--template without a "
        + "name lists them), with --issuer URL --client-id ID, or with --kind password-backend"
        + " --issuer URL"
    ),
    (["dev", "work"], "thumblatch login nwe --provider P, where P is one of dev, work"),
  ])
  func anUnknownAccountIsToldBeforeAnyQuestion(_ providers: [String], _ hint: String) throws {
    try withProviders(providers) { environment in
      let play = try Play.run(["login", "nwe"], environment: environment) { stage in
        #expect(try stage.expect(GetAccountCall.self).account == "nwe")
        try stage.fail(.noSuchAccount(account: "nwe"))
        try stage.expectEnd()
      }
      #expect(play.code == .notFound)
      #expect(play.error?.message == "no such account: nwe")
      #expect(play.error?.hint == hint)
      #expect(play.screen.isEmpty)
    }
  }

  @Test
  func aNewAccountSignsInAtTheOnlyProvider() throws {
    try withProviders(["dev"]) { environment in
      let play = try Play.run(["login", "new"], environment: environment) { stage in
        _ = try stage.expect(GetAccountCall.self)
        try stage.fail(.noSuchAccount(account: "new"))
        try stage.terminal.waitFor("E-mail")
        try stage.interrupt()
      }
      #expect(play.code == .interrupted)
      let register = "thumblatch register new --provider dev"
      let said = "new is a new account at dev; to register a new user: \(register)"
      #expect(play.talk.contains(said), "\(play.talk)")
    }
  }

  @Test
  func theOnlyProviderMustBeReadable() throws {
    let home = try ProviderHome()
    try home.write("kind = nonsense\n", "idp")
    let play = try home.run("login new") { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "new"))
      try stage.expectEnd()
    }
    #expect(play.error?.hint == "thumblatch login new --provider idp")
  }

  /// An unprotected account.
  ///
  /// For a protected one the engine asks.
  private static var open: VaultAccount {
    var account = VerbTests.account
    account.presenceProtection = false
    return account
  }

  @Test(arguments: ["y", "n", ""])
  func anotherPersonIsConfirmed(_ answer: String) throws {
    let play = try Play.run(["login", "me", "--email", "eve@example.org"]) { stage in
      try stage.knowAccount(Self.open)
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type(answer + "\n")
      guard answer == "y" else { return try stage.expectEnd() }
      try stage.terminal.waitFor("Password of eve@example.org at dev: ")
      try stage.terminal.type("pw\n")
      #expect(try stage.expect(LoginCall.self).email == "eve@example.org")
      try stage.reply(AccountReply(account: VerbTests.account))
    }
    #expect(play.code == (answer == "y" ? .done : .interrupted))
    for part in ["signed in as me@example.org", "Sign in as eve@example.org", "ends the earlier"] {
      #expect(play.screen.contains(part))
    }
  }

  /// Without a check, the refresh token of a locked login cannot be revoked.
  ///
  /// A locked account is in the state `ready` while it has a valid access token.
  @Test(
    arguments: [
      (AccountState.locked, true, false), (.locked, true, true), (.ready, true, false),
      (.ready, true, true), (.ready, false, false),
    ]
  )
  func aLoginOverAProtectedOneSaysThatItStaysValid(
    _ state: AccountState,
    _ isProtected: Bool,
    _ revoked: Bool
  ) throws {
    var account = VerbTests.account
    account.state = state
    account.presenceProtection = isProtected
    let known = account
    account.replacedRevoked = revoked
    account.replacedReason = revoked ? nil : "that needs a presence check"
    let signedIn = account
    let play = try Play.run(["login", "me", "--email", "me@example.org"]) { stage in
      try stage.knowAccount(known)
      try stage.terminal.waitFor("Password of me@example.org at dev: ")
      try stage.terminal.type("pw\n")
      _ = try stage.expect(LoginCall.self)
      try stage.reply(AccountReply(account: signedIn))
    }
    #expect(play.code == (isProtected && !revoked ? .notRevoked : .done))
    #expect(play.talk.contains("first run thumblatch unlock me") == (state == .locked))
    #expect(play.talk.contains("NOT revoked and stays valid") == (isProtected && !revoked))
  }

  @Test
  func withoutATerminalAnotherPersonNeedsYes() throws {
    let words = ["login", "me", "--email", "eve@example.org", "--password-stdin"]
    let play = try Play.run(words, terminal: false) { stage in
      try stage.knowAccount(Self.open)
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.error?.hint?.contains("--yes") == true)
  }

  @Test
  func theVaultAsksBeforeAnotherPersonTakesAProtectedAccount() throws {
    let play = try Play.run(["login", "me", "--email", "eve@example.org"]) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.terminal.waitFor("Password of eve@example.org at dev: ")
      try stage.terminal.type("pw\n")
      _ = try stage.expect(LoginCall.self)
      try stage.needPresence(.replace, detail: "ann at dev → eve at dev; protection ends")
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("replace the login of account 'me' (ann at")
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(LoginCall.self).prompt == "p1")
      try stage.reply(AccountReply(account: VerbTests.account))
    }
    #expect(play.code == .done && !play.screen.contains("[y/N]"))
  }

  @Test
  func noPromptIsShownIfNoUserIsSignedIn() throws {
    var account = VerbTests.account
    account.state = .signedOut
    let words = ["login", "me", "--email", "eve@example.org"]
    for (account, more) in [(account, []), (VerbTests.account, ["--yes"])] {
      let play = try Play.run(words + more) { stage in
        try stage.knowAccount(account)
        try stage.terminal.waitFor("Password of eve@example.org at dev: ")
        try stage.terminal.type("pw\n")
        _ = try stage.expect(LoginCall.self)
        try stage.reply(AccountReply(account: account))
      }
      #expect(play.code == .done)
      #expect(!play.screen.contains("[y/N]"))
    }
  }

  @Test
  func theSecondAccountTellsHowToChoose() throws {
    var first = VerbTests.account
    first.isDefault = false
    var second = first
    second.name = "work"
    var chosen = first
    chosen.isDefault = true
    var secret = StoredSecretTests.account()
    secret.isDefault = false
    for (others, isTold) in [
      ([first], true), ([chosen], false), ([first, first], false), ([first, secret], true),
    ] {
      let accounts = others + [second]
      try withProviders(["dev"]) { environment in
        let words = ["login", "work", "--provider", "dev", "--email", "me@example.org"]
        let play = try Play.run(words, environment: environment) { [second] stage in
          _ = try stage.expect(GetAccountCall.self)
          try stage.fail(.noSuchAccount(account: "work"))
          try stage.terminal.waitFor("Password of")
          try stage.terminal.type("pw\n")
          _ = try stage.expect(LoginCall.self)
          try stage.reply(AccountReply(account: second))
          try stage.knowAccounts(accounts)
        }
        #expect(play.code == .done)
        #expect(play.talk.contains("several accounts now: thumblatch account default") == isTold)
      }
    }
  }

  @Test(arguments: [
    "there are several accounts: name one", "every account keeps a static secret: name one",
  ])
  func severalAccountsAndNoneNamedTellHowToChoose(_ message: String) throws {
    let play = try Play.run(["token"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.invalidArgument(message: message))
    }
    #expect(play.code == .usage)
    #expect(play.error?.hint?.contains("thumblatch account default NAME") == true)
  }

  @Test
  func anEmailThatIsTakenLeadsToLogin() throws {
    try withProviders(["dev"]) { environment in
      let words = ["register", "me", "--provider", "dev", "--email", "a@b.c", "--name", "A"]
      let play = try Play.run(words, environment: environment) { stage in
        _ = try stage.expect(GetAccountCall.self)
        try stage.fail(.noSuchAccount(account: "me"))
        for _ in 0..<2 {
          try stage.terminal.waitFor("Password")
          try stage.terminal.type("pw\n")
        }
        _ = try stage.expect(RegisterCall.self)
        try stage.fail(.providerRefused(status: 409, message: "taken"))
      }
      #expect(play.code == .serverError)
      #expect(play.error?.hint?.contains("thumblatch login me --provider dev") == true)
    }
  }
}
