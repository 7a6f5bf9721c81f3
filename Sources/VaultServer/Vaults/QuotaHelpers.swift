internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Synchronization
internal import TokenVault

/// The quotas of the service's helpers.
///
/// They are lower than the limits of its sockets (MaxConnections), so that the service manager
/// refuses no connection. The service's threads then suffice, too (TasksMax).
struct HelperShares: Sendable {
  /// Requests to providers.
  let exchanges = HelperQuota(each: 8, all: 128)
  /// Queries about the reader and the desktop's fingers.
  ///
  /// Checks do not count, because a vault has few of them.
  let questions = HelperQuota(each: 4, all: 32)
  /// Helpers that were started with a prompt and wait for its check.
  let prepared = HelperQuota(each: 1, all: 32)
}

/// The requests of one user, who shares the exchange helpers with all other users.
struct SharedExchange: TokenExchange {
  let exchange: any TokenExchange
  let turns: HelperQuota
  let user: UInt32

  func prepare() { exchange.prepare() }

  func prepareLater() { exchange.prepareLater() }

  func exchangeHelper() async -> any ReadyExchangeHelper {
    // A request for tokens waits without a time limit.
    _ = await turns.take(for: user, .pressing)
    return SharedExchangeHelper(await exchange.exchangeHelper(), turns, user)
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    guard delivery == nil else {
      return await exchangeHelper().perform(request, terms: terms, delivery: delivery)
    }
    guard await turns.take(for: user, .passing) else {
      return .notSent(reason: "the caller no longer waits")
    }
    defer { turns.giveBack(of: user, .passing) }
    return await exchange.perform(request, terms: terms, delivery: delivery)
  }
}

/// An exchange helper that holds one user's turn until its request has ended, or until it is
/// released unused.
private final class SharedExchangeHelper: ReadyExchangeHelper {
  private let exchangeHelper: any ReadyExchangeHelper
  private let turns: HelperQuota
  private let user: UInt32
  private let isTaken = Mutex(true)

  init(_ exchangeHelper: any ReadyExchangeHelper, _ turns: HelperQuota, _ user: UInt32) {
    self.exchangeHelper = exchangeHelper
    self.turns = turns
    self.user = user
  }

  deinit { giveBack() }

  private func giveBack() {
    let isDue = isTaken.withLock { isTaken in
      defer { isTaken = false }
      return isTaken
    }
    if isDue { turns.giveBack(of: user, .pressing) }
  }

  func connect(_ request: ProviderRequest, terms: ExchangeTerms, delivery: AnswerDelivery?) {
    exchangeHelper.connect(request, terms: terms, delivery: delivery)
  }

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    // Later requests of the same call, such as a fetch of keys, need turns of their own.
    defer { giveBack() }
    return await exchangeHelper.perform(request, terms: terms, delivery: delivery)
  }
}

/// The presence checks of one user, who shares the presence helpers with all other users.
struct SharedPresence: PresenceChecker {
  let check: any PresenceChecker
  let shares: HelperShares
  let user: UInt32

  func prepare() async -> (any PreparedCheck)? {
    // It does not wait for a turn, because a check without a prepared helper starts its own.
    guard shares.prepared.takeNow(for: user) else { return nil }
    guard let program = await check.prepare() else {
      shares.prepared.giveBack(of: user, .pressing)
      return nil
    }
    return SharedPrepared(program: program, turns: shares.prepared, user: user)
  }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    try await check.start(attempt, of: caller)
  }

  func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation {
    try await check.enroll(request)
  }

  func delete(_ print: LoadedPrint) async -> PrintDeletion {
    _ = await shares.questions.take(for: user, .pressing)
    defer { shares.questions.giveBack(of: user, .pressing) }
    return await check.delete(print)
  }

  func reader() async -> ReaderFacts {
    guard await shares.questions.take(for: user, .passing) else {
      let why = "the caller no longer waits"
      return ReaderFacts(available: false, name: nil, driver: nil, reason: why)
    }
    defer { shares.questions.giveBack(of: user, .passing) }
    return await check.reader()
  }

  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    _ = await shares.questions.take(for: user, .pressing)
    defer { shares.questions.giveBack(of: user, .pressing) }
    return try await check.desktopFingers(of: caller)
  }

  func desktopView(of caller: Caller) async throws(PresenceFailure) -> DesktopView {
    _ = await shares.questions.take(for: user, .pressing)
    defer { shares.questions.giveBack(of: user, .pressing) }
    return try await check.desktopView(of: caller)
  }
}

/// A helper that waits for its check.
///
/// It counts until it is used or ended.
private final class SharedPrepared: PreparedCheck {
  private let program: any PreparedCheck
  private let turns: HelperQuota
  private let user: UInt32
  private let isCounted = Atomic(true)

  init(program: any PreparedCheck, turns: HelperQuota, user: UInt32) {
    self.program = program
    self.turns = turns
    self.user = user
  }

  deinit { giveBack() }

  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    try await program.desktopFingers(of: caller)
  }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    giveBack()
    return try await program.start(attempt, of: caller)
  }

  func end() {
    giveBack()
    program.end()
  }

  private func giveBack() {
    guard isCounted.exchange(false, ordering: .acquiringAndReleasing) else { return }
    turns.giveBack(of: user, .pressing)
  }
}
