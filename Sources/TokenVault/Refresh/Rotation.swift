internal import Configuration
internal import SecretMemory
internal import Storage

/// What an answer did to the refresh token of an account.
enum Rotation {
  /// Nothing: it brought none, or the one that was sent.
  case none
  /// Another took its place.
  case another
  /// It brought one, and nobody knows any more which one was sent; it took the other's place.
  case unknown

  /// Whether the account has another box now.
  var changesBox: Bool {
    switch self {
    case .none: false
    case .another, .unknown: true
    }
  }
}

extension Vault {
  /// Seals a new refresh token into the row; without one the old box stays as it is.
  ///
  /// - Parameters:
  ///   - row: the account as it will be.
  ///   - token: what the answer brought.
  ///   - settlement: the exchange.
  /// - Returns: what became of the token.
  /// - Throws: `vaultUnsafe` where it cannot be sealed.
  func rotate(
    _ row: inout AccountRow,
    to token: SharedSecret?,
    _ settlement: Settlement
  ) throws(VaultFailure) -> Rotation {
    guard let token else { return .none }
    let sent = settlement.sent
    if let sent, SecretBytes.constantTimeEqual(token.bytes, sent.bytes) { return .none }
    try sealNext(token.bytes, in: &row)
    return sent == nil ? .unknown : .another
  }

  // MARK: - What is known of the provider

  // Whether a provider replaces refresh tokens shows in what it answers. The last answer since the
  // sign-in counts: the generation whose token came through a refresh unchanged, or 0, which no
  // token has, where another took its place. It is a hint and not authenticated: a forged one lets
  // nobody have a token, it only has two holders lock each other out.
  private static var replaced: Int64 { 0 }

  private static func steadyKey(_ account: [UInt8]) -> String { "steady:" + hexadecimal(account) }

  /// Writes down what a refresh has shown, inside its transaction.
  func noteSteadiness(_ rotation: Rotation, of row: AccountRow) throws(StorageError) {
    let generation: Int64
    switch rotation {
    case .none: generation = row.generation
    case .another: generation = Self.replaced
    case .unknown: return try forgetSteadiness(of: row.id)
    }
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: generation >> (56 - 8 * Int64($0))) }
    try store.setMeta(Self.steadyKey(row.id), to: bytes)
  }

  /// Forgets it, inside the transaction after which it says nothing of the token.
  func forgetSteadiness(of account: [UInt8]) throws(StorageError) {
    try forgetEmptyRefusal(of: account)
    try forgetConsent(of: account)
    try store.setMeta(Self.steadyKey(account), to: nil)
  }

  private func knownSteadiness(of account: AccountRow) throws(VaultFailure) -> Int64? {
    let known = try stored(try store.meta(Self.steadyKey(account.id)))
    return known.flatMap { bytes in
      bytes.count == 8 ? bytes.reduce(0) { $0 << 8 | Int64($1) } : nil
    }
  }

  /// Whether a refresh has shown that the provider leaves the refresh token as it is.
  func isKnownSteady(_ account: AccountRow) throws(VaultFailure) -> Bool {
    try knownSteadiness(of: account) == account.generation
  }

  /// Refuses a second holder, unless it is known that neither would lock the other one out.
  func demandSteadiness(of account: AccountRow, _ provider: Provider) throws(VaultFailure) {
    guard provider.refreshReuse != .revokes else {
      throw .refused(
        "--keep: \(provider.name.text) takes a refresh token that is used twice for stolen"
          + " (refresh_reuse = revokes); leave out --keep"
      )
    }
    switch try knownSteadiness(of: account) {
    case account.generation: return
    case Self.replaced:
      throw .refused(
        "--keep: \(account.name)'s provider replaces refresh tokens, so two holders would lock each"
          + " other out; leave out --keep"
      )
    default:
      let token = "thumblatch token \(account.name)"
      throw .refused(
        "--keep: whether \(account.name)'s provider replaces refresh tokens is not known yet:"
          + " refresh once (\(token) | \(token) --rejected), or leave out --keep"
      )
    }
  }
}
