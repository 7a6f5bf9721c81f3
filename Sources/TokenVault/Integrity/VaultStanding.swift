/// Whether the store is the newest one, as far as its rollback mark can tell.
enum VaultStanding: Sendable, Equatable {
  /// The store and the mark fit each other.
  case current
  /// The mark has seen changes that this store knows nothing of.
  case olderThanMark
  /// The store has made changes that the mark should have seen.
  case newerThanMark
  /// The store has made changes, and there is no mark.
  case markMissing
  /// The mark is damaged, or no mark of this vault.
  case markDamaged
  /// The store does not hold the boxes, or the user's own rules, that it has counted.
  case boxesChanged

  /// What is answered in place of what was asked for; `nil` if nothing is wrong.
  var failure: VaultFailure? {
    let hint = "if you put it back yourself, accept it: thumblatch recover"
    return switch self {
    case .current: nil
    case .olderThanMark:
      .vaultUnsafe(
        "the store is older than its rollback mark: an old copy was put back",
        hint: hint
      )
    case .newerThanMark:
      .vaultUnsafe(
        "the rollback mark is older than the store: an old mark was put back",
        hint: hint
      )
    case .markMissing:
      .vaultUnsafe(
        "the rollback mark is missing: nothing tells whether the store is an old copy",
        hint: "if the store is the newest that you have, accept it: thumblatch recover"
      )
    case .markDamaged:
      .vaultUnsafe(
        "the rollback mark is damaged, or of another vault:"
          + " nothing tells whether the store is an old copy",
        hint: "if the store is the newest that you have, accept it: thumblatch recover"
      )
    case .boxesChanged:
      .vaultUnsafe(
        "the store's sealed tokens, prints or own rules are not those that it has counted:"
          + " a part of an old copy was put back",
        hint: hint
      )
    }
  }
}

extension Vault {
  /// Refuses where the store may be an old copy: its tokens may have been replaced since, and a
  /// provider may take the use of one for theft.
  public func demandCurrentStore() throws(VaultFailure) {
    if let failure = standing.failure { throw failure }
  }
}
