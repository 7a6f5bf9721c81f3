internal import Storage

/// The tokens that were handed out, and those that wait to be.
struct HandedOutTokens {
  private let cache: TokenCache
  /// When the tokens were stored that were handed out from the store.
  private(set) var uses: [TokenCacheKey: Int64] = [:]
  /// The access tokens whose ID token cannot be judged yet, by account.
  private(set) var unchecked: [[UInt8]: UncheckedToken] = [:]
  /// The scopes that were not granted, until a caller that gets the token has learned of them.
  private var ungranted: [TokenCacheKey: String] = [:] {
    didSet { if ungranted != oldValue { cache.takeAllBack() } }
  }

  init(cache: TokenCache) { self.cache = cache }

  /// Notes that a stored token was handed out, so that it is in use.
  ///
  /// A token that has just come does not count: it may have been wanted once.
  mutating func noteUse(of row: AccessTokenRow) { uses[TokenCacheKey(row)] = row.storedAt }

  /// Whether the token was handed out since it was stored.
  func isUsed(_ row: AccessTokenRow) -> Bool { uses[TokenCacheKey(row)] == row.storedAt }

  // MARK: - Ungranted scopes

  func hasUngranted(_ key: TokenCacheKey) -> Bool { ungranted[key] != nil }

  mutating func noteUngranted(_ scopes: String?, _ key: TokenCacheKey) { ungranted[key] = scopes }

  /// The missing scopes that are reported to the next caller, and to no other.
  mutating func takeUngranted(_ key: TokenCacheKey) -> String? {
    ungranted.removeValue(forKey: key)
  }

  mutating func forgetUngranted(of account: [UInt8]) {
    ungranted = ungranted.filter { $0.key.account != account }
  }

  // MARK: - Unchecked tokens

  mutating func keepUnchecked(_ token: UncheckedToken, of account: [UInt8]) {
    unchecked[account] = token
  }

  mutating func dropUnchecked(of account: [UInt8]) { unchecked[account] = nil }

  /// Forgets the tokens of an account whose login has ended.
  mutating func forget(_ account: [UInt8]) {
    unchecked[account] = nil
    uses = uses.filter { $0.key.account != account }
    forgetUngranted(of: account)
  }
}

// How other folders reach the tokens.
extension Vault {
  /// Whether the token was handed out from the store since it was stored.
  func isHandedOut(_ row: AccessTokenRow) -> Bool { handedOut.isUsed(row) }

  /// The access token of an account whose ID token cannot be judged yet.
  func uncheckedToken(of account: [UInt8]) -> UncheckedToken? { handedOut.unchecked[account] }

  func keepUnchecked(_ token: UncheckedToken, of account: [UInt8]) {
    handedOut.keepUnchecked(token, of: account)
  }

  func dropUnchecked(of account: [UInt8]) { handedOut.dropUnchecked(of: account) }

  /// Forgets the tokens of an account whose login has ended.
  func forgetHandedOut(of account: [UInt8]) { handedOut.forget(account) }
}
