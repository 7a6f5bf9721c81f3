import Configuration
import Presence
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A suite of sign-ins that would replace Ann, whose account is protected, by another person.
protocol Replacing {
  var bench: Bench { get }
}

extension Replacing {
  /// Ann's account, protected, and signed out if `signedOut` is true.
  func anns(signedOut: Bool = false) async throws -> Vault {
    let vault = try await bench.open()
    bench.exchange.plan(login("ann"))
    try await signIn(vault, "ann")
    try await bench.protect(vault)
    if signedOut { _ = try await vault.signOut(account: "me", local: true, caller: caller()) }
    return vault
  }

  /// The answer to a person's sign-in.
  func login(_ name: String, id: String? = nil) -> ScriptedExchange.Step {
    let identifier = (id ?? "id-\(name)").isEmpty ? "" : #""id":"\#(id ?? "id-\(name)")","#
    return .answer(
      status: 200,
      body: #"{"access_token":"at-\#(name)","token_type":"Bearer","expires_in":3600,"#
        + #""refresh_token":"rt-\#(name)","user":{\#(identifier)"email":"\#(name)@example.org"}}"#
    )
  }

  @discardableResult
  func signIn(
    _ vault: Vault,
    _ name: String,
    at provider: Provider? = nil,
    registering: Bool = false,
    exportable: Bool = false,
    _ prompt: String? = nil,
    caller: Caller = caller()
  ) async throws(VaultFailure) -> AccountFacts {
    let usual: Provider
    do { usual = try TokenVaultTests.provider() } catch { throw .unexpected("\(error)") }
    return try await vault.signIn(
      account: "me",
      provider: provider ?? usual,
      email: "\(name)@example.org",
      password: shared("hunter2"),
      registering: registering,
      displayName: nil,
      exportable: exportable,
      prompt: prompt,
      caller: caller
    )
  }

  func elsewhere() throws -> Provider {
    try provider(["issuer": "https://evil.example.com"], name: "evil")
  }

  /// Whether the account is still Ann's, with the same protection.
  func isAnns(_ vault: Vault, _ before: AccountRow) async throws -> Bool {
    try await vault.row() == before
  }

  /// Waits for the sign-out of a discarded sign-in.
  func untilThrownAway(_ name: String, _ count: Int) async throws {
    await bench.exchange.untilRequested(count)
    let request = try #require(bench.exchange.requests.last)
    #expect(request.url.hasSuffix("/auth/logout"))
    #expect(request.body == #"{"refresh_token":"rt-\#(name)"}"#)
  }
}
