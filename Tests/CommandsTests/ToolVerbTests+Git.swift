import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// Whether git asks a person.
extension ToolVerbTests {
  /// The person or another helper has the next password, which git then gives to be kept.
  @Test(arguments: ["its secret was erased", "its secret has expired", CommandError.refusedSecret])
  func gitAsksForAPasswordWhereTheStoredOneIsOfNoUse(_ why: String) throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      try Self.know(stage)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "work", message: why))
      try stage.knowAccount(StoredSecretTests.account(.signedOut))
    }
    #expect(play.code == .done && play.out == "")
    #expect(play.talk.contains("git asks for one"))
  }

  /// A helper behind this one would keep the password that git asks for.
  @Test
  func gitAsksNoPersonWhereTheHostsCannotBeRead() throws {
    let home = try ProviderHome()
    try home.writeHosts("[git.example.org]\nacount = work\n")
    let play = try home.run("git-credential get", input: Array((Self.git + "\n").utf8)) { stage in
      try stage.expectEnd()
    }
    #expect(play.code == .usage && play.out == "quit=1\n", "\(play)")
  }
}
