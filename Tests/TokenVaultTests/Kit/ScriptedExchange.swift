import Cryptography
import Glibc
import OAuth
import SecretMemory
import Synchronization
import System

@testable import TokenVault

/// An exchange helper without a network.
///
/// It does what the script says. It seals into the slot as the real helper does, with only the key
/// and the context that it is given.
final class ScriptedExchange: TokenExchange {
  enum Step: Sendable {
    /// New tokens.
    case tokens(access: String, refresh: String?, lifetime: Int? = 3600)
    /// Any answer.
    case answer(status: Int, retryAfter: Int? = nil, body: String)
    /// No byte left this machine, and the exchange helper says so in the slot.
    case nothingSent
    /// The exchange helper could not be started.
    case notStarted(String)
    /// The exchange helper died without a trace.
    case died
    /// The exchange helper stopped reading an answer that is too large.
    case tooLarge
    /// The exchange helper died while it wrote.
    case torn
    /// The answer comes over the socket, because the slot cannot be written.
    case overTheSocket(access: String, refresh: String)
    /// The exchange helper continues for a while without a connection, and then writes tokens.
    case outlives(access: String, refresh: String)
  }

  struct Request: Sendable, Equatable {
    let method: String
    let url: String
    let headers: [String]
    let credentials: String?
    let body: String?
  }

  private struct State {
    var steps: [Step] = []
    var isHeld = false
    var waiting: [CheckedContinuation<Step, Never>] = []
    var requests: [Request] = []
    var terms: [ExchangeTerms] = []
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
    var observer: (@Sendable (String) -> Void)?
    var connecting: (@Sendable () -> Void)?
    var orphans: [Orphan] = []
  }

  private let state = Mutex(State())

  /// All requests that were made.
  var requests: [Request] { state.withLock { $0.requests } }
  /// The terms of their connections.
  var terms: [ExchangeTerms] { state.withLock { $0.terms } }
  /// The bodies of the requests to the refresh endpoint.
  var refreshes: [String] {
    requests.filter { $0.url.hasSuffix("/auth/refresh") }.compactMap(\.body)
  }

  /// Makes exchanges wait for their step.
  ///
  /// Otherwise an exchange without a plan is refused.
  func hold() {
    state.withLock { $0.isHeld = true }
  }

  /// Appends to the script.
  ///
  /// A waiting exchange continues.
  func plan(_ steps: Step...) {
    for step in steps {
      let waiting = state.withLock { state in
        guard state.waiting.isEmpty else { return Optional(state.waiting.removeFirst()) }
        state.steps.append(step)
        return nil
      }
      waiting?.resume(returning: step)
    }
  }

  /// Called with `begun` before anything is written, and `written` when the slot is durable.
  func observe(_ observer: @escaping @Sendable (String) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// Called when an exchange helper gets its request ahead of time.
  func whenConnecting(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.connecting = body }
  }

  func exchangeHelper() async -> any ReadyExchangeHelper { ScriptedExchangeHelper(exchange: self) }

  fileprivate func connect() { state.withLock { $0.connecting }?() }

  /// Returns when this many requests have been made.
  func untilRequested(_ count: Int) async {
    await withCheckedContinuation { wake in
      let isDue = state.withLock { state in
        guard state.requests.count < count else { return true }
        state.watchers.append((count, wake))
        return false
      }
      if isDue { wake.resume() }
    }
  }

  /// Ends the exchange helpers that outlived their exchange.
  func finishOrphans() throws {
    let orphans = state.withLock { state in
      let orphans = state.orphans
      state.orphans = []
      return orphans
    }
    for orphan in orphans { try orphan.finish() }
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    let copy = Request(
      method: request.method,
      url: request.url,
      headers: request.headers,
      credentials: request.credentials.map(text),
      body: request.body.map(text)
    )
    let woken = state.withLock { state in
      state.requests.append(copy)
      state.terms.append(terms)
      let woken = state.watchers.filter { $0.count <= state.requests.count }.map(\.wake)
      state.watchers.removeAll { $0.count <= state.requests.count }
      return woken
    }
    for watcher in woken { watcher.resume() }
    let observer = state.withLock { $0.observer }
    observer?("begun")
    let step = await nextStep()
    do {
      let reply = try perform(step, delivery)
      observer?("written")
      return reply
    } catch {
      return .interrupted(reason: "the script failed: \(error)")
    }
  }

  private func nextStep() async -> Step {
    await withCheckedContinuation { waiting in
      let step = state.withLock { state in
        guard state.steps.isEmpty else { return Optional(state.steps.removeFirst()) }
        guard state.isHeld else { return .answer(status: 404, body: "not scripted") }
        state.waiting.append(waiting)
        return nil
      }
      if let step { waiting.resume(returning: step) }
    }
  }

  private func perform(_ step: Step, _ delivery: AnswerDelivery?) throws -> ExchangeReply {
    switch step {
    case .tokens(let access, let refresh, let lifetime):
      let body = tokenAnswer(access: access, refresh: refresh, lifetime: lifetime)
      return try perform(.answer(status: 200, body: body), delivery)
    case .answer(let status, let retryAfter, let body):
      guard let delivery else {
        return .answered(status: status, retryAfter: retryAfter, body: shared(body))
      }
      try write(
        try image(
          .answered(status: status, retryAfter: retryAfter, body: shared(body)),
          delivery
        ),
        delivery
      )
      return .delivered
    case .nothingSent:
      guard let delivery else { return .notSent(reason: "resolve") }
      try write(try image(.notSent(reason: "resolve"), delivery), delivery)
      return .delivered
    case .notStarted(let reason): return .notSent(reason: reason)
    case .died: return .interrupted(reason: "the exchange helper ended")
    case .tooLarge: return .interrupted(reason: "too_large")
    case .torn:
      guard let delivery else { return .interrupted(reason: "the exchange helper ended") }
      let body = tokenAnswer(access: "lost", refresh: "lost", lifetime: 60)
      let whole = try image(.answered(status: 200, retryAfter: nil, body: shared(body)), delivery)
      try write(Array(whole.prefix(whole.count / 2)), delivery)
      return .interrupted(reason: "the exchange helper ended")
    case .overTheSocket(let access, let refresh):
      guard let delivery else { return .interrupted(reason: "no delivery") }
      let body = tokenAnswer(access: access, refresh: refresh, lifetime: 3600)
      return .sealed(
        try image(.answered(status: 200, retryAfter: nil, body: shared(body)), delivery)
      )
    case .outlives(let access, let refresh):
      guard let delivery else { return .interrupted(reason: "no delivery") }
      let body = tokenAnswer(access: access, refresh: refresh, lifetime: 3600)
      let whole = try image(.answered(status: 200, retryAfter: nil, body: shared(body)), delivery)
      // So far it has written half of the image.
      try write(Array(whole.prefix(100)), delivery)
      let orphan = try Orphan(delivery.slot, whole)
      state.withLock { $0.orphans.append(orphan) }
      return .interrupted(reason: "nothing was heard of the exchange helper")
    }
  }

  private func image(
    _ outcome: ExchangeOutcome,
    _ delivery: AnswerDelivery
  ) throws -> [UInt8] {
    try SlotImage.seal(
      outcome,
      using: try SealingKey(try delivery.key.bytes.copy()),
      context: try BoxContext(encoded: delivery.context)
    )
  }

  private func write(_ image: [UInt8], _ delivery: AnswerDelivery) throws {
    try duplicate(delivery.slot).writeSlot(image)
  }
}

/// A second descriptor of the same open file description, as an exchange helper gets it.
func duplicate(_ number: Int32) throws -> Descriptor {
  let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
  guard copy >= 0 else { throw SystemError("fcntl", code: errno) }
  return Descriptor(owning: copy)
}

extension Descriptor {
  func writeSlot(_ image: [UInt8]) throws {
    let result: Result<Void, SystemError> = unsafe image.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try unsafe write(bytes, at: 0) }
    }
    try result.get()
    try synchronizeData()
  }
}

/// The backend's answer to a login, registration and refresh.
func tokenAnswer(access: String, refresh: String?, lifetime: Int?) -> String {
  var members = [#""access_token":"\#(access)""#, #""token_type":"bearer""#]
  if let refresh { members.append(#""refresh_token":"\#(refresh)""#) }
  if let lifetime { members.append(#""expires_in":\#(lifetime)"#) }
  members.append(#""user":{"id":"u-1","email":"me@example.org","name":"Me"}"#)
  return "{" + members.joined(separator: ",") + "}"
}

func shared(_ text: String) -> SharedSecret {
  guard let bytes = try? SecretBytes(copying: Array(text.utf8)) else {
    // A test's texts are short.
    fatalError("no memory for a secret")
  }
  return SharedSecret(bytes)
}

func text(_ secret: SharedSecret) -> String {
  unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
}

private struct ScriptedExchangeHelper: ReadyExchangeHelper {
  let exchange: ScriptedExchange

  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?) {
    exchange.connect()
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    await exchange.perform(request, terms: terms, delivery: delivery)
  }
}
