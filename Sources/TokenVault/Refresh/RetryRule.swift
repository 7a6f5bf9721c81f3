internal import Configuration
internal import Storage
internal import System

// The retry rule of a refresh whose answer was lost. The exchange helper has ended, so no process
// holds token n+1. Sending token n again can at most end access tokens that are still valid. With
// `refresh_reuse = retry` it is sent again soon, with `revokes` once they have expired. The wait is
// 2 s and doubles up to 10 minutes, by CLOCK_BOOTTIME. 5xx never ends the retries. `invalid_grant`
// to a retry means "login required" with the cause "answer lost". A refusal without a reason counts
// as a fault, and is tried again after 10 minutes. The second refusal with an empty answer counts
// (`UnclearAnswer.swift`).
//
// A refusal with an error that is not known makes the account wait by the same rule. No answer was
// lost, so the retry is no second use, and a call that names a refused access token may try at
// once.
//
// A provider that answers 429 to a first try has not used the token. There is no doubt, so no
// intent is kept. The time of the next try is only in memory.
extension Vault {
  /// The longest that a 429 is remembered, in seconds.
  static let longestRetryAfter: Int64 = 3600

  /// Notes for how long a provider wants no requests, if it said so.
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
    let answer = try unclearAnswer(to: intent)
    let provider = try? provider(of: account)
    let lost = "the answer to the last refresh of \(account.name) was lost"
    throw .unavailable(
      answer,
      answer.map { answer in provider.map(answer.advice(for:)) ?? answer.text } ?? lost,
      retryAfter: wait
    )
  }

  /// Seconds until token n may be sent again; `nil` if it may be now.
  func retryWait(_ intent: IntentRow, of account: AccountRow) throws(VaultFailure) -> Int64? {
    guard intent.purpose == .refresh, intent.uncertain else { return nil }
    // A reboot does not shorten the wait: in another boot the whole wait counts from its start.
    let end =
      intent.bootID == clock.bootIdentifier.bytes
      ? BootInstant(nanoseconds: intent.notBefore)
      : BootInstant(nanoseconds: 0).advanced(bySeconds: intent.waitSeconds)
    // Rounded up, so that a caller that waits so long need not wait again.
    var wait = -clock.boot.seconds(since: end)
    if try !leavesNoDoubt(intent),
      try provider(of: account).refreshReuse == .revokes,
      let left = try tokens(of: account).compactMap({ secondsLeft(of: $0) }).max()
    {
      // The retry may end the grant, and with it each access token that is still valid.
      wait = max(wait, left)
    }
    return wait > 0 ? wait : nil
  }
}

extension VaultFailure {
  /// The new token has no lifetime left.
  static let expiredOnArrival = providerUnavailable(
    "the provider gave a token that has expired (its expires_in is 0 or too short)"
  )

  /// The provider answered 429, perhaps with the number of seconds to wait.
  static func retryAfter(retryAfter wait: Int64?) -> VaultFailure {
    .providerUnavailable("the provider asks to wait (429)", retryAfter: wait, status: 429)
  }
}
