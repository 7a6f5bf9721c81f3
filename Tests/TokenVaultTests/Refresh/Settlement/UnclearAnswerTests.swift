import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// An answer to a refresh that says neither yes nor that the token is dead.
@Suite(.timeLimit(.minutes(10)))
struct UnclearAnswerTests {
  private static let page = ScriptedExchange.Step.answer(status: 400, body: "<html>")
  private static let strange = ScriptedExchange.Step.answer(
    status: 401,
    body: #"{"error":"token_expired"}"#
  )
  private static let broken = ScriptedExchange.Step.answer(status: 500, body: "")

  /// An account whose refreshes had these results, one after the other.
  private func vault(_ bench: Bench, _ steps: [ScriptedExchange.Step]) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    for step in steps {
      bench.clock.advance(600)
      bench.exchange.plan(step)
      #expect(await failure { _ = try await vault.token() } != nil)
    }
    return vault
  }

  /// An answer that one exchange helper has sealed does not count as an outcome of the next one.
  @Test
  func theSlotOfTheNextExchangeHelperIsEmpty() async throws {
    let bench = try Bench()
    let vault = try await vault(bench, [])
    try await vault.writeSlot("me", [UInt8](repeating: 1, count: 100))
    #expect(try await vault.slotAfterEmptying().allSatisfy { $0 == 0 })
  }

  @Test(
    arguments: [
      ([page], "HTTP 400", 400, "empty_refusal = true"), ([broken], "answered 500", 500, nil),
      ([broken, strange], "HTTP 401", 401, "invalid_grant_value"),
      ([broken, .answer(status: 429, body: "")], "answered 429", 429, nil),
      ([page, .nothingSent], "answered 400", 400, nil),
    ] as [([ScriptedExchange.Step], String, Int, String?)]
  )
  func itIsToldUntilTheNextTryAndKeepsTheLogin(
    _ steps: [ScriptedExchange.Step],
    _ said: String,
    _ status: Int,
    _ setting: String?
  ) async throws {
    let bench = try Bench()
    let vault = try await vault(bench, steps)
    // A call that is too early.
    guard
      case .unavailable(.uncertain, let text, let wait?, status)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told")
      return
    }
    #expect(text.contains(said) && !text.contains("lost") && wait > 0, "\(text)")
    // Settings are not applied to an account in doubt.
    #expect(text.contains("provider file, then sign in again") == (setting != nil), "\(text)")
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .uncertain && facts.cause?.contains(said) == true)
    let finding = try #require(await vault.examine().first { $0.name == "accounts" })
    let remedy = try #require(finding.remedy)
    #expect(finding.message.contains(said), "\(finding.message)")
    #expect(remedy.contains("thumblatch login me") && !remedy.contains("nothing"), "\(remedy)")
    if let setting { #expect(text.contains(setting) && remedy.contains(setting), "\(remedy)") }
    #expect(try await vault.row().state == .signedIn)
    // The token is still good.
    bench.clock.advance(600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.stateOfMe().cause == nil)
  }

  @Test
  func anErrorThatIsNotKnownIsToldWithTheSettings() async throws {
    let bench = try Bench()
    let vault = try await vault(bench, [])
    bench.exchange.plan(Self.strange)
    let answered =
      "/auth/refresh answered 401 token_expired; check `refresh_path` and the field names of"
      + " provider dev"
    let remedy =
      "if dev answers a dead token like this, set error_field and invalid_grant_value in its"
      + " provider file, then run thumblatch provider apply dev"
    #expect(
      await failure { _ = try await vault.token() } == .misconfigured("\(answered); \(remedy)")
    )
  }

  @Test
  func theRemedyForAPageWorks() async throws {
    let bench = try Bench()
    let vault = try await vault(bench, [Self.page])
    let settings = ["empty_refusal": "true"]
    try await bench.signIn(vault, refresh: "rt-2", access: "at-2", settings: settings)
    bench.clock.advance(3600)
    bench.exchange.plan(Self.page)
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("not understood")
      return
    }
  }

  /// A provider may have replaced the refresh token in an answer that cannot be read.
  @Test(
    arguments: [
      (.tooLarge, "larger than 60 KiB", "endpoints", nil),
      (.answer(status: 200, body: "<html>"), "not with a JSON object", "endpoints", 200),
      (.answer(status: 200, body: ""), "not with a JSON object", "endpoints", 200),
      (.answer(status: 200, body: "{}"), "without a usable token", "field names", 200),
    ] as [(ScriptedExchange.Step, String, String, Int?)]
  )
  func anAnswerThatMayHaveUsedTheTokenSaysSo(
    _ step: ScriptedExchange.Step,
    _ said: String,
    _ check: String,
    _ status: Int?
  ) async throws {
    let bench = try Bench()
    let vault = try await vault(bench, [])
    bench.exchange.plan(step)
    let first = try #require(await failure { _ = try await vault.token() })
    #expect("\(first)".contains("may have been used") && "\(first)".contains(check), "\(first)")
    guard
      case .unavailable(.uncertain, let text, _?, let known)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told")
      return
    }
    #expect(known == status)
    for part in [said, "may have been used", check, "sign in again"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(try await vault.stateOfMe().cause?.contains(said) == true)
    let finding = try #require(await vault.examine().first { $0.name == "accounts" })
    #expect(finding.message.contains(said), "\(finding.message)")
    #expect(finding.remedy?.contains("may have been used") == true)
    // A connection that fails does not replace what came.
    bench.clock.advance(600)
    bench.exchange.plan(.nothingSent)
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.stateOfMe().cause?.contains(said) == true)
    bench.clock.advance(1200)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.row().cause == "answer lost")
  }

  @Test
  func anAnswerThatWasLostIsNotTakenForTheEarlierOne() async throws {
    let bench = try Bench()
    let vault = try await vault(bench, [Self.page, .died])
    guard
      case .unavailable(.uncertain, let text, _, nil)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told")
      return
    }
    #expect(text.contains("was lost"), "\(text)")
    #expect(try await vault.stateOfMe().cause == nil)
  }
}

extension Vault {
  /// The contents of the slot after it was given to another exchange helper.
  fileprivate func slotAfterEmptying() throws -> [UInt8] {
    let slot = try SlotFile(in: directory, account: try row().id)
    let delivery = AnswerDelivery(key: shared("key"), context: [], slot: slot.descriptor)
    try delivery.emptySlot()
    return try slot.readWhole()
  }
}
