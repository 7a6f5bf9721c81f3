internal import Storage
internal import Synchronization
internal import System

// The token cache. A valid token is often requested again and again. The cache answers such a call
// without a turn of the actor and without a look at the store. It holds the tokens that the actor
// has just handed out. They are removed before their account changes.

/// A token that may be handed out again as long as nothing has changed.
final class TokenAtHand: Sendable {
  let account: String
  let row: AccessTokenRow
  /// The file of the front as it was found to be right; `nil` if the front has none.
  let file: TokenFileStamp?
  /// The answer as it goes over the wire, once it has been made.
  fileprivate let message = Mutex<[UInt8]?>(nil)
  /// The rules for sending the token, once a caller has asked for them.
  fileprivate let terms = Mutex<TermsAtHand?>(nil)

  init(_ account: String, _ row: AccessTokenRow, _ file: TokenFileStamp?) {
    self.account = account
    self.row = row
    self.file = file
  }
}

/// The identity of a token's file for the front, and the clocks at which it was found to be right.
struct TokenFileStamp: Sendable {
  let stamp: FileStamp
  /// The wall clock minus the time since boot, in seconds.
  let clocks: Int64

  func agrees(with other: TokenFileStamp) -> Bool {
    // Both clocks are in whole seconds, so their difference can vary by one.
    stamp == other.stamp && abs(clocks - other.clocks) <= 1
  }
}

/// The rules for sending a token, as they were found, or encoded for the wire.
private enum TermsAtHand: Sendable {
  case found(RequestTerms)
  case message([UInt8])
}

/// The token cache: at most one token of each account.
final class TokenCache: Sendable {
  private struct Content {
    /// By the account's name.
    var tokens: [String: TokenAtHand] = [:]
    /// The name of an account's entry, by the account's id.
    var names: [[UInt8]: String] = [:]

    mutating func remove(_ account: [UInt8]) {
      if let name = names.removeValue(forKey: account) { tokens[name] = nil }
    }
  }

  private let content = Mutex(Content())

  func find(_ name: String) -> TokenAtHand? {
    content.withLock { $0.tokens[name] }
  }

  func put(_ token: TokenAtHand) {
    content.withLock { content in
      content.remove(token.row.account)
      content.tokens[token.account] = token
      content.names[token.row.account] = token.account
    }
  }

  /// Removes the tokens of these accounts.
  func takeBack(_ accounts: Set<[UInt8]>) {
    guard !accounts.isEmpty else { return }
    content.withLock { content in
      for account in accounts { content.remove(account) }
    }
  }

  func takeAllBack() {
    content.withLock { $0 = Content() }
  }
}

/// An answer from the token cache.
package struct GrantAtHand: Sendable {
  private let token: TokenAtHand
  /// The answer, as `accessToken` would give it.
  package let grant: AccessGrant

  init(_ token: TokenAtHand, isShorterThanRequested: Bool) {
    self.token = token
    grant = AccessGrant(token.account, token.row, isShorterThanRequested: isShorterThanRequested)
  }

  /// The answer in the format of a wire, which is made once and kept with the token.
  package func message(_ make: (AccessGrant) -> [UInt8]?) -> [UInt8]? {
    guard !grant.isShorterThanRequested else { return make(grant) }
    return token.message.withLock { message in
      if message == nil { message = make(grant) }
      return message
    }
  }
}

extension Vault {
  /// The most bytes of certificate authorities that are kept with a token.
  private static let longestAuthorityAtHand = 8 * 1024

  /// The answer of `accessToken` from the cache, without waiting for the actor.
  ///
  /// It is the usual access token of an account: handed out before, still valid, and of an account
  /// that has not changed since. It is right at the moment of the call: each change that makes it
  /// wrong removes it before the commit.
  ///
  /// - Parameters:
  ///   - name: the account.
  ///   - minimumLifetime: in seconds.
  ///   - isRecorded: whether the call states a reason that is recorded.
  ///   - tool: the tool whose helper the caller is, looked up if there is a token for it; `nil` for
  ///     another program.
  /// - Returns: `nil` if `accessToken` has to be called. Examples are a call that names no account,
  ///   a call that gets a record of its own, and a suspicious repeat of a tool.
  package nonisolated func cachedAccessToken(
    account name: String?,
    minimumLifetime: Int64?,
    isRecorded: Bool = false,
    tool: @autoclosure () -> Tool? = nil
  ) -> GrantAtHand? {
    guard let name, !hasLostItsStore, (minimumLifetime ?? 0) >= 0,
      (minimumLifetime ?? 0) <= Self.longestWish, let found = tokenCache.find(name)
    else { return nil }
    let now = clock.wall
    let row = found.row
    guard now.seconds >= row.storedAt else { return nil }
    let left = row.end - now.seconds
    let wanted = max(leastLifetime, minimumLifetime ?? leastLifetime)
    guard row.serves(wanted, left: left) else { return nil }
    // The front's file may be missing or wrong since: the actor then checks it, and writes it
    // again.
    if let file = found.file, fileStamp(of: found.account)?.agrees(with: file) != true {
      return nil
    }
    if isRecorded, !countReasonWithoutRecord(of: row.account) { return nil }
    let answer = GrantAtHand(found, isShorterThanRequested: left < wanted)
    guard let tool = tool() else { return answer }
    let boot = clock.boot
    let isUsual = helperHandouts.withLock {
      $0.noteUnlessSuspicious(answer.grant.accessToken, of: row.account, to: tool, at: boot)
    }
    return isUsual ? answer : nil
  }

  /// The answer of `requestTerms` from the cache, encoded, without waiting for the actor.
  ///
  /// The cache keeps it with the usual token of its account, and removes it with that token.
  ///
  /// - Parameters:
  ///   - name: the account.
  ///   - make: encodes the answer, once.
  /// - Returns: `nil` if `requestTerms` has to be called.
  package nonisolated func cachedTerms(
    account name: String?,
    _ make: (RequestTerms) -> [UInt8]?
  ) -> [UInt8]? {
    guard let name, !hasLostItsStore, let token = tokenCache.find(name) else { return nil }
    return token.terms.withLock { kept in
      switch kept {
      case nil: return nil
      case .message(let message): return message
      case .found(let terms):
        let message = make(terms)
        kept = message.map { .message($0) }
        return message
      }
    }
  }

  /// Keeps rules that were found just now with the token of their account.
  func putAtHand(_ terms: RequestTerms, of account: AccountRow) {
    guard (terms.exchange.certificateAuthority?.utf8.count ?? 0) <= Self.longestAuthorityAtHand,
      let token = tokenCache.find(account.name), token.row.account == account.id
    else { return }
    token.terms.withLock { $0 = .found(terms) }
  }

  /// Caches the usual token of an account, which has just been handed out from the store.
  ///
  /// It is not cached while a caller has not yet learned of scopes that it lacks.
  func putAtHand(_ account: AccountRow, _ row: AccessTokenRow) {
    guard !handedOut.hasUngranted(TokenCacheKey(row)) else { return }
    let file = fileStamp(of: account.name)
    // If the file could not be written, the next call tries that again.
    guard file != nil || directory.tokens == nil else { return }
    tokenCache.put(TokenAtHand(account.name, row, file))
  }

  /// The front's file as it is now; `nil` if there is none.
  private nonisolated func fileStamp(of account: String) -> TokenFileStamp? {
    guard let stamp = try? TokenFiles.stamp(account: account, in: directory) else { return nil }
    let boot = clock.boot.nanoseconds / 1_000_000_000
    return TokenFileStamp(stamp: stamp, clocks: clock.wall.seconds - boot)
  }
}

extension AccessTokenRow {
  /// The end of its life, in seconds since 1970, stated or assumed.
  var end: Int64 { expiresAt ?? storedAt + assumedLifetime }

  /// Whether it serves a caller that wants it to live for `wanted` seconds, with `left` seconds to
  /// go.
  func serves(_ wanted: Int64, left: Int64) -> Bool {
    guard left >= leastLifetime else { return false }
    let issued = max(0, end - storedAt)
    // A provider that never gives as much as requested is not asked again each time.
    let isBest = issued < wanted && left >= issued / 2
    return left >= wanted || isBest
  }
}
