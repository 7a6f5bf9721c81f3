internal import Configuration
internal import HelperInterface
package import OAuth
internal import SecretMemory
internal import Synchronization
internal import System
package import TokenVault
internal import Varlink

/// Sends requests through `thumblatch-exchange`, one process for each request.
///
/// One process is started ahead.
package struct ExchangeHelperExchange: TokenExchange {
  private let spare: SpareExchangeHelper

  package init(by route: HelperRoute) {
    spare = SpareExchangeHelper(by: route)
  }

  fileprivate init(_ spare: SpareExchangeHelper) {
    self.spare = spare
  }

  /// Starts an exchange helper in advance; see `TokenExchange`.
  package func prepare() { spare.prepare() }

  /// Starts an exchange helper in advance, after the present reply; see `TokenExchange`.
  package func prepareLater() { spare.prepareLater() }

  /// Gets an exchange helper that waits for a request; see `TokenExchange`.
  package func exchangeHelper() async -> any ReadyExchangeHelper {
    do throws(HelperError) {
      return ExchangeHelperClient(.success(try await spare.take()), spare)
    } catch {
      if case .notStarted(let why) = error {
        return ExchangeHelperClient(.failure(.init(why)), spare)
      }
      return ExchangeHelperClient(.failure(.init("the exchange helper did not start")), spare)
    }
  }

  /// Performs a request; see `TokenExchange`.
  package func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> TokenVault.ExchangeReply {
    await exchangeHelper().perform(request, terms: terms, delivery: delivery)
  }
}

/// One process of the exchange helper, for one request.
final class ExchangeHelperClient: ReadyExchangeHelper {
  /// The error of the failed start.
  struct Missing: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  private static let ended = "the exchange helper ended"
  /// How many seconds longer than the helper's lifetime to wait for it.
  private static let grace = 3
  /// How long it may run after its reply, in milliseconds.
  private static let courtesy: Int32 = 20
  /// How long it may wait before it is used, in seconds.
  ///
  /// The time limits of its request are already running then.
  private static let longestWait: Int64 = 1
  /// The maximum length of an answer in bytes, so that it fits into a slot when it is sealed.
  private static let maximumBody = 60 * 1024

  private enum State {
    case unused
    /// It has had its request since this moment, or sending the request failed with this reply.
    case connecting(since: BootInstant, failure: TokenVault.ExchangeReply?)
    case used
  }

  private let exchangeHelper: Result<SpareExchangeHelper.ExchangeHelper, Missing>
  private let state = Mutex(State.unused)
  private let spare: SpareExchangeHelper

  init(
    _ exchangeHelper: Result<SpareExchangeHelper.ExchangeHelper, Missing>,
    _ spare: SpareExchangeHelper
  ) {
    self.exchangeHelper = exchangeHelper
    self.spare = spare
  }

  deinit {
    guard case .success(let exchangeHelper) = exchangeHelper else { return }
    switch state.withLock({ $0 }) {
    // A helper knows nothing about a request that was not made.
    case .unused: spare.giveBack(exchangeHelper)
    case .connecting: spare.end(exchangeHelper)
    case .used: break
    }
  }

  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?) {
    guard case .success(let exchangeHelper) = exchangeHelper, exchangeHelper.canWait else { return }
    state.withLock { state in
      guard case .unused = state else { return }
      let failure = Self.send(request, terms, delivery, waits: true, by: exchangeHelper.link)
      state = .connecting(since: .now, failure: failure)
    }
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> TokenVault.ExchangeReply {
    let exchangeHelper: SpareExchangeHelper.ExchangeHelper
    switch self.exchangeHelper {
    case .success(let found): exchangeHelper = found
    case .failure(let missing): return .notSent(reason: missing.reason)
    }
    let before = state.withLock { state in
      defer { state = .used }
      return state
    }
    // The slot's descriptor is lent for the call. The helper's copy exists before this returns.
    switch before {
    case .unused:
      if let failure = Self.send(request, terms, delivery, waits: false, by: exchangeHelper.link) {
        spare.end(exchangeHelper)
        return failure
      }
      return await reply(of: exchangeHelper, terms)
    case .connecting(let begun, nil) where BootInstant.now.seconds(since: begun) < Self.longestWait:
      // A helper that has ended may have reported why it could not connect.
      try? exchangeHelper.link.send(HelperProceedCall(), oneway: true)
      let reply = await reply(of: exchangeHelper, terms)
      guard case .notSent(reason: Self.ended) = reply else { return reply }
    case .connecting: spare.end(exchangeHelper)
    case .used: return .notSent(reason: "the exchange helper was used before")
    }
    // The helper has sent nothing, and no other helper has been tried.
    do { try delivery?.emptySlot() } catch { return .notSent(reason: "\(error)") }
    return await ExchangeHelperExchange(spare).perform(request, terms: terms, delivery: delivery)
  }

  private func reply(
    of exchangeHelper: SpareExchangeHelper.ExchangeHelper,
    _ terms: ExchangeTerms
  ) async -> TokenVault.ExchangeReply {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try startThread {
          let seconds = Int64(terms.limits.exchangeHelperLifetime + Self.grace)
          continuation.resume(returning: Self.reply(of: exchangeHelper.link, within: seconds))
          // Ending the process takes the kernel a millisecond. The answer is written during that
          // time.
          exchangeHelper.link.awaitEnd(withinMilliseconds: Self.courtesy)
          exchangeHelper.link.finish(withinMilliseconds: 1000)
        }
      } catch {
        // The helper already has the request.
        spare.end(exchangeHelper)
        continuation.resume(returning: .interrupted(reason: "\(error)"))
      }
    }
  }

  /// Sends the call.
  ///
  /// Returns the reply for a failure; `nil` if the call was sent.
  private static func send(
    _ request: ProviderRequest,
    _ terms: ExchangeTerms,
    _ delivery: AnswerDelivery?,
    waits: Bool,
    by helper: HelperLink
  ) -> TokenVault.ExchangeReply? {
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
      connectTimeout: terms.limits.connection * 1000,
      waits: waits,
      wantsLocation: request.wantsLocation
    )
    do throws(HelperError) {
      // The helper cannot act on the call before all of it has arrived.
      try helper.send(call, more: true, passing: delivery?.slot ?? -1)
    } catch {
      if case .malformed = error { return .notSent(reason: "the request is too long") }
      return .notSent(reason: ended)
    }
    return nil
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
          // The computer may have been suspended before. The helper's own timer does not count that
          // time (alarm(2)).
          deadline = BootInstant.now.advanced(bySeconds: seconds)
        case .done: return .delivered
        case .sealed(let image): return .sealed(image)
        case .answered(let status, let retryAfter, let body):
          return .answered(status: status, retryAfter: retryAfter, body: body)
        case .notSent(let reason, let user):
          return .notSent(reason: reason.rawValue + (user.map { " \($0)" } ?? ""))
        case .lost(let reason): return .interrupted(reason: reason.rawValue)
        }
      }
    } catch {
      // An exchange helper reports before it sends the first byte. If it ended without that report,
      // it sent none.
      if case .ended = error, !hasBegun { return .notSent(reason: ended) }
      return .interrupted(reason: ended)
    }
  }
}
