internal import Storage
internal import Synchronization
internal import System

// A valid token is most often asked for again and again: it is then answered without a turn of the
// actor and without a look at the store. What is at hand is what the actor has just handed out, and
// is taken back before its account changes.

/// A token that may be handed out again as long as nothing has changed.
final class TokenAtHand: Sendable {
  let account: String
  let row: AccessTokenRow
  /// The file of the front as it was found to be right; `nil` if the front has none.
  let file: TokenFileMark?
  /// The answer as it goes over the wire, once somebody has made it.
  fileprivate let message = Mutex<[UInt8]?>(nil)

  init(_ account: String, _ row: AccessTokenRow, _ file: TokenFileMark?) {
    self.account = account
    self.row = row
    self.file = file
  }
}

/// The front's file of a token: which one it is, and by which clocks it was found to be right.
struct TokenFileMark: Sendable {
  let stamp: FileStamp
  /// By how much the wall clock stands before the time since boot, in seconds.
  let clocks: Int64

  func agrees(with other: TokenFileMark) -> Bool {
    // Seconds of two clocks: their difference is the one or the other of two neighbours.
    stamp == other.stamp && abs(clocks - other.clocks) <= 1
  }
}

/// The tokens that may be handed out again: at most one of an account.
final class TokensAtHand: Sendable {
  private struct Content {
    /// By the name of the account.
    var tokens: [String: TokenAtHand] = [:]
    /// The name under which the token of an account stands, by the account's id.
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

  /// Takes the tokens of these accounts back.
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

/// An answer from what is at hand.
public struct GrantAtHand: Sendable {
  private let token: TokenAtHand
  /// The answer, as `accessToken` would give it.
  public let grant: AccessGrant

  init(_ token: TokenAtHand, isShorterThanRequested: Bool) {
    self.token = token
    let row = token.row
    grant = AccessGrant(
      account: token.account,
      accessToken: row.token,
      tokenType: row.tokenType,
      expiresAt: row.expiresAt,
      isShorterThanRequested: isShorterThanRequested,
      scope: row.grantedScope
    )
  }

  /// The answer in the words of a wire, which are made once and kept with the token.
  public func message(_ make: (AccessGrant) -> [UInt8]?) -> [UInt8]? {
    guard !grant.isShorterThanRequested else { return make(grant) }
    return token.message.withLock { message in
      if message == nil { message = make(grant) }
      return message
    }
  }
}

extension Vault {
  /// The usual access token of an account, where it was handed out before, the account has not changed
  /// since, and it is still valid: what `accessToken` would answer, without waiting for its turn.
  ///
  /// It is right at the moment of the call: whatever makes it wrong takes it back before it is
  /// committed.
  ///
  /// - Parameters:
  ///   - name: the account; which one is the default has to be looked up.
  ///   - minimumLifetime: in seconds.
  /// - Returns: `nil` if `accessToken` has to be asked.
  public nonisolated func tokenAtHand(
    account name: String?,
    minimumLifetime: Int64?
  ) -> GrantAtHand? {
    guard let name, !hasLostItsStore, (minimumLifetime ?? 0) >= 0,
      (minimumLifetime ?? 0) <= Self.longestWish, let found = tokensAtHand.find(name)
    else { return nil }
    let now = clock.wall
    let row = found.row
    guard now.seconds >= row.storedAt else { return nil }
    let left = row.end - now.seconds
    let wanted = max(leastLifetime, minimumLifetime ?? leastLifetime)
    guard row.serves(wanted, left: left) else { return nil }
    // The front's file may be gone or wrong since: the actor looks, and stamps it anew.
    if let file = found.file, fileMark(of: found.account)?.agrees(with: file) != true { return nil }
    return GrantAtHand(found, isShorterThanRequested: left < wanted)
  }

  /// Puts at hand what is just handed out from the store, as the usual token of an account.
  ///
  /// Not where somebody has yet to be told of scopes that it lacks.
  func putAtHand(_ account: AccountRow, _ row: AccessTokenRow) {
    guard narrowings[TokenPlace(row)] == nil else { return }
    let file = fileMark(of: account.name)
    // What could not be written there is tried again by the next who asks.
    guard file != nil || directory.tokens == nil else { return }
    tokensAtHand.put(TokenAtHand(account.name, row, file))
  }

  /// The front's file as it is now; `nil` if there is none.
  private nonisolated func fileMark(of account: String) -> TokenFileMark? {
    guard let stamp = try? TokenFile.stamp(account: account, in: directory) else { return nil }
    let boot = clock.boot.nanoseconds / 1_000_000_000
    return TokenFileMark(stamp: stamp, clocks: clock.wall.seconds - boot)
  }
}

extension AccessTokenRow {
  /// When it ends, in seconds since 1970, stated or assumed.
  var end: Int64 { expiresAt ?? storedAt + assumedLifetime }

  /// Whether it is handed out to one who wants it to live for so long, with so much left of it.
  func serves(_ wanted: Int64, left: Int64) -> Bool {
    guard left >= leastLifetime else { return false }
    let issued = max(0, end - storedAt)
    // A provider that never gives as much as is asked for is not asked again and again.
    let isBest = issued < wanted && left >= issued / 2
    return left >= wanted || isBest
  }
}
