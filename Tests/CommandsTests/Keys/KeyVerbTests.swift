import JSON
import PresenceTerms
import SecretMemory
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct KeyVerbTests {
  private func token(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }

  @Test
  func onlyTheReleasedTokenIsOnStandardOutput() throws {
    let play = try Play.run(["release", "me", "--keep"]) { stage in
      let call = try stage.expect(ReleaseCall.self)
      #expect(call.account == "me" && call.keep && call.prompt == nil)
      try stage.reply(ReleaseReply(refreshToken: try token("rt\"1"), signedOut: false))
    }
    #expect(play.out == "rt\"1\n")
    #expect(play.talk.isEmpty)
  }

  @Test
  func aReleasedTokenAsJSON() throws {
    let play = try Play.run(["release", "me", "--json"]) { stage in
      #expect(try !stage.expect(ReleaseCall.self).keep)
      try stage.reply(ReleaseReply(refreshToken: try token("rt\"1"), signedOut: true))
    }
    #expect(play.out == #"{"refresh_token":"rt\"1","signed_out":true}"# + "\n")
  }

  private func rekey(_ words: [String], bad: Int?) throws -> Play {
    try Play.run(["rekey"] + words) { stage in
      _ = try stage.expect(RekeyCall.self)
      try stage.reply(RekeyReply(accounts: 2, prints: 1, records: 40))
      _ = try stage.expect(VerifyAuditCall.self)
      try stage.reply(
        VerifyAuditReply(
          whole: bad == nil,
          records: 40,
          first: 1,
          last: 40,
          bad: bad,
          problem: bad.map { _ in "altered" }
        )
      )
    }
  }

  @Test
  func whatARekeyHasDoneIsTold() throws {
    let text = try rekey([], bad: nil)
    #expect(text.talk.contains("2 refresh tokens, 1 print and 40 audit records"))
    #expect(!text.talk.contains("warning"))
    let json = try rekey(["--json"], bad: nil)
    #expect(json.out == #"{"accounts":2,"prints":1,"records":40,"audit_whole":true}"# + "\n")
    #expect(json.talk.isEmpty)
  }

  @Test
  func aRekeyTellsThatTheAuditLogWasNotIntact() throws {
    for words in [[], ["--json"]] {
      let play = try rekey(words, bad: 17)
      #expect(play.code == .done)
      #expect(play.talk.contains("warning: the audit log is not intact, and stays so: record 17"))
      #expect(play.out.contains(#""audit_whole":false}"#) == !words.isEmpty)
    }
  }

  @Test
  func anAuditLogThatCannotBeVerifiedDoesNotFailTheRekey() throws {
    let play = try Play.run(["rekey", "--json"]) { stage in
      _ = try stage.expect(RekeyCall.self)
      try stage.reply(RekeyReply(accounts: 2, prints: 1, records: 40))
      _ = try stage.expect(VerifyAuditCall.self)
      try stage.fail(.internal(message: "no"))
    }
    #expect(play.code == .done)
    #expect(play.talk.contains("could not be checked"))
    #expect(play.out.contains(#""audit_whole":null}"#))
  }

  @Test
  func aRecoveryNamesTheAccountsThatNeedALogin() throws {
    let play = try Play.run(["recover", "--yes"]) { stage in
      _ = try stage.expect(RecoverCall.self)
      try stage.reply(RecoverReply(loginRequired: ["me", "work"]))
    }
    #expect(play.talk.contains("me, work"))
    let json = try Play.run(["recover", "--json", "--yes"]) { stage in
      _ = try stage.expect(RecoverCall.self)
      try stage.reply(RecoverReply(loginRequired: []))
    }
    #expect(json.out == #"{"login_required":[]}"# + "\n")
  }

  @Test(arguments: ["n", "", "yes please"])
  func aStoreThatLooksCurrentIsAskedAboutFirst(_ answer: String) throws {
    let play = try Play.run(["recover"]) { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(status(problem: nil, remedy: nil))
      try stage.terminal.waitFor("[y/N] ")
      try stage.terminal.type(answer + "\n")
    }
    #expect(play.code == .interrupted)
    #expect(play.talk.contains("nothing was changed"))
  }

  private func status(problem: String?, remedy: String?) -> VaultStatus {
    VaultStatus(
      form: .private,
      version: "0",
      process: 1,
      deviceSecret: "file",
      memory: .secret,
      unlocked: false,
      unlockedAccounts: [],
      enrolledFingers: [],
      fingerprintLockedOut: false,
      problem: problem,
      remedy: remedy
    )
  }

  @Test(arguments: ["rekey", "recover", "release"])
  func withoutInputTheCheckIsNamedAndNotMade(_ verb: String) throws {
    let play = try Play.run([verb, "--no-input"] + (verb == "recover" ? ["--yes"] : [])) { stage in
      switch verb {
      case "rekey": _ = try stage.expect(RekeyCall.self)
      case "recover": _ = try stage.expect(RecoverCall.self)
      default: _ = try stage.expect(ReleaseCall.self)
      }
      try stage.needPresence(.rekey, methods: [.password])
    }
    #expect(play.code == .promptNeeded)
  }

  @Test
  func aStoreThatIsNotUsedShowsInTheStatus() throws {
    func play(_ words: [String]) throws -> Play {
      try Play.run(["status"] + words) { stage in
        _ = try stage.expect(GetStatusCall.self)
        try stage.reply(
          status(
            problem: "the store is older than its rollback counter",
            remedy: "thumblatch recover"
          )
        )
      }
    }
    let text = try play([])
    #expect(text.code == .done)
    #expect(text.out.contains("older than its rollback counter"))
    #expect(text.out.contains("thumblatch recover"))
    #expect(try play(["--json"]).out.contains(#""problem":"the store is older"#))
  }

  @Test
  func anExportableLoginSaysSo() throws {
    let words = ["login", "me", "--email", "me@example.org", "--exportable"]
    let play = try Play.run(words) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.terminal.waitFor("Password of me@example.org at dev: ")
      try stage.terminal.type("hunter2\n")
      let call = try stage.expect(LoginCall.self)
      #expect(call.exportable == true && call.prompt == nil)
      try stage.reply(AccountReply(account: VerbTests.account))
    }
    #expect(play.code == .done)
  }
}
