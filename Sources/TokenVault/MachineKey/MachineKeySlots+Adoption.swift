internal import MachineKey
internal import Storage

// The vaults that still open with only their file, while the machine key is added. The state names
// them. The steps for each vault:
//
// 1. Make the next device secret durable.
// 2. Announce the identifier of its keys under the machine key, in the state.
// 3. Rekey the vault: the commit of the store (Rekey.swift).
// 4. Remove the vault from the state.
//
// | killed        | the next start finds                 | and                               |
// |---------------|--------------------------------------|-----------------------------------|
// | before step 2 | a vault that is left                 | opens it by its file              |
// | before step 3 | the file and the announced next one  | takes the announcement back, then |
// |               |                                      | removes the next device secret    |
// | before step 4 | a vault under the machine key        | takes it from the state           |
//
// After step 3 an old copy has no device secret with the announced keys. So it is refused also if
// the engine was killed before step 4.
extension MachineKeySlots {
  /// Lists the vaults that may still open with only their file; does nothing if they are listed.
  ///
  /// A vault that is not listed is under the machine key from its start, since it was made after
  /// the key.
  package func list(_ users: [UInt32]) throws(VaultFailure) {
    try change { phase, left in
      guard phase == .adding else { return false }
      phase = .complete
      left = Dictionary(users.map { ($0, []) }) { first, _ in first }
      return true
    }
  }

  /// The owners of the vaults that still open with only their file.
  package var usersLeft: [UInt32] { progress.left.keys.sorted() }

  /// Records that the vault of this user no longer opens with only its file, or is gone.
  package func noteAdopted(_ user: UInt32) throws(VaultFailure) {
    try change { _, left in left.removeValue(forKey: user) != nil }
  }

  /// Announces the keys that a vault is about to be rekeyed under.
  ///
  /// A vault that is not listed stays refused until its rekey is done.
  func announce(_ next: [UInt8], of user: UInt32) throws(VaultFailure) {
    try change { _, left in
      guard left[user] != nil else { return false }
      left[user] = next
      return true
    }
  }

  /// Withdraws an announcement, before the next device secret of the vault is removed.
  func withdraw(_ user: UInt32) throws(VaultFailure) {
    try change { _, left in
      guard let announced = left[user], !announced.isEmpty else { return false }
      left[user] = []
      return true
    }
  }

  /// Changes the state durably, if `change` returns true.
  private func change(
    _ change: (inout MachineKeyState.Phase, inout [UInt32: [UInt8]]) -> Bool
  ) throws(VaultFailure) {
    // Most engines have nothing to change, and need not wait for the TPM.
    guard isAdding else { return }
    try inTurn { () throws(VaultFailure) in
      var (phase, left) = progress
      guard change(&phase, &left) || isStateUncertain else { return }
      try write(phase, left, hasCounter: hasCounter)
    }
  }

  /// Replaces the state durably.
  func write(
    _ phase: MachineKeyState.Phase,
    _ left: [UInt32: [UInt8]],
    hasCounter: Bool
  ) throws(VaultFailure) {
    let (key, identifier) = try openedKey()
    let state = try usable { () throws(MachineKeyError) in
      try MachineKeyState(
        directory: identifier,
        phase: phase,
        left: left,
        hasCounter: hasCounter,
        under: key
      )
    }
    do throws(StorageError) {
      try directory.write(state: state.encoded)
    } catch {
      noteStateUncertain()
      throw VaultFailure(error)
    }
    keep(key, state)
  }
}
