internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import System

extension Vault {
  /// The answer to a GET request to a provider, as `Fetch` gets it.
  func fetch(
    _ request: ProviderRequest,
    from provider: Provider,
    tries: Int = Fetch.mostTries
  ) async throws(VaultFailure) -> Fetch.Answer {
    let fetch = Fetch(exchange: exchange, clock: clock, tries: tries)
    return try await fetch.answer(to: request, terms: terms(of: provider))
  }
}

/// Sends a GET request to a provider, and repeats it if that may help.
///
/// It is only for requests that may be repeated without limit, and never for tokens. Introspection
/// is a POST request that changes nothing.
struct Fetch: Sendable {
  /// The final answer.
  struct Answer: Sendable {
    let status: Int
    /// The wait that the provider asks for, in seconds.
    let retryAfter: Int?
    let body: SharedSecret
  }

  /// The limit of tries.
  static let mostTries = 5
  /// The time after the first try from which no other try begins, in seconds.
  static let mostSeconds: Int64 = 30
  /// The first wait, in milliseconds; it doubles each time.
  private static let firstWait: Int64 = 500

  let exchange: any TokenExchange
  let clock: any VaultClock
  var tries = Self.mostTries

  /// The answer to a request; the last one if no answer was a success.
  ///
  /// - Throws: `offline` if no connection could be made, `providerUnavailable` if no try was
  ///   answered.
  func answer(
    to request: ProviderRequest,
    terms: ExchangeTerms
  ) async throws(VaultFailure) -> Answer {
    let begun = clock.boot
    var made = 0
    while true {
      let outcome = await ask(request, terms)
      made += 1
      guard outcome.mayPass, made < tries, !Task.isCancelled else {
        return try outcome.result.get()
      }
      let wait = wait(after: made, outcome)
      let elapsed = (clock.boot.nanoseconds - begun.nanoseconds) / 1_000_000
      guard elapsed + wait <= Self.mostSeconds * 1000 else { return try outcome.result.get() }
      await clock.pause(milliseconds: wait)
    }
  }

  private struct Outcome {
    let result: Result<Answer, VaultFailure>
    /// Whether the same request may get a better answer a moment later.
    let mayPass: Bool
    var retryAfter: Int?
  }

  private func ask(_ request: ProviderRequest, _ terms: ExchangeTerms) async -> Outcome {
    switch await exchange.perform(request, terms: terms, delivery: nil) {
    case .answered(let status, let retryAfter, let body):
      Outcome(
        result: .success(Answer(status: status, retryAfter: retryAfter, body: body)),
        mayPass: [408, 421, 425, 429].contains(status) || status >= 500,
        retryAfter: retryAfter
      )
    case .notSent(let reason):
      Self.unsent(.notSent(reason, to: request.url, terms: terms), reason)
    case .interrupted(reason: "too_large"):
      Outcome(result: .failure(.tooLarge(from: request.url)), mayPass: false)
    case .interrupted(let reason):
      Outcome(result: .failure(.unanswered(reason, by: request.url)), mayPass: true)
    case .delivered, .sealed:
      Outcome(result: .failure(.unexpected("the exchange gave no answer")), mayPass: false)
    }
  }

  /// The outcome of a request that was not sent.
  ///
  /// A retry does not help after a certificate, a key, an address or a setting was refused.
  private static func unsent(_ failure: VaultFailure, _ reason: String) -> Outcome {
    Outcome(
      result: .failure(failure),
      mayPass: failure.isTemporary && !Unavailability.isDistrust(reason)
    )
  }

  /// The wait in milliseconds: 0.5·2ⁿ s, a quarter more or less, so that many clients do not come
  /// back at once.
  ///
  /// It is never shorter than the provider asks for.
  private func wait(after tries: Int, _ outcome: Outcome) -> Int64 {
    let doubled = Self.firstWait << Int64(tries - 1)
    // Without random bytes all clients wait for the same time, which does no harm.
    let byte = (try? randomBytes(1))?.first ?? 128
    let jittered = doubled * 3 / 4 + doubled * Int64(byte) / 512
    // Every wait beyond the time limit has the same effect, so its length may be cut.
    return max(jittered, min(Int64(outcome.retryAfter ?? 0), 2 * Self.mostSeconds) * 1000)
  }
}
