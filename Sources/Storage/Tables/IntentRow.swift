/// A record that an exchange with the provider was started and is not known to have ended.
package struct IntentRow: Sendable, Equatable {
  /// The purpose of the request to the provider.
  package enum Purpose: String, Sendable, CaseIterable {
    case refresh
    case login
    case register
  }

  /// The account's sixteen bytes; an account has at most one intent.
  package var account: [UInt8]
  /// Thirty-two random bytes, the source of the one-use key of the slot.
  package var intent: [UInt8]
  /// The purpose of the request to the provider.
  package var purpose: Purpose
  /// The generation of the refresh token in the request.
  package var generation: Int64
  /// When the exchange started, in seconds since 1970.
  package var startedAt: Int64
  /// The boot in which `bootInstant` and `notBefore` are valid: sixteen bytes.
  package var bootID: [UInt8]
  /// When the exchange started, in nanoseconds of CLOCK_BOOTTIME.
  package var bootInstant: Int64
  package var attempts: Int64
  /// The earliest next attempt, in nanoseconds of CLOCK_BOOTTIME.
  package var notBefore: Int64
  /// The length of that wait in seconds; the wait starts again after a reboot.
  package var waitSeconds: Int64
  /// The exchange has ended, and it is not known whether the provider used the sent token.
  package var uncertain: Bool
  /// The engine's other data to finish the exchange; opaque here.
  package var context: [UInt8]

  /// Makes a row: a new intent is certain and may be tried at once.
  package init(
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
