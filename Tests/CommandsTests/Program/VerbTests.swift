import JSON
import PresenceTerms
import SecretMemory
import Testing
import Varlink
import VaultInterface

@testable import Commands

struct VerbTests {
  static let account = VaultAccount(
    name: "me",
    provider: "dev",
    kind: "password-backend",
    issuer: "http://localhost:8000",
    email: "me@example.org",
    presenceProtection: true,
    state: .loginRequired,
    cause: "answer lost\u{1B}[31m",
    accessTokenExpiresAt: 1_763_717_400,
    isDefault: true
  )

  static func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8), secretMembers: []) else {
      throw CommandError(.bug, "not an object")
    }
    return object
  }

  @Test
  func theTokenAsJSONHasStableKeys() throws {
    let play = try Play.run(["token", "me", "--json", "--min-ttl", "1h"]) { stage in
      let call = try stage.expect(AccessTokenCall.self)
      #expect(call.account == "me")
      #expect(call.minimumLifetime == 3600)
      #expect(call.rejected == nil)
      try stage.reply(
        AccessTokenReply(
          account: "me",
          accessToken: "t",
          tokenType: "Bearer",
          expiresAt: 1_763_717_400,
          shorterThanRequested: true
        )
      )
    }
    #expect(
      play.out == """
        {"account":"me","access_token":"t","token_type":"Bearer",\
        "expires_at":"2025-11-21T09:30:00Z","shorter_than_requested":true,"scope":null,\
        "missing_scope":null}

        """
    )
    #expect(play.talk.isEmpty)
  }

  @Test(arguments: ["a\nb", "", "a b", "\u{1B}[31m", "ü"])
  func aTokenThatIsNoneIsNotPrinted(_ token: String) throws {
    let play = try Play.run(["token"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: token)
      // Only a static secret may be any text.
      try stage.knowAccount(VerbTests.account)
    }
    #expect(play.code == .unavailable)
    #expect(play.out.isEmpty)
    #expect(token.isEmpty || !play.talk.contains(token))
  }

  /// The word names the need of the next call.
  @Test(arguments: [(true, "locked"), (false, "ready")])
  func anExpiredAccessTokenIsNoStateOfItsOwn(_ isProtected: Bool, _ word: String) {
    var account = Self.account
    account.state = .expired
    account.presenceProtection = isProtected
    #expect(AccountText.state(account) == word)
  }

  @Test
  func statusIsReadableAndHasStableKeys() throws {
    let script: @Sendable (Stage) throws -> Void = { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(
        VaultStatus(
          form: .private,
          version: "0.1.0",
          process: 42,
          deviceSecret: "file",
          memory: .secret,
          unlocked: true,
          unlockedFor: 540,
          unlockedAccounts: ["me"],
          enrolledFingers: ["right-index"],
          fingerprintLockedOut: false
        )
      )
      _ = try stage.expect(GetReaderCall.self)
      try stage.reply(
        GetReaderReply(reader: VaultReader(available: false, reason: "held by fprintd"))
      )
      #expect(try stage.call(GetAccountCall.self).more)
      try stage.reply(GetAccountReply(account: Self.account), continues: true)
      try stage.reply(GetAccountReply(account: nil))
    }
    let text = try Play.run(["status"], script: script).out
    for part in [
      "private, thumblatchd 0.1.0, process 42", "memfd_secret", "(9m left) for me",
      "not available: held by fprintd", "right-index", "me *", "me@example.org", "login-required",
      "me: answer lost\\u{1B}[31m",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(!text.contains("\u{1B}"))

    let object = try Self.object(try Play.run(["status", "--json"], script: script).out)
    #expect(
      object.members.map(\.name) == [
        "engine", "device_secret", "memory", "counter", "unlocked", "unlocked_until",
        "unlocked_accounts", "reader", "enrolled_fingers", "fingerprint_locked_out",
        "desktop_fingers",
        "finger_source", "finger_reason", "enrolled_keys", "accounts", "problem", "remedy",
      ]
    )
    #expect(Timestamps.parse(try object.string("unlocked_until")) != nil)
    guard case .object(let account)? = try object.array("accounts").first else {
      Issue.record("no account")
      return
    }
    #expect(
      account.members.map(\.name) == [
        "name", "provider", "kind", "issuer", "subject", "email", "display_name",
        "role", "email_verified", "created_at", "claims",
        "presence_protection", "state", "cause", "access_token_expires_at", "refreshed_at",
        "default", "exportable", "scope", "missing_scope", "insecure", "provider_differs",
      ]
    )
    #expect(try account.string("state") == "login-required")
    #expect(try account.string("access_token_expires_at") == "2025-11-21T09:30:00Z")
    #expect(account["subject"] == .null)
  }

  @Test
  func anAuditRecordIsOneLineWhateverItHolds() throws {
    let script: @Sendable (Stage) throws -> Void = { stage in
      let call = try stage.call(AuditCall.self)
      #expect(call.more)
      #expect(try call.content(as: AuditCall.self).since == 1_763_717_400)
      for number in 1...3 {
        try stage.reply(
          AuditReply(
            record: VaultAuditRecord(
              number: number,
              time: 1_763_717_400,
              event: "refresh",
              outcome: "done",
              account: "me",
              requester: "bash\n\u{202E}, PID 1",
              detail: "\u{1B}]0;owned\u{7}"
            )
          ),
          continues: number < 3
        )
      }
    }
    let words = ["audit", "--since", "2025-11-21T09:30:00Z"]
    let play = try Play.run(words, script: script)
    #expect(play.out.split(separator: "\n").count == 3)
    #expect(!play.out.contains("\u{1B}") && !play.out.contains("\u{202E}"))
    let json = try Self.object(try Play.run(words + ["--json"], script: script).out)
    #expect(try json.array("records").count == 3)
  }

  @Test
  func unlockSendsItsAccountsAndDuration() throws {
    let play = try Play.run(["unlock", "a", "b", "--for", "15m"]) { stage in
      let call = try stage.expect(UnlockCall.self)
      #expect(call.accounts == ["a", "b"])
      #expect(call.duration == 900)
      try stage.reply(UnlockReply(unlockedFor: 900, unlockedAccounts: ["a", "b"]))
    }
    #expect(play.talk.hasPrefix("unlocked a, b until "))
    #expect(play.out.isEmpty)
  }

  @Test(arguments: [
    ["unlock", "--for", "15"], ["token", "--min-ttl", "60"], ["audit", "--since", "2"],
  ])
  func aNumberWithoutAUnitIsNoDuration(_ words: [String]) throws {
    let play = try Play.run(words) { stage in try stage.expectEnd() }
    #expect(play.code == .usage)
    #expect(play.error?.hint?.contains("2h") == true)
    #expect(play.talk.contains("\"\(words[2])\""))
  }

  @Test(arguments: [
    (["example.org/x"], true), (["/auth/me"], true), (["me", "example.org/x"], true),
    (["example.org"], true), (["me", "x"], true), (["me"], false),
  ])
  func aURLWithoutItsBeginningIsToldSo(_ words: [String], _ isURL: Bool) throws {
    let play = try Play.run(["request"] + words) { stage in try stage.expectEnd() }
    #expect(play.code == .usage)
    #expect(play.error?.message == (isURL ? "the URL must begin with https://" : "URL is missing"))
  }

  @Test
  func anUnansweredCheckHasAHint() throws {
    let play = try Play.run(["token"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.presenceFailed(.timedOut, message: "", methods: []))
    }
    #expect(play.code == .presence)
    #expect(play.error?.hint?.contains("run the command again") == true)
  }

  @Test(arguments: ["../x", "A", "a b", "a\nb", "@", "", "10 kB"])
  func anAccountNameThatIsNoneNeverReachesTheEngine(_ name: String) throws {
    let name = name == "10 kB" ? String(repeating: "a", count: 10_240) : name
    let play = try Play.run(["token", name]) { stage in try stage.expectEnd() }
    #expect(play.code == .usage)
    #expect(play.talk.split(separator: "\n").count <= 2)
  }

  @Test
  func theProfileIsShownWithoutItsEscapes() throws {
    let play = try Play.run(["whoami", "me"]) { stage in
      _ = try stage.expect(WhoAmICall.self)
      try stage.reply(
        WhoAmIReply(
          account: Self.account,
          profile: ["name": "Eve\u{1B}[8m", "id": 7, "roles": ["a", "b"], "nick\nname": nil]
        )
      )
    }
    #expect(play.code == .done)
    #expect(play.out.contains("a, b"))
    #expect(play.out.split(separator: "\n").count == 5)
    #expect(!play.out.contains("\u{1B}"))
  }

  @Test
  func garbageOfTheEngineIsABugAndNotACrash() throws {
    for bytes in [
      Array("{}{]\0".utf8), Array("[]\0".utf8), [0], Array("{\"error\":\"x.Y\"}\0".utf8),
    ] {
      let play = try Play.run(["lock"]) { stage in
        _ = try stage.expect(LockCall.self)
        try stage.sendRaw(bytes)
      }
      #expect(play.code == .bug)
    }
  }

  @Test
  func anEngineThatHangsUpIsUnavailable() throws {
    let play = try Play.run(["lock"]) { stage in
      _ = try stage.expect(LockCall.self)
      stage.hangUp()
    }
    #expect(play.code == .unavailable)
  }

  @Test
  func aRecordIsCutInTwoOnlyWhereTheTerminalIsNarrow() {
    let record = VaultAuditRecord(
      number: 1,
      time: 0,
      event: "presence-check",
      outcome: "done",
      account: "me",
      method: "fingerprint",
      requester: "bash, PID 4211",
      detail: "refresh"
    )
    #expect(!AuditVerbs.line(record).contains("\n"))
    #expect(!AuditVerbs.line(record, columns: 120).contains("\n"))
    let lines = AuditVerbs.line(record, columns: 80).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.last == "                     bash, PID 4211  refresh")
  }
}
