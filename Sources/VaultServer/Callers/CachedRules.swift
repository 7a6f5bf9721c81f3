internal import Configuration
internal import System
internal import TokenVault

/// The machine's rules as they were found last.
struct CachedRules {
  /// How long they are used, in nanoseconds.
  private static let freshness: Int64 = 100_000_000
  private var found: Result<[NamedRule], VaultFailure>?
  private var until: Int64 = 0

  /// The rules that were found less than 100 ms ago; otherwise those that `look` finds now.
  mutating func result(
    at now: BootInstant,
    _ look: () throws(VaultFailure) -> [NamedRule]
  ) -> Result<[NamedRule], VaultFailure> {
    if let found, now.nanoseconds < until { return found }
    let result = Result(catching: look)
    (found, until) = (result, now.nanoseconds + Self.freshness)
    return result
  }
}
