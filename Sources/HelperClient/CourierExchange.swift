internal import Configuration
public import OAuth
internal import SecretMemory
internal import System
public import TokenVault
internal import VaultInterface

/// Exchanges by `thumblatch-exchange`, one process for each request.
public struct CourierExchange: TokenExchange {
  /// How many seconds more than its lifetime the courier itself is waited for.
  private static let patience = 3
  /// How long one that the service manager has to start is waited for, in seconds.
  private static let startPatience: Int64 = 10
  /// The most bytes of an answer: a slot holds them sealed.
  private static let maximumBody = 60 * 1024

  private let route: HelperRoute

  /// An exchange that reaches its helper by this way.
  public init(by route: HelperRoute) {
    self.route = route
  }

  /// Performs a request; see `TokenExchange`.
  public func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> TokenVault.ExchangeReply {
    // The slot's descriptor is lent for the call; the courier's copy is made before this returns.
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread {
          continuation.resume(returning: exchange(request, terms, delivery))
        }
      } catch {
        continuation.resume(returning: .notSent(reason: "\(error)"))
      }
    }
  }

  private func exchange(
    _ request: ProviderRequest,
    _ terms: ExchangeTerms,
    _ delivery: AnswerDelivery?
  ) -> TokenVault.ExchangeReply {
    let helper: HelperLink
    do throws(HelperError) {
      helper = try HelperLink(.exchange, by: route)
    } catch {
      if case .notStarted(let why) = error { return .notSent(reason: why) }
      return .notSent(reason: "the courier did not start")
    }
    defer { helper.finish(withinMilliseconds: 1000) }
    let call = ExchangeCall(
      httpMethod: request.method,
      url: request.url,
      headers: request.headers,
      credentials: request.credentials,
      body: request.body,
      ca: terms.certificateAuthority,
      pins: terms.pins,
      proxy: terms.proxy,
      timeout: terms.limits.total * 1000,
      maximumBody: Self.maximumBody,
      key: delivery?.key,
      context: delivery?.context,
      local: terms.mayReachThisMachine,
      listeners: terms.loopbackUsers.map { Int($0) },
      connectTimeout: terms.limits.connection * 1000
    )
    var buffer = MessageBuffer(.helper)
    if route.isServed {
      // A connection that is taken may still be dropped without a courier. Nothing of the request has
      // left this process before one has answered: until then it was not sent, whatever happens.
      do throws(HelperError) {
        let deadline = BootInstant.now.advanced(bySeconds: Self.startPatience)
        try helper.greet(&buffer, until: deadline)
      } catch {
        return .notSent(reason: "the courier did not start")
      }
    }
    do throws(HelperError) {
      // Once a byte of the call has left, the courier may act on it.
      try helper.send(call, passing: delivery?.slot ?? -1)
    } catch {
      if case .malformed = error { return .notSent(reason: "the request is too long") }
      return .interrupted(reason: "the courier ended")
    }
    do throws(HelperError) {
      let seconds = terms.limits.courierLifetime + Self.patience
      let deadline = BootInstant.now.advanced(bySeconds: Int64(seconds))
      switch try helper.receive(&buffer, to: ExchangeCall.self, until: deadline).reply {
      case .done: return .delivered
      case .sealed(let image): return .sealed(image)
      case .answered(let status, let retryAfter, let body):
        return .answered(status: status, retryAfter: retryAfter, body: body)
      case .notSent(let reason): return .notSent(reason: reason.rawValue)
      case .untrustedListener(let user):
        let word = ExchangeFailure.listener.rawValue
        return .notSent(reason: user.map { "\(word) \($0)" } ?? word)
      case .lost(let reason): return .interrupted(reason: reason.rawValue)
      }
    } catch {
      return .interrupted(reason: "the courier ended")
    }
  }
}
