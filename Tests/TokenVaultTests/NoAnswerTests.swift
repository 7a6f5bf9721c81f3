import Configuration
import Storage
import System
import Testing

@testable import TokenVault

/// What a caller is told where a provider was not reached, or was reached and not trusted.
@Suite(.timeLimit(.minutes(10)))
struct NoAnswerTests {
  private func refusal(
    _ word: String,
    settings: [String: String] = [:]
  ) async throws -> VaultFailure? {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: settings)
    bench.clock.advance(3600)
    bench.exchange.plan(.notStarted(word))
    let refusal = await failure { _ = try await vault.token() }
    // It was not sent: no doubt is left, whatever kept it.
    #expect(try await vault.intent() == nil)
    #expect(try await vault.row().state == .signedIn)
    return refusal
  }

  @Test(arguments: [
    ("refused", Unavailability.notAnswering, "is not answering"),
    ("authority", .authority, "authority that is not trusted"),
    ("expired", .expired, "has expired"), ("not_yet_valid", .notYetValid, "clock"),
    ("name", .name, "another host's"), ("pin", .pin, "pinned"), ("tls", .certificate, "TLS"),
    ("listener 1001", .listener, "user 1001"), ("listener", .listener, "not known"),
  ])
  func eachReasonIsOneOfItsOwnAndNoLackOfANetwork(
    _ word: String,
    _ reason: Unavailability,
    _ text: String
  ) async throws {
    guard case .unavailable(reason, let why, retryAfter: nil, _)? = try await refusal(word) else {
      Issue.record("\(word) is something else")
      return
    }
    #expect(why.contains(text) && why.contains("id.example.com"), "\(why)")
    #expect(!why.contains("no network"))
  }

  @Test(arguments: ["resolve", "connect", "timeout"])
  func withoutAConnectionItIsTheNetwork(_ word: String) async throws {
    guard case .offline(let why, _)? = try await refusal(word) else {
      Issue.record("not the network")
      return
    }
    #expect(why.contains("no network"))
  }

  @Test
  func aProxyIsNamedWhereItMayBeTheOneThatDoesNotAnswer() async throws {
    let proxy = ["proxy": "http://proxy.example:3128"]
    guard
      case .unavailable(.notAnswering, let why, _, _)? = try await refusal(
        "refused",
        settings: proxy
      )
    else {
      Issue.record("something else")
      return
    }
    #expect(why.contains("proxy.example:3128"), "\(why)")
  }

  @Test
  func aConnectionThatIsNotTrustedIsNotTriedAgainAndAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for word in ["authority", "expired", "name", "pin", "tls", "not_yet_valid", "listener 1"] {
      bench.exchange.plan(.notStarted(word))
      let before = bench.exchange.requests.count
      _ = await failure { _ = try await vault.test(try provider()) }
      #expect(bench.exchange.requests.count == before + 1, "\(word)")
    }
  }

  @Test
  func theTermsNameTheOwnerAndTheUsersOfTheProvidersFile() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: ["loopback_users": "7;998"])
    let users = Set([ThisProcess.user, 7, 998]).sorted()
    #expect(bench.exchange.terms.last?.loopbackUsers == users)
    #expect(try await vault.requestTerms(account: "me").exchange.loopbackUsers == users)
    try await bench.signIn(vault, "other")
    #expect(bench.exchange.terms.last?.loopbackUsers == [ThisProcess.user])
  }
}
