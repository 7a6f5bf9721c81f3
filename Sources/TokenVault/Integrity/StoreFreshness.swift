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
  /// The file has counted changes, and the store is a new and empty one.
  case storeMissing
  /// The boxes, or the user's own rules, are not those that the store digest covers.
  case boxesChanged
  /// The store opens by only its device-secret file, and this vault was brought under the machine
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
    guard let problem else { return nil }
    let hint: VaultHint =
      switch self {
      case .storeMissing:
        "restore the directory from a copy; to begin an empty vault: thumblatch recover"
      case _ where mayBeNewest: "if this is your newest copy, accept it: thumblatch recover"
      default: "if you restored it yourself, accept it: thumblatch recover"
      }
    return .vaultUnsafe(problem, hint: hint)
  }

  /// Whether only the means to judge the store is missing.
  private var mayBeNewest: Bool {
    switch self {
    case .counterMissing, .counterDamaged, .ledgerMissing, .counterReplaced: true
    default: false
    }
  }

  /// The message of the failure; `nil` if nothing is wrong.
  var problem: String? {
    switch self {
    case .current: nil
    case .olderThanCounter:
      "the store is older than its rollback counter: an old copy was restored"
    case .newerThanCounter:
      "the rollback counter is older than the store: an old counter was restored"
    case .counterMissing:
      "the rollback counter is missing: the store may be an old copy"
    case .counterDamaged:
      "the rollback counter is damaged, or belongs to another vault:"
        + " the store may be an old copy"
    case .storeMissing:
      "the store (vault.db) was lost: it is empty, and its rollback counter has counted changes"
    case .boxesChanged:
      "the store's sealed tokens, prints or own rules are not those that it has counted:"
        + " a part of an old copy was restored"
    case .beforeMachineKey:
      "the store is older than the machine key: an old copy was restored"
    case .directoryOlder:
      "the whole directory was restored from an old copy: the TPM's counter has gone on since"
    case .olderThanLedger:
      "the vault was restored from an old copy: the ledger of the TPM's counter has a higher count"
    case .notAccepted:
      "the whole directory was restored from an old copy, and this vault was not accepted since"
    case .ledgerMissing:
      "the ledger of the TPM's counter is missing or damaged: the vault may be an old copy"
    case .counterReplaced:
      "the TPM's counter was removed or replaced: the vault may be an old copy"
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
  /// Its tokens may have been replaced since, and a provider may treat the use of an old token as
  /// theft.
  package func demandCurrentStore() throws(VaultFailure) {
    if let failure = freshness.failure { throw failure }
  }
}
