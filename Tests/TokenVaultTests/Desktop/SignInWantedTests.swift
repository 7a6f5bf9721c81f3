import Configuration
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A provider that refuses a refresh until the person signs in again.
@Suite(.timeLimit(.minutes(10)))
struct SignInWantedTests {
  private static func refusal(_ code: String = "interaction_required") -> ScriptedExchange.Step {
    .answer(status: 400, body: #"{"error":"\#(code)","error_description":"Use MFA"}"#)
  }

  private func signedIn(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: settings)
    return vault
  }

  @Test(arguments: [
    "interaction_required", "login_required", "account_selection_required", "consent_required",
  ])
  func theAccountNeedsALoginAndKeepsItsToken(_ code: String) async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    let box = try await vault.row().sealedRefreshToken
    bench.clock.advance(3600)
    bench.exchange.plan(Self.refusal(code))
    let cause = "the provider wants you to sign in again (\(code))"
    #expect(
      await failure { _ = try await vault.token() }
        == .loginRequired(account: "me", message: "\(cause): Use MFA")
    )
    // The provider's explanation is not kept.
    #expect(
      await failure { _ = try await vault.token() } == .loginRequired(account: "me", message: cause)
    )
    #expect(bench.forms.count == 1)
    let row = try await vault.row()
    #expect(row.state == .loginRequired && row.cause == cause)
    #expect(row.sealedRefreshToken == box && box != nil)
    #expect(try await vault.intent() == nil)
    // The token may still be valid there.
    let local = try await vault.signOut(account: "me", local: true, prompt: nil, caller: caller())
    #expect(local.grant == .unknown)
  }

  @Test
  func aLoginBringsTheAccountBack() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.clock.advance(3600)
    bench.exchange.plan(Self.refusal())
    _ = await failure { _ = try await vault.token() }
    try await bench.signInOAuth(vault)
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.stateOfMe().cause == nil)
  }

  /// The next login may replace the account's token, so that no one else could revoke it.
  @Test(arguments: [false, true])
  func theTokenIsRevokedByASignOutOrTheNextLogin(_ signsIn: Bool) async throws {
    let bench = try Bench()
    let settings = ["revocation_endpoint": "https://id.example.com/revoke"]
    let vault = try await signedIn(bench, settings: settings)
    bench.clock.advance(3600)
    bench.exchange.plan(Self.refusal())
    _ = await failure { _ = try await vault.token() }
    if signsIn {
      bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
      try await bench.signInOAuth(vault, settings: settings)
    } else {
      bench.exchange.plan(.answer(status: 200, body: ""), .answer(status: 200, body: ""))
      _ = try await vault.signOut(account: "me", local: false, prompt: nil, caller: caller())
    }
    let revocations = bench.exchange.requests.filter { $0.url.hasSuffix("/revoke") }
    #expect(revocations.contains { $0.body?.contains("rt-1") == true }, "\(revocations.count)")
  }

  /// The provider may want another proof for one resource only.
  @Test
  func forOtherScopesOnlyTheCallFails() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    bench.exchange.plan(Self.refusal())
    guard
      case .providerRefused(status: 400, _, _)? = await failure({
        _ = try await vault.token(scope: "read")
      })
    else {
      Issue.record("not refused")
      return
    }
    #expect(try await vault.row().state == .signedIn)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }
}
