import Configuration
import Presence
import Storage
import System
import Testing

@testable import TokenVault

/// The text of a prompt for a change of provider, and the requests to the provider for it.
@Suite(.timeLimit(.minutes(10)))
struct ProviderQuestionTests {
  private static let pin = "sha256//" + String(repeating: "A", count: 43) + "="

  @Test
  func everyPlaceIsShownWholeAndElseTheKey() async throws {
    let vault = try await Bench().open()
    let old = try oauthProvider(["client_id": "app-1", "scope": "read"])
    let new = try oauthProvider([
      "client_id": "app-2", "client_secret": "hunter2-secret", "scope": "read write",
      "token_endpoint": "https://tokens.example.com/t", "audience": "api",
      "userinfo_endpoint": "https://id.example.com/me", "api_hosts": "api.example.com",
      "revocation_endpoint": "https://id.example.com/r", "proxy": "http://proxy.example:3128",
      "authorization_endpoint": "https://id.example.com/a", "pins": Self.pin,
      "refresh_scope": "whole",
    ])
    #expect(
      try vault.shownChange(from: old, to: new)
        == """
        issuer https://id.example.com; \
        token_endpoint https://id.example.com/token → https://tokens.example.com/t; \
        authorization_endpoint (none) → https://id.example.com/a; \
        userinfo_endpoint (none) → https://id.example.com/me; \
        revocation_endpoint (none) → https://id.example.com/r; \
        api_hosts (none) → api.example.com; proxy (none) → http://proxy.example:3128; \
        pins (none) → \(Self.pin); client_id app-1 → app-2; audience (none) → api; \
        changed: client_authentication, client_secret, refresh_scope, scope
        """
    )
  }

  @Test
  func aPathOfAPasswordBackendIsAPlace() async throws {
    let vault = try await Bench().open()
    let shown = try vault.shownChange(
      from: try provider(),
      to: try provider(["refresh_path": "/steal", "profile_path": "/me", "user_field": "u"])
    )
    #expect(
      shown == "issuer https://id.example.com; refresh_path /auth/refresh → /steal; "
        + "profile_path /auth/me → /me; changed: user_field"
    )
  }

  @Test
  func certificatesAreShownByTheirDigest() async throws {
    let vault = try await Bench().open()
    let certificate = """
      -----BEGIN CERTIFICATE-----
      AAAA
      -----END CERTIFICATE-----
      """
    let with = try provider(["ca": certificate])
    let shown = try vault.shownChange(from: try provider(), to: with)
    let bytes = Array(try #require(with.certificateAuthority).utf8)
    let digest = Hexadecimal.text(try vault.digest(bytes))
    #expect(shown == "issuer https://id.example.com; ca (none) → (SHA-256 \(digest))")
  }

  @Test
  func whatIsTooLongToBeShownIsRefusedBeforeAnybodyIsAsked() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    let long = "https://id.example.com/" + String(repeating: "x", count: 950)
    let keys = ["token_endpoint", "userinfo_endpoint", "revocation_endpoint"]
    let settings = Dictionary(uniqueKeysWithValues: keys.map { ($0, long) })
    guard
      case .invalidArgument(let why)? = await failure({
        _ = try await vault.applyProvider(
          try oauthProvider(settings),
          account: "me",
          prompt: nil,
          caller: caller()
        )
      })
    else {
      Issue.record("asked")
      return
    }
    #expect(why.contains("too long to be shown") && why.contains("sign in again"))
    #expect(try await vault.boundProvider(account: "me").provider == oauthProvider())
    // A text of the maximum length is shown whole, and is whole in the audit log.
    let fits = try oauthProvider([
      "token_endpoint": long, "userinfo_endpoint": long.dropLast(150) + "",
    ])
    let need = try await need {
      _ = try await vault.applyProvider(fits, account: "me", prompt: nil, caller: caller())
    }
    #expect(need.detail?.contains("→ \(long); userinfo_endpoint") == true)
    try await bench.pass(need, vault, caller())
    _ = try await vault.applyProvider(fits, account: "me", prompt: need.prompt, caller: caller())
    let record = try #require(try await vault.auditPage(after: 0, since: nil, account: "me").last)
    #expect(record.detail == need.detail)
  }

  @Test
  func scopesThatAreTooLongToBeShownAreRefusedBeforeAnybodyIsAsked() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    let scope = String(repeating: "s", count: 1000)
    let audience = String(repeating: "a", count: 1000)
    // Without a prompt nothing has to be shown.
    bench.exchange.plan(oauthTokens("at-2", refresh: nil))
    #expect(try await vault.token(scope: scope, audience: audience).accessToken == "at-2")
    try await bench.protect(vault)
    let count = bench.exchange.requests.count
    guard
      case .invalidArgument(let why)? = await failure({
        _ = try await vault.token(scope: scope + "s", audience: audience)
      })
    else {
      Issue.record("asked")
      return
    }
    #expect(why.contains("too long to be shown: 2013 characters, at most 2000"))
    #expect(bench.exchange.requests.count == count)
    let shorter = try await need { _ = try await vault.token(scope: scope, audience: "api") }
    #expect(shorter.detail == "for api, scope " + scope)
  }

  // MARK: - The provider's current metadata

  private func apply(_ vault: Vault, prompt: String? = nil) async throws -> AccountFacts {
    try await vault.applyProvider(
      try OpenProvider.provider(),
      account: "me",
      prompt: prompt,
      caller: caller()
    )
  }

  @Test
  func anEndpointThatHasMovedIsAppliedThoughTheFileIsTheSame() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    let bound = try await vault.boundProvider(account: "me").provider
    // The metadata is requested again, though it was read just now. It has not changed.
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.metadata()))
    let count = bench.exchange.requests.count
    _ = try await apply(vault)
    #expect(bench.exchange.requests.count == count + 1)
    #expect(try await vault.boundProvider(account: "me").provider == bound)
    #expect(try await vault.token().accessToken == "at-1")

    let moved = OpenProvider.metadata().replacing("/token\"", with: "/v2/token\"")
    bench.exchange.plan(.answer(status: 200, body: moved))
    let need = try await need { _ = try await apply(vault) }
    let issuer = OpenProvider.issuer
    #expect(
      need.detail
        == "issuer \(issuer); token_endpoint \(issuer)/token → \(issuer)/v2/token"
    )
    try await bench.pass(need, vault, caller())
    // The agreed change is not requested again.
    _ = try await apply(vault, prompt: need.prompt)
    #expect(bench.exchange.requests.count == count + 2)
    let now = try await vault.boundProvider(account: "me").provider
    #expect(now.endpoint(.token) == "\(issuer)/v2/token")
    #expect(now.asWritten == bound.asWritten)
  }

  @Test
  func aProviderThatCannotBeAskedChangesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    bench.exchange.plan(.answer(status: 404, body: ""), .answer(status: 404, body: ""))
    guard case .misconfigured? = await failure({ _ = try await apply(vault) }) else {
      Issue.record("applied")
      return
    }
    #expect(try await vault.token().accessToken == "at-1")
  }
}
