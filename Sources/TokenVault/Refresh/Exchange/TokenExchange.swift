package import Configuration
package import OAuth
package import SecretMemory
package import Storage

/// What an exchange helper needs to make an answer durable without the engine.
package struct AnswerDelivery: Sendable {
  /// The one-use key under which the raw outcome is sealed.
  package let key: SharedSecret
  /// The context that the sealed answer is bound to (`BoxContext.encoded`).
  package let context: [UInt8]
  /// The account's slot: locked, and open for writing.
  ///
  /// The exchange helper gets a duplicate of the same open file description, so that the lock lasts
  /// as long as the exchange helper.
  package let slot: Int32

  /// Overwrites what an exchange helper has sealed into the slot, before another one gets it.
  ///
  /// If the next one is killed after it has sent its request, the old outcome would wrongly say
  /// that nothing was sent.
  ///
  /// - Throws: an error of the disk.
  package func emptySlot() throws(StorageError) { try SlotFile.zero(slot) }
}

/// The result of one HTTP request.
package enum ExchangeReply: Sendable {
  /// The outcome is in the slot, sealed.
  case delivered
  /// The slot could not be written; these would be its contents.
  case sealed([UInt8])
  /// An answer without tokens.
  case answered(status: Int, retryAfter: Int?, body: SharedSecret)
  /// Nothing left this machine, which is certain.
  case notSent(reason: String)
  /// The request may have been received, and no whole answer came back.
  case interrupted(reason: String)

  /// Whether the exchange helper may still run, so that its slot must not be judged.
  ///
  /// Only a newly opened descriptor of the slot that can be locked proves that it has ended.
  var isOpen: Bool {
    if case .interrupted = self { true } else { false }
  }
}

extension ExchangeReply {
  /// Whether the exchange helper stopped reading, because the answer is too large.
  var isTooLarge: Bool {
    if case .interrupted(reason: "too_large") = self { true } else { false }
  }
}

/// The terms of a connection to a provider, as they were at login.
package struct ExchangeTerms: Sendable, Hashable {
  /// Certificate authorities in PEM; `nil` for those of the system.
  package let certificateAuthority: String?
  /// Public keys of which the server must have one (`sha256//...`).
  package let pins: [String]
  /// The URL of a proxy.
  package let proxy: String?
  /// The time limits.
  package let limits: ExchangeLimits

  /// Whether it may lead to this machine or to its link, or through a proxy there.
  package let mayReachThisMachine: Bool

  /// The users besides root whose programs may listen on loopback without TLS, sorted.
  package let loopbackUsers: [UInt32]

  /// The terms of a provider.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - owner: the user whose vault sends.
  ///   - mayReachThisMachine: whether it may lead here.
  package init(_ provider: Provider, owner: UInt32, mayReachThisMachine: Bool = false) {
    self.mayReachThisMachine = mayReachThisMachine
    loopbackUsers = Set(provider.loopbackUsers).union([owner]).sorted()
    certificateAuthority = provider.certificateAuthority
    pins = provider.pins
    proxy = provider.proxy
    limits = provider.limits
  }
}

extension ExchangeLimits {
  /// The longest life of an exchange helper, in seconds: two more than the request, at least 30.
  package var exchangeHelperLifetime: Int { max(30, total + 2) }
}

/// An exchange helper that waits for one request, and knows nothing of it yet.
///
/// An unused helper is returned with the last reference to it.
package protocol ReadyExchangeHelper: Sendable {
  /// Passes the request ahead of `perform`, which gets the same one.
  ///
  /// The helper may connect to the provider. It sends nothing before `perform`.
  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?)

  /// Performs the request; see `TokenExchange`.
  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply
}

/// Sends one request to a provider, in a process of its own.
package protocol TokenExchange: Sendable {
  /// Starts an exchange helper ahead of a request that is likely to follow soon, or asks the
  /// waiting one whether it runs.
  ///
  /// Returns at once.
  func prepare()

  /// The same for the request after the present one; returns at once.
  func prepareLater()

  /// An exchange helper that is ready, before the intent says that its request may have been sent.
  ///
  /// It does not throw: if none can be started, its request is `notSent`.
  func exchangeHelper() async -> any ReadyExchangeHelper

  /// Performs a request; with a `delivery` the outcome goes into the slot.
  ///
  /// It does not throw. An exchange helper that dies is `interrupted` if it has begun to send.
  /// Otherwise it is `notSent`, like one that cannot be started.
  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply
}

extension TokenExchange {
  /// Nothing is started ahead.
  package func prepare() {}

  /// Nothing is started ahead.
  package func prepareLater() {}

  /// An exchange helper that starts with its request.
  package func exchangeHelper() async -> any ReadyExchangeHelper {
    StartingExchangeHelper(exchange: self)
  }
}

private struct StartingExchangeHelper<Exchange: TokenExchange>: ReadyExchangeHelper {
  let exchange: Exchange

  /// It connects when it sends.
  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?) {}

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    await exchange.perform(request, terms: terms, delivery: delivery)
  }
}
