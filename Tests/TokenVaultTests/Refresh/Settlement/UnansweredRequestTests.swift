import Configuration
import Storage
import System
import Testing

@testable import TokenVault

/// The error if a provider was not reached, or was reached and not trusted.
@Suite(.timeLimit(.minutes(10)))
struct UnansweredRequestTests {
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
    // The request was not sent, so there is no doubt, whatever the reason.
    #expect(try await vault.intent() == nil)
    #expect(try await vault.row().state == .signedIn)
    return refusal
  }

  @Test(arguments: [
    ("refused", Unavailability.notAnswering, "is not answering (connection refused)"),
    ("silent", .notAnswering, "is not answering (it accepted the connection but sent nothing)"),
    ("authority", .authority, "authority that is not trusted"),
    ("expired", .expired, "has expired"), ("not_yet_valid", .notYetValid, "clock"),
    ("name", .name, "another host"), ("pin", .pin, "pinned"), ("tls", .certificate, "TLS"),
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
    guard case .offline(let why, _, _)? = try await refusal(word) else {
      Issue.record("not the network")
      return
    }
    #expect(why.contains("no network") && !why.contains("(\(word))"), "\(why)")
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

  /// A proxy may refuse the way to the provider.
  @Test
  func anUnreachableProviderBehindAProxyNamesTheProxy() async throws {
    let proxy = ["proxy": "http://proxy.example:3128"]
    guard case .offline(let why, _, _)? = try await refusal("connect", settings: proxy) else {
      Issue.record("something else")
      return
    }
    #expect(why.contains("the proxy http://proxy.example:3128: id.example.com"), "\(why)")
  }

  @Test
  func aPinThatNothingCanCheckIsNamedAtOnce() async throws {
    let pin = "sha256//" + String(repeating: "A", count: 43) + "="
    let bench = try Bench()
    let vault = try await bench.open()
    let plain = try provider(["issuer": "http://localhost:8000", "pins": pin])
    bench.exchange.plan(.notStarted("other"))
    guard case .misconfigured(let why)? = await failure({ _ = try await vault.test(plain) }) else {
      Issue.record("something else")
      return
    }
    #expect(why.contains("leave out pins"), "\(why)")
    #expect(bench.exchange.requests.count == 1)
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
    #expect(
      try await vault.requestTerms(account: "me", caller: caller()).exchange.loopbackUsers == users
    )
    try await bench.signIn(vault, "other")
    #expect(bench.exchange.terms.last?.loopbackUsers == [ThisProcess.user])
  }

  // MARK: - Uncertain outcomes

  @Test(arguments: [
    (ScriptedExchange.Step.died, true, nil), (.torn, true, nil),
    (.answer(status: 500, body: ""), true, 500), (.answer(status: 503, body: ""), true, 503),
    (.answer(status: 200, body: "<html>"), true, 200),
    (.answer(status: 408, body: ""), false, 408), (.notStarted("refused"), false, nil),
  ])
  func aLoginWithoutAnAnswerMayHaveHappened(
    _ step: ScriptedExchange.Step,
    _ isUncertain: Bool,
    _ status: Int?
  ) async throws {
    for registering in [false, true] {
      let bench = try Bench()
      let vault = try await bench.open()
      bench.exchange.plan(step)
      let refusal = await failure {
        _ = try await vault.signIn(
          account: "me",
          provider: try provider(),
          email: "me@example.org",
          password: shared("hunter2"),
          registering: registering,
          displayName: nil,
          caller: caller()
        )
      }
      switch refusal {
      case .unavailable(.uncertain, _, retryAfter: nil, status)?: #expect(isUncertain, "\(step)")
      case .unavailable(.notAnswering, _, _, _)?, .providerUnavailable(_, _, status)?:
        #expect(!isUncertain, "\(step)")
      default: Issue.record("\(step): \(String(describing: refusal))")
      }
    }
  }

  /// The answer to a refresh was lost, and the next attempt was not sent: the first one may have
  /// been accepted.
  @Test
  func aRetryThatWasNotSentLeavesTheFirstTryInDoubt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token() }
    for word in ["resolve", "refused", "other", "pin"] {
      bench.clock.advance(600)
      bench.exchange.plan(.notStarted(word))
      switch (word, await failure { _ = try await vault.token() }) {
      case ("resolve", .offline(_, retryAfter: .some, isUncertain: true)?): break
      case ("refused", .unavailable(.uncertain, let why, retryAfter: .some, _)?):
        #expect(why.contains("not answering"))
      case ("other", .unavailable(.uncertain, _, retryAfter: .some, _)?): break
      case ("pin", .unavailable(.pin, _, retryAfter: .some, _)?): break
      case (_, let found): Issue.record("\(word): \(String(describing: found))")
      }
    }
  }
}
