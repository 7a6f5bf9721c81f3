import Configuration
import OAuth
import SecretMemory
import System
import Testing

@testable import TokenVault

/// A provider's metadata is valid for its own issuer, and cached for an hour.
@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
  @Test
  func metadataIsReadOncePerHourAndKeysForAMissingOneThreeTimesAMinuteAtMost() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let provider = try OpenProvider.provider()
    try bench.planDiscovery()
    let found = try await vault.completed(provider)
    _ = try await vault.keys(of: found)
    bench.clock.advance(5)
    _ = try await vault.completed(provider)
    // A key is missing shortly after the keys were read. They may have changed since, and again.
    for count in 3...5 {
      bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
      _ = try await vault.keys(of: found, isMissingOne: true)
      #expect(bench.exchange.requests.count == count)
      bench.clock.advance(10)
    }
    // After that an invented key name causes no request for the rest of the minute.
    for _ in 0..<3 { _ = try await vault.keys(of: found, isMissingOne: true) }
    bench.clock.advance(29)
    _ = try await vault.keys(of: found, isMissingOne: true)
    #expect(bench.exchange.requests.count == 5)
    bench.clock.advance(1)
    bench.exchange.plan(.answer(status: 200, body: try OpenProvider.keys()))
    _ = try await vault.keys(of: found, isMissingOne: true)
    #expect(bench.exchange.requests.count == 6)
    bench.clock.advance(3600)
    try bench.planDiscovery()
    _ = try await vault.completed(provider)
    _ = try await vault.keys(of: found)
    #expect(bench.exchange.requests.count == 8)
  }

  @Test
  func otherTermsAreAnotherProvider() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let pin = "sha256//" + String(repeating: "A", count: 43) + "="
    try bench.planDiscovery()
    _ = try await vault.completed(try OpenProvider.provider())
    _ = try? await vault.completed(try OpenProvider.provider(["pins": pin]))
    #expect(bench.exchange.requests.count == 2)
  }

  @Test
  func anotherIssuersMetadataIsRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.metadata(issuer: "https://evil.example"))
    )
    guard
      case .misconfigured? = await failure({
        _ = try await vault.completed(try OpenProvider.provider())
      })
    else {
      Issue.record("the metadata of another issuer was taken")
      return
    }
  }

  /// Some servers answer 200 with a page for browsers at any location.
  @Test(arguments: [(404, ""), (200, "<!doctype html><title>App</title>")])
  func theSecondPlaceIsAskedWhereTheFirstHasNothing(_ status: Int, _ body: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(
      .answer(status: status, body: body),
      .answer(status: 200, body: OpenProvider.metadata())
    )
    let found = try await vault.completed(try OpenProvider.provider())
    #expect(found.endpoint(.token) == OpenProvider.issuer + "/token")
    #expect(
      bench.exchange.requests.map(\.url) == [
        OpenProvider.issuer + "/.well-known/openid-configuration",
        OpenProvider.issuer + "/.well-known/oauth-authorization-server",
      ]
    )
  }

  @Test(arguments: [
    ([404, 404], 0, "404"), ([404, 301], 1, "301, a redirect"), ([403, 404], 0, "403"),
  ])
  func theStatusSaysWhyThereIsNoMetadata(
    _ statuses: [Int],
    _ index: Int,
    _ text: String
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for status in statuses { bench.exchange.plan(.answer(status: status, body: "<html>")) }
    let refusal = await failure { _ = try await vault.completed(try OpenProvider.provider()) }
    guard case .misconfigured(let why)? = refusal else {
      Issue.record("a provider without endpoints was taken")
      return
    }
    #expect(why.contains("\(bench.exchange.requests[index].url) (HTTP \(text)"), "\(why)")
  }

  @Test
  func aProviderWithoutMetadataIsUsedIfItsEndpointsAreSet() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let set = [
      "authorization_endpoint": OpenProvider.issuer + "/a",
      "token_endpoint": OpenProvider.issuer + "/t",
    ]
    bench.exchange.plan(.answer(status: 404, body: ""), .answer(status: 404, body: ""))
    let found = try await vault.completed(try OpenProvider.provider(set))
    #expect(found == (try OpenProvider.provider(set)))
    bench.exchange.plan(.answer(status: 404, body: ""), .answer(status: 404, body: ""))
    guard
      case .misconfigured? = await failure({
        _ = try await vault.completed(try OpenProvider.provider())
      })
    else {
      Issue.record("a provider without endpoints was taken")
      return
    }
  }

  /// A refusal may come by a redirect to the client (RFC 6749, section 4.1.2.1).
  @Test(arguments: [
    ("invalid_scope", "scope = openid"), ("unauthorized_client", "check client_id"),
  ])
  func aTestOfAProviderReadsARefusalByRedirect(_ error: String, _ remedy: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let provider = try oauthProvider(["authorization_endpoint": "https://id.example.com/a"])
    for isOurs in [true, false] {
      let before = bench.exchange.requests.count
      bench.exchange.hold()
      let test = Task { try await vault.test(provider, isTrying: true) }
      await bench.exchange.untilRequested(before + 1)
      let request = try #require(bench.exchange.requests.last)
      let redirect = isOurs ? "http://127.0.0.1:49152/callback" : "https://evil.example/"
      let state = try #require(parameter("state", of: request.url))
      let target = "\(redirect)?error=\(error)&error_description=not+allowed&state=\(state)"
      bench.exchange.plan(
        .answer(status: 302, body: target),
        .answer(status: 200, body: "")
      )
      let warning = try await test.value.warnings.first { $0.contains(error) }
      #expect((warning != nil) == isOurs)
      guard isOurs else { continue }
      #expect(
        warning?.contains("\(error) (not allowed)") == true && warning?.contains(remedy) == true
      )
    }
  }

  @Test
  func aLookAtAProviderTellsWhatItOffers() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let facts = try await vault.test(try OpenProvider.provider())
    #expect(facts.isDiscovered && facts.keys == 1 && facts.flows == ["browser", "device"])
    #expect(facts.endpoints["token_endpoint"] == OpenProvider.issuer + "/token")
    #expect(facts.warnings.isEmpty)
    #expect(facts.registrationEndpoint == nil && !facts.takesClientMetadata)
    // A look at a provider does not use the cache.
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.metadata()),
      .answer(status: 200, body: #"{"keys":[]}"#)
    )
    let second = try await vault.test(try OpenProvider.provider())
    #expect(second.keys == 0 && second.warnings.count == 1)
  }

  /// Without permission to revoke, a logout cannot end the login at the provider.
  @Test(arguments: [([String](), false), (["client_secret_basic"], true), (["none"], false)])
  func metadataThatLetsNoPublicClientRevokeIsTold(_ methods: [String], _ isTold: Bool) async throws
  {
    let bench = try Bench()
    let vault = try await bench.open()
    let named = methods.map { #","revocation_endpoint_auth_methods_supported":["\#($0)"]"# }
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.metadata(named.joined())),
      .answer(status: 200, body: try OpenProvider.keys())
    )
    let warnings = try await vault.test(try OpenProvider.provider()).warnings
    #expect(warnings.contains { $0.contains("no public client revoke") } == isTold, "\(warnings)")
  }

  @Test(arguments: [(401, true), (403, true), (200, false), (400, false), (503, false)])
  func aTrialShowsWhetherAPublicClientMayRevoke(_ status: Int, _ isTold: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let place = "https://id.example.com/revoke"
    bench.exchange.plan(.answer(status: status, body: "{}"), .answer(status: 200, body: ""))
    let provider = try oauthProvider(["revocation_endpoint": place])
    let warnings = try await vault.test(provider, isTrying: true).warnings
    #expect(bench.exchange.requests.first?.url == place)
    #expect(warnings.contains { $0.contains("no public client revoke") } == isTold, "\(warnings)")
  }

  @Test
  func pagesAtBothPlacesAreNoMetadata() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(.answer(status: 200, body: "<html>"), .answer(status: 404, body: ""))
    let refusal = await failure { _ = try await vault.completed(try OpenProvider.provider()) }
    guard case .misconfigured(let why)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(why.contains("not a JSON object") && why.contains("openid-configuration"), "\(why)")
  }
}
