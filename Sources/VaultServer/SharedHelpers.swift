internal import OAuth
internal import Presence
internal import Synchronization
internal import TokenVault

/// How many helpers the service has at work at once: fewer than its sockets allow (MaxConnections), so
/// that none is turned away by the service manager, and its own threads are enough (TasksMax).
struct HelperShares: Sendable {
  /// Requests to providers.
  let exchanges = HelperTurns(each: 8, all: 128)
  /// Questions to the reader, and for a desktop's fingers; not checks, of which a vault has few.
  let questions = HelperTurns(each: 4, all: 32)
}

/// The requests of one user, who shares the couriers with all others.
struct SharedExchange: TokenExchange {
  let exchange: any TokenExchange
  let turns: HelperTurns
  let user: UInt32

  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply {
    // One that brings tokens waits for as long as it takes: it was written down that it begins.
    let purpose: HelperTurns.Purpose = delivery == nil ? .passing : .pressing
    guard await turns.take(for: user, purpose) else {
      return .notSent(reason: "nobody waits for it any more")
    }
    defer { turns.giveBack(of: user, purpose) }
    return await exchange.perform(request, terms: terms, delivery: delivery)
  }
}

/// The presence checks of one user, who shares the programs that ask with all others.
struct SharedPresence: PresenceCheck {
  let check: any PresenceCheck
  let turns: HelperTurns
  let user: UInt32

  func fingerprint(
    _ prints: [LoadedPrint],
    desktop: DesktopFingers?,
    of caller: Caller,
    seconds: Int64
  ) async throws(PresenceOutcome) -> any CheckConversation {
    try await check.fingerprint(prints, desktop: desktop, of: caller, seconds: seconds)
  }

  func password(
    of caller: Caller,
    seconds: Int64
  ) async throws(PresenceOutcome) -> any CheckConversation {
    try await check.password(of: caller, seconds: seconds)
  }

  func enroll(
    finger: String,
    seconds: Int64
  ) async throws(PresenceOutcome) -> any EnrollmentConversation {
    try await check.enroll(finger: finger, seconds: seconds)
  }

  func reader() async -> ReaderFacts {
    guard await turns.take(for: user, .passing) else {
      let why = "nobody waits for it any more"
      return ReaderFacts(available: false, name: nil, driver: nil, reason: why)
    }
    defer { turns.giveBack(of: user, .passing) }
    return await check.reader()
  }

  func desktopFingers(of caller: Caller) async throws(PresenceOutcome) -> DesktopFingers? {
    _ = await turns.take(for: user, .pressing)
    defer { turns.giveBack(of: user, .pressing) }
    return try await check.desktopFingers(of: caller)
  }
}
