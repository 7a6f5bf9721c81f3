import JSON
import PresenceTerms
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

struct LogoutVerbTests {
  @Test
  func logoutSaysWhatHappened() throws {
    func play(_ words: [String], _ account: VaultAccount, _ reply: LogoutReply) throws -> Play {
      try Play.run(["logout", "me"] + words, terminal: false) { stage in
        try stage.knowAccount(account)
        let call = try stage.expect(LogoutCall.self)
        #expect(call == LogoutCall(account: "me", local: words == ["--local"]))
        try stage.reply(reply)
      }
    }
    let told = try play([], VerbTests.account, LogoutReply(revoked: true, grant: .ended))
    #expect(told.code == .done && told.talk.contains("dev confirmed that the login has ended"))
    let reply = LogoutReply(revoked: false, reason: "only erased here", grant: .valid)
    let local = try play(["--local"], VerbTests.account, reply)
    #expect(local.code == .done)
    #expect(local.talk.contains("stays valid at dev, which was not notified"))
    var out = VerbTests.account
    out.state = .signedOut
    let nothing = LogoutReply(revoked: false, reason: "was not signed in", grant: GrantState.none)
    for words in [[], ["--local"]] {
      let play = try play(words, out, nothing)
      #expect(play.code == .done && play.talk == "me was not signed in\n")
    }
  }

  /// An item of a desktop program is valid at no provider; any other secret is, at its issuer.
  @Test(arguments: [("secret-service", ExitCode.done, "none"), ("git", .notRevoked, "valid")])
  func theErasureOfAnItemLeavesNothingValid(
    _ provider: String,
    _ code: ExitCode,
    _ grant: String
  ) throws {
    for words in [[], ["--json"]] {
      let play = try Play.run(["logout", "me"] + words, terminal: false) { stage in
        var account = StoreVerbTests.item
        (account.name, account.provider) = ("me", provider)
        try stage.knowAccount(account)
        _ = try stage.expect(LogoutCall.self)
        try stage.reply(LogoutReply(revoked: false, reason: "it has no login", grant: .valid))
      }
      #expect(play.code == code, "\(play.talk)")
      guard words.isEmpty else {
        #expect(play.out.contains(#""grant":"\#(grant)""#), "\(play.out)")
        continue
      }
      #expect(play.talk.contains("The secret is erased here"))
      #expect(play.talk.contains("stays valid at git") == (code == .notRevoked), "\(play.talk)")
    }
  }

  /// A token that may still be used is no success.
  ///
  /// An older engine does not report the state of the grant.
  @Test(
    arguments: [
      (.valid, "The refresh token was NOT revoked and stays valid at dev: unreachable."),
      (.unknown, "The refresh token may stay valid at dev: unreachable."),
      (nil, "The refresh token may stay valid at dev: unreachable."),
    ] as [(GrantState?, String)]
  )
  func logoutFailsWhereTheTokenMayBeUsedStill(_ grant: GrantState?, _ sentence: String) throws {
    for words in [[], ["--json"]] {
      let play = try Play.run(["logout", "me"] + words, terminal: false) { stage in
        try stage.knowAccount(VerbTests.account)
        _ = try stage.expect(LogoutCall.self)
        #expect(stage.saysItAsks == false)
        try stage.reply(LogoutReply(revoked: false, reason: "unreachable", grant: grant))
      }
      #expect(play.code == .notRevoked)
      guard words.isEmpty else {
        let known = grant?.rawValue ?? "unknown"
        #expect(play.out.contains(#""revoked":false,"grant":"\#(known)","reason":"unreachable""#))
        #expect(play.talk.isEmpty)
        continue
      }
      #expect(play.talk.contains(sentence))
    }
  }

  @Test
  func logoutOfALockedAccountAsksForPresence() throws {
    var account = VerbTests.account
    account.presenceProtection = true
    let known = account
    let play = try Play.run(["logout", "me", "--yes"]) { stage in
      try stage.knowAccount(known)
      _ = try stage.expect(LogoutCall.self)
      #expect(stage.saysItAsks == true)
      try stage.needPresence(.signOut, detail: "me@example.org at dev")
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("sign out of account 'me' (me@example.org at dev)")
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(LogoutCall.self).prompt == "p1")
      try stage.reply(LogoutReply(revoked: true, grant: .ended))
    }
    #expect(play.code == .done && play.talk.contains("me stays protected"))
  }

  @Test
  func withoutAnybodyToAskLogoutSaysWhatWouldHaveBeenAsked() throws {
    for words in [["--no-input"], []] {
      let play = try Play.run(["logout", "me"] + words, terminal: !words.isEmpty) { stage in
        try stage.knowAccount(VerbTests.account)
        _ = try stage.expect(LogoutCall.self)
        #expect(stage.saysItAsks == false)
        try stage.fail(
          .presenceNeeded(
            PresenceRequest(
              prompt: "",
              requester: "bash, PID 4211",
              account: "me",
              purpose: .signOut,
              detail: "me@example.org at dev",
              methods: [],
              timeout: 0
            )
          )
        )
        try stage.expectEnd()
      }
      #expect(play.code == .promptNeeded)
      let check = "a presence check to sign out of account 'me' (me@example.org at dev)"
      #expect(play.talk.contains(check))
    }
  }

  @Test
  func logoutOfAllHasALineForEachAndEndsWithTheWorst() throws {
    func ended(_ name: String, _ grant: GrantState, error: String? = nil) -> LogoutAllReply {
      LogoutAllReply(
        ended: EndedAccount(
          account: name,
          provider: "dev",
          erased: error == nil,
          grant: grant,
          reason: grant == .ended ? nil : "unreachable",
          error: error
        )
      )
    }
    func play(_ words: [String], _ replies: [LogoutAllReply]) throws -> Play {
      try Play.run(["logout", "--all", "--yes"] + words, terminal: false) { stage in
        try stage.knowAccounts([VerbTests.account])
        let call = try stage.call(LogoutAllCall.self)
        #expect(call.more)
        for (index, reply) in replies.enumerated() {
          try stage.reply(reply, continues: index + 1 < replies.count)
        }
      }
    }
    let good = try play([], [ended("a", .ended), ended("b", .none)])
    #expect(good.code == .done && good.talk.split(separator: "\n").count == 2)
    let left = try play([], [ended("a", .ended), ended("b", .valid)])
    #expect(left.code == .notRevoked && left.talk.contains("NOT revoked"))
    let broken = try play(
      [],
      [ended("a", .valid), ended("b", .valid, error: "VaultUnsafe"), ended("c", .ended)]
    )
    #expect(broken.code == .unsafeVault && broken.talk.contains("b stays signed in: unreachable"))
    let json = try play(
      ["--json"],
      [ended("a", .ended), ended("b", .valid, error: "PresenceFailed")]
    )
    #expect(json.code == .presence)
    #expect(json.out.contains(#""account":"b","erased":false"#))
    #expect(try play(["--local"], [ended("a", .valid)]).code == .done)
  }

  @Test(arguments: [["logout"], ["logout", "--all", "me"]])
  func logoutNeedsAnAccountOrAll(_ words: [String]) throws {
    let play = try Play.run(words) { stage in try stage.expectEnd() }
    #expect(play.code == .usage)
  }

  @Test
  func allAccountsAreNotSignedOutUnaskedWithoutATerminal() throws {
    let play = try Play.run(["logout", "--all"], terminal: false) { stage in
      try stage.knowAccounts([VerbTests.account])
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded && play.error?.hint?.contains("--yes") == true)
  }
}
