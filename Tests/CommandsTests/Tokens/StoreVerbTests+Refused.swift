import Configuration
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// Refused calls: logins that would replace a secret, and unusable secrets.
extension StoreVerbTests {
  @Test
  func anUnreadableSecretIsNamedAsOne() throws {
    let (play, _) = try run("token git") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "a\u{1B}[2J")
      try stage.knowAccount(StoredSecretTests.account())
    }
    #expect(play.code == .refused && play.out == "" && play.talk.contains("has control characters"))
    let (read, _) = try run("token git") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "a\r\n\tb")
      try stage.knowAccount(StoredSecretTests.account())
    }
    #expect(read.code == .done && read.out == "a\r\n\tb\n")
  }

  /// No client is registered, and no page is opened.
  @Test(arguments: [
    "login git --mcp https://mcp.example.com/mcp", "login git --provider dev", "login git",
    "register git --provider dev --email a@b.c",
  ])
  func noLoginTakesThePlaceOfASecret(_ line: String) throws {
    let home = try ProviderHome()
    try home.write("[Provider]\nkind = password-backend\nissuer = https://id.example.com\n", "dev")
    let play = try home.run(line) { stage in
      try stage.knowAccount(StoredSecretTests.account())
      try stage.expectEnd()
    }
    #expect(play.code == .usage && play.talk.contains("has no login"), "\(play.talk)")
  }
}
