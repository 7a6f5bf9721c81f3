import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A provider that refuses a dead refresh token with 400 and an empty body.
@Suite(.timeLimit(.minutes(10)))
struct EmptyRefusalTests {
  private static let empty = ScriptedExchange.Step.answer(status: 400, body: "")

  private func expired(_ bench: Bench, settings: [String: String] = [:]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: settings)
    bench.clock.advance(3600)
    return vault
  }

  /// One attempt, ten minutes after the previous one.
  private func attempt(
    _ bench: Bench,
    _ vault: Vault,
    _ step: ScriptedExchange.Step
  ) async -> VaultFailure? {
    bench.clock.advance(600)
    bench.exchange.plan(step)
    return await failure { _ = try await vault.token() }
  }

  private func isRefusedOnce(_ failure: VaultFailure?) -> Bool {
    if case .unavailable(.refusedOnce, _, retryAfter: 600, _) = failure { true } else { false }
  }

  @Test(arguments: [400, 401, 403])
  func theSecondEmptyRefusalOfATokenMeansALogin(_ status: Int) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let refusal = ScriptedExchange.Step.answer(status: status, body: "")
    guard
      case .unavailable(.refusedOnce, let text, retryAfter: 600, _)? = await attempt(
        bench,
        vault,
        refusal
      )
    else {
      Issue.record("the first one was believed, or not told")
      return
    }
    // The answer is reported at once, and again to callers that come too early.
    #expect(text.contains("\(status)") && text.contains("empty"), "\(text)")
    guard
      case .unavailable(.refusedOnce, text, retryAfter: 600, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("asked too early")
      return
    }
    #expect(bench.exchange.refreshes.count == 1)
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .uncertain && facts.cause?.contains("\(status)") == true)
    guard case .loginRequired(_, let cause)? = await attempt(bench, vault, refusal) else {
      Issue.record("the second one was not believed")
      return
    }
    #expect(cause.contains("twice") && cause.contains("\(status)"), "\(cause)")
    #expect(try await vault.row().state == .loginRequired)
    #expect(try await vault.intent() == nil)
    // The token is never sent again.
    _ = await attempt(bench, vault, refusal)
    #expect(bench.exchange.refreshes == Array(repeating: #"{"refresh_token":"rt-1"}"#, count: 2))
  }

  /// A backend may answer a dead token with one status or another.
  @Test(arguments: [(400, 401), (401, 400), (403, 401)])
  func theSecondOneCountsWithAnotherStatusToo(_ first: Int, _ second: Int) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    #expect(isRefusedOnce(await attempt(bench, vault, .answer(status: first, body: ""))))
    let failure = await attempt(bench, vault, .answer(status: second, body: ""))
    guard case .loginRequired(_, let cause)? = failure else {
      Issue.record("the second one was not believed")
      return
    }
    #expect(cause.contains("HTTP \(second)") && cause.contains("HTTP \(first)"), "\(cause)")
    #expect(try await vault.row().state == .loginRequired)
  }

  @Test(arguments: [
    ScriptedExchange.Step.nothingSent, .notStarted("resolve"), .died, .torn,
    .answer(status: 500, body: ""), .answer(status: 503, body: ""), .answer(status: 429, body: ""),
    .answer(status: 404, body: ""), .answer(status: 400, body: "<html>"),
    .answer(status: 200, body: ""),
    .answer(status: 400, body: #"{"error":"invalid_client"}"#),
  ])
  func whateverComesBetweenEndsTheCount(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)))
    #expect(await attempt(bench, vault, step) != nil)
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)), "\(step)")
    #expect(try await vault.row().state == .signedIn)
    guard case .loginRequired? = await attempt(bench, vault, Self.empty) else {
      Issue.record("two in a row were not believed")
      return
    }
  }

  @Test(arguments: [500, 502, 408, 429, 404])
  func noOtherStatusIsEverBelieved(_ status: Int) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for _ in 0..<4 { _ = await attempt(bench, vault, .answer(status: status, body: "")) }
    #expect(try await vault.row().state == .signedIn)
  }

  @Test
  func aPageThatIsNoJSONIsToldWithWhatHelpsAndNeverBelieved() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for _ in 0..<3 {
      guard
        case .unavailable(.uncertain, let text, _, _)? = await attempt(
          bench,
          vault,
          .answer(status: 403, body: "<html>")
        )
      else {
        Issue.record("not told")
        return
      }
      #expect(text.contains("403") && text.contains("empty_refusal = true"), "\(text)")
    }
    #expect(try await vault.row().state == .signedIn)
  }

  @Test
  func theFirstOneCountsAcrossARestartOfTheEngine() async throws {
    let bench = try Bench()
    var vault: Vault? = try await expired(bench)
    if let vault { #expect(isRefusedOnce(await attempt(bench, vault, Self.empty))) }
    vault = nil
    let next = try await bench.open()
    guard case .loginRequired? = await attempt(bench, next, Self.empty) else {
      Issue.record("forgotten")
      return
    }
  }

  @Test
  func aTokenThatCameSinceIsNotBlamed() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)))
    try await bench.signIn(vault, refresh: "rt-new", access: "at-new")
    bench.clock.advance(3600)
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)))
    #expect(try await vault.row().state == .signedIn)
    // The same token, if it was accepted since, does not count as refused either.
    bench.clock.advance(600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: nil))
    #expect(try await vault.token().accessToken == "at-2")
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 500, body: ""))
    _ = await failure { _ = try await vault.token() }
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)))
  }

  @Test
  func aSettingBelievesTheFirst() async throws {
    let bench = try Bench()
    let vault = try await expired(bench, settings: ["empty_refusal": "true"])
    guard case .loginRequired? = await attempt(bench, vault, Self.empty) else {
      Issue.record("not believed")
      return
    }
  }

  @Test
  func theExaminationSaysWhatToDo() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    #expect(isRefusedOnce(await attempt(bench, vault, Self.empty)))
    let finding = try #require(await vault.examine().first { $0.name == "accounts" })
    #expect(finding.message.contains("HTTP 400"), "\(finding.message)")
    #expect(finding.remedy?.contains("thumblatch login me") == true)
  }
}
