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
    let vaults = Vaults(
      opening: { _, _ in throw VaultFailure.unexpected("a vault is asked") },
      name: { _ in "ada" }
    )
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
      let call = try unsafe Array(text.utf8).withUnsafeBytes { bytes in
        ParsedCall(unsafe try VarlinkCall(decoding: bytes, on: .vault))
      }
      let recognition = Recognition()
      let rule = try CallerRule(socket: "ci", accounts: ["me"], scope: nil)
      #expect(recognition.restrict(by: rule))
      let answer = await vaults.answer(
        call,
        from: Caller(connection: 1, user: 1000, requester: "a test"),
        recognition,
        reply: { _ in },
        whenSent: { true }
      )
      asked.insert(method)
      let error = try VaultError(decoding: answer.reply).map { "\($0)" } ?? ""
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
}
