internal import Cryptography

/// The vault's knowledge of its store besides the rows: the keys, the freshness and the rollback
/// counter.
struct StoreState: ~Copyable {
  /// The keys that seal and authenticate everything; a rekey replaces them.
  private(set) var keys: VaultKeys
  /// Whether the store may be used, or is an old copy.
  private(set) var freshness: StoreFreshness
  /// The value of the rollback counter.
  private(set) var counter: UInt64
  /// Whether a change was counted that the rollback counter does not show yet.
  private(set) var isCounterBehind = false
  /// Whether the keys need the machine key besides the device-secret file.
  private(set) var isUnderMachineKey: Bool
  /// Whether the store is sealed under a device secret that is not in its place yet.
  private(set) var isRekeyUnfinished: Bool

  init(_ opening: consuming Opening) {
    freshness = opening.freshness
    counter = opening.counterValue
    isRekeyUnfinished = opening.isRekeyUnfinished
    isUnderMachineKey = opening.isUnderMachineKey
    keys = opening.keys
  }

  /// Replaces the keys after the commit of a rekey.
  ///
  /// The old keys are wiped: nothing is sealed or opened under them any more.
  mutating func replaceKeys(by next: consuming VaultKeys, underMachineKey: Bool) {
    keys = next
    isUnderMachineKey = underMachineKey
    isRekeyUnfinished = true
  }

  mutating func noteRekeyFinished() { isRekeyUnfinished = false }

  mutating func noteAccepted() { freshness = .current }

  /// The accepted store still opens with only its file.
  mutating func noteNotUnderMachineKey() { freshness = .beforeMachineKey }

  /// A change was counted in the store.
  mutating func noteCount() { isCounterBehind = true }

  /// The file of the rollback counter has this value.
  mutating func noteCounter(_ count: UInt64) { counter = count }

  mutating func noteCounterRaised() { isCounterBehind = false }
}

// The part that other folders see. They borrow the keys, which cannot be copied.
extension Vault {
  /// Whether the keys need the machine key besides the device-secret file.
  var isUnderMachineKey: Bool { storeState.isUnderMachineKey }

  /// The value of the rollback counter.
  var rollbackCounter: UInt64 { storeState.counter }

  /// Whether a change was counted that the rollback counter does not show yet.
  var isCounterBehind: Bool { storeState.isCounterBehind }
}
