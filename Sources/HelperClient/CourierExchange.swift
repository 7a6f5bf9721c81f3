internal import Configuration
public import OAuth
internal import SecretMemory
internal import Synchronization
internal import System
public import TokenVault
internal import VaultInterface

/// Exchanges by `thumblatch-exchange`, one process for each request, of which one is started ahead.
public struct CourierExchange: TokenExchange {
  private let spare: SpareCourier

  /// An exchange that reaches its helper by this way.
  public init(by route: HelperRoute) {
    spare = SpareCourier(by: route)
  }

  /// Starts a courier ahead; see `TokenExchange`.
  public func prepare() { spare.prepare() }

  /// Has a courier that waits for a request; see `TokenExchange`.
  public func courier() async -> any ReadyCourier {
    do throws(HelperError) {
      return HelperCourier(.success(try await spare.take()), spare)
    } catch {
      if case .notStarted(let why) = error { return HelperCourier(.failure(.init(why)), spare) }
      return HelperCourier(.failure(.init("the courier did not start")), spare)
    }
  }

  /// Performs a request; see `TokenExchange`.
  public func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> TokenVault.ExchangeReply {
    await courier().perform(request, terms: terms, delivery: delivery)
  }
}

/// One courier process, for one request.
final class HelperCourier: ReadyCourier {
  /// Why there is no process.
  struct Missing: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// How many seconds more than its lifetime the courier itself is waited for.
  private static let patience = 3
  /// The most bytes of an answer: a slot holds them sealed.
  private static let maximumBody = 60 * 1024

  private let link: Mutex<Result<HelperLink, Missing>?>
  private let spare: SpareCourier

  init(_ link: Result<HelperLink, Missing>, _ spare: SpareCourier) {
    self.link = Mutex(link)
    self.spare = spare
  }

  deinit {
    // It has heard nothing of a request that was not made.
    if case .success(let unused)? = link.withLock({ $0 }) { spare.giveBack(unused) }
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> TokenVault.ExchangeReply {
    let taken = link.withLock { link in
      defer { link = nil }
      return link
    }
    let helper: HelperLink
    switch taken {
    case .success(let link)?: helper = link
    case .failure(let missing)?: return .notSent(reason: missing.reason)
    case nil: return .notSent(reason: "the courier was used before")
    }
    // The slot's descriptor is lent for the call; the courier's copy is made before this returns.
    return await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread {
          let reply = Self.exchange(request, terms, delivery, by: helper)
          continuation.resume(returning: reply)
          helper.finish(withinMilliseconds: 1000)
        }
      } catch {
        helper.finish(withinMilliseconds: 0)
        continuation.resume(returning: .notSent(reason: "\(error)"))
      }
    }
  }

  private static func exchange(
    _ request: ProviderRequest,
    _ terms: ExchangeTerms,
    _ delivery: AnswerDelivery?,
    by helper: HelperLink
  ) -> TokenVault.ExchangeReply {
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
      maximumBody: maximumBody,
      key: delivery?.key,
      context: delivery?.context,
      local: terms.mayReachThisMachine,
      listeners: terms.loopbackUsers.map { Int($0) },
      connectTimeout: terms.limits.connection * 1000
    )
    do throws(HelperError) {
      // Until all of the call is there, the courier cannot act on it.
      try helper.send(call, more: true, passing: delivery?.slot ?? -1)
    } catch {
      if case .malformed = error { return .notSent(reason: "the request is too long") }
      return .notSent(reason: "the courier ended")
    }
    return reply(of: helper, within: Int64(terms.limits.courierLifetime + patience))
  }

  private static func reply(
    of helper: HelperLink,
    within seconds: Int64
  ) -> TokenVault.ExchangeReply {
    var buffer = MessageBuffer(.helper)
    var hasBegun = false
    do throws(HelperError) {
      var deadline = BootInstant.now.advanced(bySeconds: seconds)
      while true {
        switch try helper.receive(&buffer, to: ExchangeCall.self, until: deadline).reply {
        case .begun:
          hasBegun = true
          // The computer may have slept before; the courier's own time stands still then (alarm(2)).
          deadline = BootInstant.now.advanced(bySeconds: seconds)
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
      }
    } catch {
      // A courier tells before it sends the first byte: one that has ended without that has sent none.
      if case .ended = error, !hasBegun { return .notSent(reason: "the courier ended") }
      return .interrupted(reason: "the courier ended")
    }
  }
}
