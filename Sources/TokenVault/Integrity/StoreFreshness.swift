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
  /// The TPM's counter has gone on since the whole directory was copied.
  case directoryOlder
  /// The ledger of the TPM's counter has counted changes that this store does not have.
  case olderThanLedger
  /// An old copy of the whole directory was found, and this vault was not accepted since.
  case notAccepted
  /// The ledger of the TPM's counter is missing or damaged.
  case ledgerMissing
  /// The counter of the ledger is not in this TPM any more.
  case counterReplaced

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
    case .directoryOlder:
      .vaultUnsafe(
        "the whole directory is older than the TPM's counter: an old copy was restored",
        hint: hint
      )
    case .olderThanLedger:
      .vaultUnsafe(
        "the store is older than the ledger of the TPM's counter: an old copy was restored",
        hint: hint
      )
    case .notAccepted:
      .vaultUnsafe(
        "an old copy of the whole directory was restored, and this vault was not accepted since",
        hint: hint
      )
    case .ledgerMissing:
      .vaultUnsafe(
        "the ledger of the TPM's counter is missing or damaged: the store may be an old copy",
        hint: "if this is your newest copy, accept it: thumblatch recover"
      )
    case .counterReplaced:
      .vaultUnsafe(
        "the TPM's counter was removed or replaced: the store may be an old copy",
        hint: "if this is your newest copy, accept it: thumblatch recover"
      )
    }
  }

  /// The judgement of every vault beside a ledger that is not the newest one.
  init(_ reason: MachineCounter.Distrust) {
    self =
      switch reason {
      case .ledgerMissing, .ledgerDamaged: .ledgerMissing
      case .olderLedger: .directoryOlder
      case .anotherCounter: .counterReplaced
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
