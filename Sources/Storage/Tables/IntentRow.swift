/// That an exchange with the provider was about to be begun, and is not known to have ended.
public struct IntentRow: Sendable, Equatable {
  /// What is asked of the provider.
  public enum Purpose: String, Sendable, CaseIterable {
    case refresh
    case login
    case register
  }

  /// The account's sixteen bytes; an account has one intent at most.
  public var account: [UInt8]
  /// Thirty-two random bytes, from which the one-use key of the slot is derived.
  public var intent: [UInt8]
  /// What is asked of the provider.
  public var purpose: Purpose
  /// The generation of the refresh token that is sent.
  public var generation: Int64
  /// When it was begun, in seconds since 1970.
  public var startedAt: Int64
  /// The boot in which `bootInstant` and `notBefore` have a meaning: sixteen bytes.
  public var bootID: [UInt8]
  /// When it was begun, in nanoseconds of CLOCK_BOOTTIME.
  public var bootInstant: Int64
  /// How often it was tried.
  public var attempts: Int64
  /// Not to be tried again before this instant of CLOCK_BOOTTIME, in nanoseconds.
  public var notBefore: Int64
  /// The length of that wait, in seconds, which starts anew in another boot.
  public var waitSeconds: Int64
  /// The exchange has ended, and nobody knows what became of the token that was sent.
  public var uncertain: Bool
  /// What the engine needs besides to finish it; opaque here.
  public var context: [UInt8]

  /// Makes a row: a fresh intent is certain, and may be tried at once.
  public init(
    account: [UInt8],
    intent: [UInt8],
    purpose: Purpose,
    generation: Int64,
    startedAt: Int64,
    bootID: [UInt8],
    bootInstant: Int64,
    attempts: Int64 = 0,
    notBefore: Int64 = 0,
    waitSeconds: Int64 = 0,
    uncertain: Bool = false,
    context: [UInt8] = []
  ) {
    self.account = account
    self.intent = intent
    self.purpose = purpose
    self.generation = generation
    self.startedAt = startedAt
    self.bootID = bootID
    self.bootInstant = bootInstant
    self.attempts = attempts
    self.notBefore = notBefore
    self.waitSeconds = waitSeconds
    self.uncertain = uncertain
    self.context = context
  }
}
