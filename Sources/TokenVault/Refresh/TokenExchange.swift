package import Configuration
package import OAuth
package import SecretMemory

/// What an exchange helper needs to make an answer durable without the engine.
package struct AnswerDelivery: Sendable {
  /// The one-use key under which the raw outcome is sealed.
  package let key: SharedSecret
  /// What the sealed answer is bound to (`BoxContext.encoded`).
  package let context: [UInt8]
  /// The account's slot: locked, open for writing.
  ///
  /// It is lent: the exchange helper gets a duplicate of the same open file description, so that
  /// the lock lasts as long as the exchange helper does.
  package let slot: Int32

  /// Puts the parts together.
  package init(key: SharedSecret, context: [UInt8], slot: Int32) {
    self.key = key
    self.context = context
    self.slot = slot
  }
}

/// What came of one HTTP request.
package enum ExchangeReply: Sendable {
  /// The outcome lies sealed in the slot.
  case delivered
  /// The slot could not be written; this is what it would hold.
  case sealed([UInt8])
  /// An answer without tokens.
  case answered(status: Int, retryAfter: Int?, body: SharedSecret)
  /// Provably nothing left this machine.
  case notSent(reason: String)
  /// The request may have been received, and no whole answer came back.
  case interrupted(reason: String)

  /// Whether the exchange helper may still be at work, so that its slot must not be judged: only a
  /// newly opened descriptor of the slot that can be locked proves that it has ended.
  var isOpen: Bool {
    if case .interrupted = self { true } else { false }
  }
}

/// How a connection to a provider is made: as it was at login, whatever files say today.
package struct ExchangeTerms: Sendable, Hashable {
  /// Certificate authorities in PEM, instead of the system's; nil for those.
  package let certificateAuthority: String?
  /// Public keys of which the server must have one (`sha256//...`).
  package let pins: [String]
  /// A proxy's URL.
  package let proxy: String?
  /// How long the provider is waited for.
  package let limits: ExchangeLimits

  /// Whether it may lead to this machine or to its link, or through a proxy there.
  package let mayReachThisMachine: Bool

  /// The users, besides root, whose programs may get it over loopback in plain text: sorted.
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
  /// How long an exchange helper may live that keeps to these, in seconds: two more than the
  /// request, and never less than 30.
  package var exchangeHelperLifetime: Int { max(30, total + 2) }
}

/// An exchange helper that waits for one request, and knows nothing of it yet.
///
/// One that is not used goes back with the last reference to it.
package protocol ReadyExchangeHelper: Sendable {
  /// Hands it its request ahead of `perform`, which gets the same one: it may connect to the provider, and
  /// sends nothing of it before.
  ///
  /// One that is not used afterwards sends nothing at all.
  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?)

  /// Performs its request; see `TokenExchange`.
  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply
}

/// Sends one request to a provider, in a process of its own.
package protocol TokenExchange: Sendable {
  /// Starts an exchange helper ahead, if a request is likely to follow soon; returns at once.
  func prepare()

  /// The same for the next request, behind the reply to the last one; returns at once.
  func prepareLater()

  /// Has an exchange helper ready, before it is written down that its request may have been sent.
  ///
  /// It does not throw: if none can be started, its request is `notSent`.
  func exchangeHelper() async -> any ReadyExchangeHelper

  /// Performs a request; with a `delivery` the outcome goes into the slot.
  ///
  /// It does not throw: an exchange helper that dies is `interrupted` if it has begun to send, else
  /// `notSent`, as is one that cannot be started.
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
