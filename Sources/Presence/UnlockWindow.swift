internal import PresenceTerms
package import System

/// The time after a presence check in which no further check is needed.
///
/// It is kept only in memory and measured by CLOCK_BOOTTIME. Setting the clock back does not
/// lengthen it, suspend counts, and a restart of the engine or the machine ends it.
package struct UnlockWindow: Sendable, Equatable {
  /// How long a sliding window stays open after its last use, in seconds.
  package static let slidingLength: Int64 = 10 * 60
  /// The longest time of any window, in seconds.
  package static let hardLimit: Int64 = 12 * 60 * 60

  /// The identifiers of the covered accounts; `nil` for all.
  package private(set) var accounts: Set<[UInt8]>?
  private let slides: Bool
  private let slidingLength: Int64
  private let end: BootInstant
  private var pauseEnd: BootInstant

  /// Opens a window; only for a caller that has just spent a proof for `unlock`.
  ///
  /// - Parameters:
  ///   - accounts: the identifiers; `nil` for all.
  ///   - seconds: a fixed length, at most `limit`; `nil` for a sliding window.
  ///   - sliding: how long it stays open after its last use, in seconds.
  ///   - limit: the longest time, in seconds: at most `hardLimit`.
  ///   - origin: the result of spending the proof; a window must not open another window.
  ///   - now: the moment of opening.
  package init?(
    accounts: Set<[UInt8]>?,
    seconds: Int64?,
    sliding: Int64 = Self.slidingLength,
    limit: Int64 = Self.hardLimit,
    provenBy origin: PresenceProof.Origin,
    at now: BootInstant
  ) {
    guard case .check = origin else { return nil }
    self.accounts = accounts
    slides = seconds == nil
    slidingLength = sliding
    let most = min(limit, Self.hardLimit)
    end = now.advanced(bySeconds: min(max(0, seconds ?? most), most))
    pauseEnd = slides ? min(end, now.advanced(bySeconds: sliding)) : end
  }

  /// Whether it is open at all.
  package func isOpen(at now: BootInstant) -> Bool { now < pauseEnd }

  /// Whether it is open for an account.
  package func covers(_ account: [UInt8], at now: BootInstant) -> Bool {
    isOpen(at: now) && (accounts?.contains(account) ?? true)
  }

  /// Whether it covers all of these accounts; `nil` means every account.
  package func isFor(_ wanted: Set<[UInt8]>?) -> Bool {
    guard let accounts else { return true }
    return wanted?.isSubset(of: accounts) ?? false
  }

  /// The same window with one more account; the closing time stays.
  func including(_ account: [UInt8]) -> UnlockWindow {
    var window = self
    window.accounts?.insert(account)
    return window
  }

  /// When it closes without further use.
  package var closing: BootInstant { pauseEnd }

  /// Seconds until it closes without further use.
  package func secondsLeft(at now: BootInstant) -> Int64 { max(0, pauseEnd.seconds(since: now)) }

  /// A proof for one refresh of a covered account, or `nil`.
  ///
  /// A use for a caller moves the end of a sliding window. A refresh ahead of time must not.
  package mutating func proof(
    account: [UInt8],
    connection: UInt64,
    at now: BootInstant,
    extending: Bool
  ) -> PresenceProof? {
    guard covers(account, at: now) else { return nil }
    if slides && extending {
      pauseEnd = min(end, now.advanced(bySeconds: slidingLength))
    }
    return PresenceProof(
      origin: .unlockWindow,
      purpose: .refresh,
      account: account,
      connection: connection,
      deadline: pauseEnd
    )
  }
}
