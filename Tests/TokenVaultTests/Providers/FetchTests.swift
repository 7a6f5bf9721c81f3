import Configuration
import OAuth
import SecretMemory
import System
import Testing

@testable import TokenVault

/// GET requests are repeated if that may help, for a limited time.
@Suite(.timeLimit(.minutes(10)))
struct FetchTests {
  private let exchange = ScriptedExchange()
  private let clock = ManualClock()

  private func fetch() async throws -> Fetch.Answer {
    clock.run()
    return try await Fetch(exchange: exchange, clock: clock).answer(
      to: .look(at: "https://id.example.com/keys"),
      terms: ExchangeTerms(try provider(), owner: 1000)
    )
  }

  @Test(arguments: [408, 425, 429, 500, 503, 599])
  func whatMayPassIsAskedFiveTimesMoreAndMoreSeldom(_ status: Int) async throws {
    for _ in 0..<9 { exchange.plan(.answer(status: status, body: "")) }
    #expect(try await fetch().status == status)
    #expect(exchange.requests.count == 5)
    let pauses = clock.pauses
    #expect(pauses.count == 4)
    for (pause, base) in zip(pauses, [500, 1000, 2000, 4000] as [Int64]) {
      #expect((base * 3 / 4...base * 5 / 4).contains(pause))
    }
  }

  @Test(arguments: [200, 301, 400, 401, 403, 404])
  func aClearAnswerIsTakenAsItIs(_ status: Int) async throws {
    exchange.plan(.answer(status: status, body: "x"))
    #expect(try await fetch().status == status)
    #expect(exchange.requests.count == 1)
  }

  @Test
  func theProvidersOwnWishCountsMoreAndTheTimeIsLimited() async throws {
    exchange.plan(
      .answer(status: 503, retryAfter: 12, body: ""),
      .answer(status: 503, retryAfter: 19, body: ""),
      .answer(status: 200, body: "")
    )
    // After 12 s of waiting, 19 s more would be later than 30 s after the first attempt.
    let answer = try await fetch()
    #expect(answer.status == 503 && answer.retryAfter == 19)
    #expect(clock.pauses == [12_000])
  }

  @Test
  func noConnectionIsToldFromNoAnswer() async throws {
    for _ in 0..<5 { exchange.plan(.nothingSent) }
    guard case .offline? = await failure({ _ = try await fetch() }) else {
      Issue.record("offline is not told")
      return
    }
    for _ in 0..<5 { exchange.plan(.died) }
    guard case .providerUnavailable? = await failure({ _ = try await fetch() }) else {
      Issue.record("a lost answer is not told")
      return
    }
    #expect(exchange.requests.count == 10)
  }

  @Test
  func anAnswerThatIsTooLargeIsNotAskedForAgain() async throws {
    exchange.plan(.tooLarge)
    let failure = await failure({ _ = try await fetch() })
    #expect(
      failure == .providerUnavailable("the answer of https://id.example.com/keys is too large")
    )
    #expect(exchange.requests.count == 1)
  }

  @Test(arguments: ["tls", "pin", "authority", "expired", "not_yet_valid", "name", "listener 7"])
  func aCertificateThatDoesNotFitIsNotAskedAgain(_ reason: String) async throws {
    exchange.plan(.notStarted(reason))
    guard case .unavailable? = await failure({ _ = try await fetch() }) else {
      Issue.record("\(reason) is taken for being offline")
      return
    }
    #expect(exchange.requests.count == 1)
  }
}
