/// Whether the store is the newest one, as far as its rollback counter can tell.
enum StoreFreshness: Sendable, Equatable {
  /// The store and the file of the rollback counter match.
  case current
  /// The file has counted changes that this store does not have.
  case olderThanCounter
  /// The store has more changes than the file can have missed.
  case newerThanCounter
  /// The store has changes, and there is no file.
  case counterMissing
  /// The file is damaged, or belongs to another vault.
  case counterDamaged
  /// The boxes, or the user's own rules, are not those that the store digest covers.
  case boxesChanged
  /// The store opens by its device-secret file alone, and this vault was brought under the machine
  /// key.
  case beforeMachineKey

  /// The failure that a call gets in place of its answer; `nil` if nothing is wrong.
  var failure: VaultFailure? {
    let hint = "if you restored it yourself, accept it: thumblatch recover"
    return switch self {
    case .current: nil
    case .olderThanCounter:
      .vaultUnsafe(
        "the store is older than its rollback counter: an old copy was restored",
        hint: hint
      )
    case .newerThanCounter:
      .vaultUnsafe(
        "the rollback counter is older than the store: an old counter was restored",
        hint: hint
      )
    case .counterMissing:
      .vaultUnsafe(
        "the rollback counter is missing: the store may be an old copy",
        hint: "if this is your newest copy, accept it: thumblatch recover"
      )
    case .counterDamaged:
      .vaultUnsafe(
        "the rollback counter is damaged, or belongs to another vault:"
          + " the store may be an old copy",
        hint: "if this is your newest copy, accept it: thumblatch recover"
      )
    case .boxesChanged:
      .vaultUnsafe(
        "the store's sealed tokens, prints or own rules are not those that it has counted:"
          + " a part of an old copy was restored",
        hint: hint
      )
    case .beforeMachineKey:
      .vaultUnsafe(
        "the store is older than the machine key: an old copy was restored",
        hint: hint
      )
    }
  }
}

extension Vault {
  /// Whether the store may be used, or is an old copy.
  var freshness: StoreFreshness { storeState.freshness }

  /// Refuses if the store may be an old copy.
  ///
  /// Its tokens may have been replaced since, and a provider may take the use of an old one for
  /// theft.
  package func demandCurrentStore() throws(VaultFailure) {
    if let failure = freshness.failure { throw failure }
  }
}
