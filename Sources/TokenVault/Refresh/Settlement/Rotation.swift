internal import Configuration
internal import SecretMemory
internal import Storage

/// The effect of an answer on the refresh token of an account.
enum Rotation {
  /// It has no refresh token, or the one that was sent.
  case none
  /// It has a different refresh token.
  case another
  /// It has a refresh token, and the one that was sent is not known.
  case unknown

  var changesBox: Bool {
    switch self {
    case .none: false
    case .another, .unknown: true
    }
  }
}

/// Whether a provider replaces the refresh token at each refresh.
enum Steadiness {
  case kept
  case replaced
  case unknown
}

extension Vault {
  /// Seals a new refresh token into the row; without one the box stays as it is.
  ///
  /// - Parameters:
  ///   - row: the account as it will be.
  ///   - token: the refresh token of the answer.
  ///   - settlement: the exchange.
  /// - Returns: the effect on the refresh token.
  /// - Throws: `vaultUnsafe` if it cannot be sealed.
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

  // A provider's answers show whether it replaces refresh tokens. The last answer since the sign-in
  // counts. The store keeps the generation whose token a refresh left unchanged, or 0 if the
  // refresh replaced it; no token has the generation 0. This hint is not authenticated: a forged
  // one gives no token to any program, it only lets two holders lock each other out.
  private static var replaced: Int64 { 0 }

  private static func steadyKey(_ account: [UInt8]) -> String {
    "steady:" + Hexadecimal.text(account)
  }

  /// Notes what a refresh has shown, inside its transaction.
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

  /// Forgets the notes about a refresh token, inside the transaction that replaces it.
  func forgetSteadiness(of account: [UInt8]) throws(StorageError) {
    try forgetUnclearAnswer(of: account)
    try forgetConsent(of: account)
    try store.setMeta(Self.steadyKey(account), to: nil)
  }

  private func knownSteadiness(of account: AccountRow) throws(VaultFailure) -> Int64? {
    let known = try stored(try store.meta(Self.steadyKey(account.id)))
    return known.flatMap { bytes in
      bytes.count == 8 ? bytes.reduce(0) { $0 << 8 | Int64($1) } : nil
    }
  }

  /// What the answers of an account's provider have shown of its refresh token.
  func steadiness(of account: AccountRow) throws(VaultFailure) -> Steadiness {
    switch try knownSteadiness(of: account) {
    case account.generation: .kept
    case Self.replaced: .replaced
    default: .unknown
    }
  }

  /// Whether a refresh has shown that the provider keeps the refresh token.
  func isKnownSteady(_ account: AccountRow) throws(VaultFailure) -> Bool {
    try steadiness(of: account) == .kept
  }

  /// Refuses a second holder, unless it is known that neither locks the other out.
  func demandSteadiness(of account: AccountRow, _ provider: Provider) throws(VaultFailure) {
    guard provider.refreshReuse != .revokes else {
      throw .refused(
        "--keep: \(provider.name.text) treats a refresh token that is used twice as stolen"
          + " (refresh_reuse = revokes); leave out --keep"
      )
    }
    switch try steadiness(of: account) {
    case .kept: return
    case .replaced:
      throw .refused(
        "--keep: \(account.name)'s provider replaces refresh tokens, so two holders would lock each"
          + " other out; leave out --keep"
      )
    case .unknown:
      let token = "thumblatch token \(account.name)"
      throw .refused(
        "--keep: whether \(account.name)'s provider replaces refresh tokens is not known yet:"
          + " refresh once (\(token) | \(token) --rejected), or leave out --keep"
      )
    }
  }
}
