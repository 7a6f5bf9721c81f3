import JSON
import PresenceTerms
import Testing
import VaultInterface

@testable import Commands

/// The messages about scopes that the provider did not grant.
struct MissingScopeTests {
  private static let reply = AccessTokenReply(
    account: "me",
    accessToken: "t",
    tokenType: "Bearer",
    shorterThanRequested: false,
    scope: "read",
    missingScope: "write\u{1B}[31m"
  )

  private static let account = VaultAccount(
    name: "me",
    provider: "dev",
    kind: "oauth2",
    issuer: "https://id.example.com",
    presenceProtection: false,
    state: .ready,
    isDefault: true,
    scope: "read write",
    missingScope: "write"
  )

  @Test
  func theCallThatMetItSaysSoBesideTheToken() throws {
    let script: @Sendable (Stage) throws -> Void = { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(Self.reply)
    }
    let play = try Play.run(["token", "me"], script: script)
    #expect(play.out == "t\n")
    #expect(play.talk.contains("did not grant all scopes of me; missing: write"))
    #expect(!play.talk.contains("\u{1B}"))
    // For programs it is a member, and there is no other message.
    let json = try Play.run(["token", "me", "--json"], script: script)
    #expect(json.out.contains(#""missing_scope":"write"#))
    #expect(json.talk.isEmpty)
  }

  @Test
  func statusShowsTheScopesAndThoseThatAreMissing() throws {
    let text = AccountText.details(Self.account, columns: nil, now: 0)
    #expect(text.contains("read write"))
    #expect(text.contains("no longer granted: write"))
    #expect(text.contains("thumblatch login me"))
    let table = AccountText.table([Self.account], columns: nil, now: 0)
    #expect(table.contains("me: no longer granted: write"))
    var whole = Self.account
    whole.missingScope = nil
    #expect(!AccountText.table([whole], columns: nil, now: 0).contains("not granted"))
    #expect(!AccountText.details(whole, columns: nil, now: 0).contains("not granted"))
  }
}
