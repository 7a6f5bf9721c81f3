public import System

/// The time after a presence check in which no new one is asked.
///
/// Held in memory only, measured by CLOCK_BOOTTIME: setting the clock back does not lengthen it,
/// suspend counts, and a restart of the engine or the machine ends it.
public struct UnlockWindow: Sendable, Equatable {
  /// How long a window that slides stays open after its last use, in seconds.
  public static let slidingLength: Int64 = 10 * 60
  /// The longest that any window stays open, in seconds.
  public static let hardLimit: Int64 = 12 * 60 * 60

  /// The accounts that it covers (their identifiers); nil for all.
  public private(set) var accounts: Set<[UInt8]>?
  private let slides: Bool
  private let slidingLength: Int64
  private let end: BootInstant
  private var pauseEnd: BootInstant

  /// Opens a window; only for someone who has just spent a proof for `unlock`.
  ///
  /// - Parameters:
  ///   - accounts: their identifiers; nil for all.
  ///   - seconds: a fixed length, at most `limit`; nil slides.
  ///   - sliding: how long it stays open after its last use, in seconds.
  ///   - limit: the longest that it stays open, in seconds: at most `hardLimit`.
  ///   - origin: what spending the proof returned: a window must not open another window.
  ///   - now: the moment of opening.
  public init?(
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
  public func isOpen(at now: BootInstant) -> Bool { now < pauseEnd }

  /// Whether it is open for an account.
  public func covers(_ account: [UInt8], at now: BootInstant) -> Bool {
    isOpen(at: now) && (accounts?.contains(account) ?? true)
  }

  /// Whether it is for all of these accounts; nil: for each that there is.
  public func isFor(_ wanted: Set<[UInt8]>?) -> Bool {
    guard let accounts else { return true }
    return wanted?.isSubset(of: accounts) ?? false
  }

  /// The same for one account more; it closes when it would have closed.
  func including(_ account: [UInt8]) -> UnlockWindow {
    var window = self
    window.accounts?.insert(account)
    return window
  }

  /// When it closes if nothing happens.
  public var closing: BootInstant { pauseEnd }

  /// Seconds until it closes if nothing happens.
  public func secondsLeft(at now: BootInstant) -> Int64 { max(0, pauseEnd.seconds(since: now)) }

  /// A proof for one refresh of an account that the window covers, or nil.
  ///
  /// A use by a person's request moves the end of a sliding window; refreshing ahead must not.
  public mutating func proof(
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
