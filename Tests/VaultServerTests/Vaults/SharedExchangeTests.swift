import Configuration
import OAuth
import Testing
import TokenVault

@testable import VaultServer

/// The turns of requests to providers.
struct SharedExchangeTests {
  private struct StubExchange: TokenExchange {
    func perform(
      _ request: ProviderRequest,
      terms: ExchangeTerms,
      delivery: AnswerDelivery?
    ) async -> ExchangeReply {
      .notSent(reason: "a stub")
    }
  }

  private let turns = HelperQuota(each: 1, all: 1)

  private var exchange: SharedExchange {
    SharedExchange(exchange: StubExchange(), turns: turns, user: 1000)
  }

  /// A later request in the same sign-in, such as a fetch of keys, would otherwise wait without
  /// limit.
  @Test
  func anExchangeHelperHasItsTurnUntilItsRequestHasEnded() async throws {
    let settings = ["kind": "password-backend", "issuer": "https://id.example.com"]
    let provider = try Provider(name: ProviderName("dev"), settings: settings)
    let terms = ExchangeTerms(provider, owner: 1000)
    let request = ProviderRequest.look(at: "https://id.example.com/keys")
    let exchangeHelper = await exchange.exchangeHelper()
    #expect(turns.counts.used == 1)
    _ = await exchangeHelper.perform(request, terms: terms, delivery: nil)
    #expect(turns.counts.used == 0)
    _ = await exchange.perform(request, terms: terms, delivery: nil)
    withExtendedLifetime(exchangeHelper) {}
    #expect(turns.counts.used == 0)
  }

  @Test
  func anExchangeHelperThatIsNotUsedGivesItsTurnBack() async {
    do {
      let exchangeHelper = await exchange.exchangeHelper()
      withExtendedLifetime(exchangeHelper) { #expect(turns.counts.used == 1) }
    }
    #expect(turns.counts.used == 0)
  }
}
