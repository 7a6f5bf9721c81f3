internal import Configuration
internal import Storage
internal import System

// The retry rule of a refresh whose answer was lost: with the exchange helper ended nobody holds
// token n+1, so sending n once more can only cost the access tokens that are still valid.
// `refresh_reuse = retry`: soon. `revokes`: once they have expired. Never sooner than 2 s, doubling to
// 10 min, by CLOCK_BOOTTIME. 5xx never ends it; `invalid_grant` to a retry is "login required", cause
// "answer lost". A refusal that says nothing is taken for a fault: one try in 10 min. The second one
// with an empty answer is believed (`EmptyRefusal.swift`).
//
// A provider that says 429 to a first try has not taken the token: there is no doubt, and no intent
// stays. When it wants to be asked again is kept in memory alone.
extension Vault {
  /// The longest that a 429 is remembered, in seconds.
  static let longestRetryAfter: Int64 = 3600

  /// The provider does not want to be asked for a while, which it may have named.
  func noteRetryAfter(_ wait: Int?, of account: [UInt8]) {
    guard let wait, wait > 0 else { return }
    let seconds = min(Int64(wait), Self.longestRetryAfter)
    refreshes.noteRetryAfter(clock.boot.advanced(bySeconds: seconds), of: account)
  }

  /// Refuses a refresh or a retry that would come too soon.
  func demandRetryAfter(_ intent: IntentRow?, of account: AccountRow) throws(VaultFailure) {
    if let wait = refreshes.retryWait(of: account.id, at: clock.boot) {
      throw .retryAfter(retryAfter: wait)
    }
    guard let intent, let wait = try retryWait(intent, of: account) else { return }
    if let status = try emptyRefusal(of: intent) {
      throw .unavailable(
        .refusedOnce,
        Self.refusedWithoutReason(status),
        retryAfter: wait,
        status: status
      )
    }
    throw .unavailable(
      .uncertain,
      "the answer to the last refresh of \(account.name) was lost",
      retryAfter: wait
    )
  }

  /// Seconds to wait before token n may be sent once more; nil: now.
  func retryWait(_ intent: IntentRow, of account: AccountRow) throws(VaultFailure) -> Int64? {
    guard intent.purpose == .refresh, intent.uncertain else { return nil }
    // A reboot does not shorten the wait: in another boot all of it counts from that boot's start.
    let end =
      intent.bootID == clock.bootIdentifier.bytes
      ? BootInstant(nanoseconds: intent.notBefore)
      : BootInstant(nanoseconds: 0).advanced(bySeconds: intent.waitSeconds)
    // Rounded up: whoever waits so long is not told to wait again.
    var wait = -clock.boot.seconds(since: end)
    if try provider(of: account).refreshReuse == .revokes,
      let left = try tokens(of: account).compactMap({ secondsLeft(of: $0) }).max()
    {
      // It may end the grant, and with it each access token that is still of use.
      wait = max(wait, left)
    }
    return wait > 0 ? wait : nil
  }
}

extension VaultFailure {
  /// The provider has said 429; how long it wants to be left alone, in seconds, where it said so.
  static func retryAfter(retryAfter wait: Int64?) -> VaultFailure {
    .providerUnavailable("the provider asks for patience (429)", retryAfter: wait, status: 429)
  }
}
