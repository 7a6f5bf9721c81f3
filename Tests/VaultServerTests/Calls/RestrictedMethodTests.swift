import Configuration
import System
import TestSupport
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

/// Every method of the vault behind a restricted socket.
struct RestrictedMethodTests {
  @Test
  func fourMethodsAreAnsweredBehindARestrictedSocket() async throws {
    let vaults = Vaults.closed()
    // A call of each method.
    let samples = try Directory(
      path: BuiltPrograms.sourceDirectory + "/Tests/VaultInterfaceTests/Wire"
    ).openForReading("messages.txt").readAll(limit: 1 << 20)
    var asked: Set<String> = []
    var answered: Set<String> = []
    for line in String(decoding: samples, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[1] == "call", words[0].hasPrefix("io.thumblatch.Vault.") else {
        continue
      }
      let (method, text) = ("\(words[0])", words[2])
      let recognition = Recognition()
      let rule = try CallerRule(socket: "ci", accounts: ["me"], scope: nil)
      #expect(recognition.restrict(by: rule))
      asked.insert(method)
      let error =
        try await vaults.error(of: ParsedCall(text: text), recognition)
        .map { "\($0)" } ?? ""
      if !error.contains("does not allow this method") { answered.insert(method) }
    }
    #expect(asked.count > 60)
    #expect(
      answered
        == Set(
          ["AccessToken", "RequestTerms", "GetAccount", "AskAtDesktop"]
            .map { "io.thumblatch.Vault." + $0 }
        )
    )
  }

  @Test(arguments: [
    #"{"method":"org.varlink.service.GetInfo"}"#,
    #"{"method":"org.varlink.service.GetInterfaceDescription","#
      + #""parameters":{"interface":"io.thumblatch.Vault"}}"#,
  ])
  func theServiceDescribesItselfBehindARestrictedSocket(_ text: String) async throws {
    let recognition = Recognition()
    #expect(recognition.restrict(by: try CallerRule(socket: "ci", accounts: ["me"], scope: nil)))
    let answer = await Vaults.closed().answer(
      try ParsedCall(text: text),
      from: Caller(connection: 1, user: 1000, requester: "a test"),
      recognition,
      reply: { _ in },
      whenSent: { true }
    )
    #expect(answer.reply.error == nil && !answer.isEnd)
  }
}
