import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// Whether git asks a person.
extension ToolVerbTests {
  /// The person or another helper has the next password, which git then gives to be kept.
  @Test(arguments: ["it keeps no secret now", "its secret has expired", CommandError.refusedSecret])
  func gitAsksForAPasswordWhereTheStoredOneIsOfNoUse(_ why: String) throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      try Self.know(stage)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "work", message: why))
      try stage.knowAccount(StoredSecretTests.account(.signedOut))
    }
    #expect(play.code == .done && play.out == "")
    #expect(play.talk.contains(why) && play.talk.contains("thumblatch store work"))
  }
}
