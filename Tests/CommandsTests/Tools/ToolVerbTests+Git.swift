import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// Requests of git, and whether it asks the person.
extension ToolVerbTests {
  /// The person or another helper has the next password, which git then gives to be kept.
  @Test(arguments: [
    "it no longer has a secret", "its secret has expired", CommandError.refusedSecret,
  ])
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

  /// The entry of the host could outlast the account.
  @Test
  func anAccountThatIsGoneIsNamedWithItsHost() throws {
    let play = try run("git-credential get", Self.git + "\n") { stage in
      let call = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
    #expect(play.code == .notFound && play.out == "quit=1\n")
    #expect(play.talk.contains("no such account: work"))
    #expect(play.talk.contains("thumblatch host remove git.example.org"))
  }

  /// A program that asks as git does may leave its end of the pipe open.
  @Test
  func anEmptyLineEndsTheRequest() throws {
    let home = try ProviderHome()
    try home.writeHosts("[git.example.org]\naccount = work\n")
    let (reading, writing) = try UnixSocket.pair()
    let near = Descriptor(owning: reading)
    let far = Descriptor(owning: writing)
    try far.write(Array((Self.git + "\n").utf8))
    let number = near.number
    let play = try Play.run(
      ["git-credential", "get"],
      environment: home.environment,
      prepare: { $0.standardInput = number },
      script: { stage in
        try Self.know(stage)
        _ = try stage.expect(AccessTokenCall.self)
        try stage.reply(Self.reply(nil))
      }
    )
    #expect(play.code == .done && play.out == "username=oauth2\npassword=at_1\n")
    // The pipe was open until here.
    try far.write([0])
  }
}
