internal import Cryptography
package import MachineKey
internal import SecretMemory
package import Storage
internal import Synchronization
package import System

/// The slots of an owner directory, and the machine key once one of them has opened.
///
/// The key is opened when a vault first needs it, once for all vaults of this engine. Most
/// functions block their thread while the TPM works.
package final class MachineKeySlots: Sendable {
  /// The seconds after which a lasting failure is examined again.
  private static let failureSeconds: Int64 = 30

  private struct State {
    var key: MachineKey?
    var phase = MachineKeyState.Phase.complete
    /// The vaults that still open with only their file, as in the state's file.
    var left: [UInt32: [UInt8]] = [:]
    /// Whether the state's file says that the TPM has a counter.
    var hasCounter = false
    var counter = CounterUse()
    /// Whether the state's file may differ, after a failed write.
    var isUncertain = false
    /// Whether a recovery code opened the key, and no slot of the TPM does.
    var isHeldByCode = false
    var failure: (failure: VaultFailure, at: BootInstant, isTemporary: Bool)?
  }

  let directory: MachineKeyDirectory
  let owner: MachineKeyOwner
  let tpm: any TPMSealing
  let keys: any SecurityKeySealing
  let now: @Sendable () -> BootInstant
  /// Runs work on another thread, so that a call need not wait.
  let beside: @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void
  /// Held while the TPM works or slots change, so that only one such step runs at a time.
  private let turn = Mutex(())
  private let state = Mutex(State())
  /// Set when this process is denied access to the TPM, and never reset.
  let wasDenied = Atomic(false)

  /// Uses the machine key of a directory, if there is one.
  package init(
    _ directory: MachineKeyDirectory,
    owner: MachineKeyOwner,
    tpm: any TPMSealing,
    keys: any SecurityKeySealing = NoSecurityKeys(),
    now: @escaping @Sendable () -> BootInstant = { .now },
    beside: @escaping @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void = {
      work throws(SystemError) in try startThread(work)
    }
  ) {
    self.directory = directory
    self.owner = owner
    self.tpm = tpm
    self.keys = keys
    self.now = now
    self.beside = beside
  }

  // MARK: - The key

  /// The machine key, if it was opened in this run.
  var opened: MachineKey? { state.withLock { $0.key } }

  /// Whether a vault of this user that opens with only its file is an old copy.
  ///
  /// `next` is the identifier of the keys that its next device secret has with the machine key, or
  /// `nil`. A kill before the commit of a rekey leaves the announced keys. An earlier copy does not
  /// have them.
  func refusesFile(of user: UInt32, next: [UInt8]?) -> Bool {
    state.withLock { state in
      guard state.key != nil, state.phase == .complete else { return false }
      guard let announced = state.left[user] else { return true }
      return !announced.isEmpty && announced != next
    }
  }

  /// The phase, and the vaults that still open with only their file.
  var progress: (phase: MachineKeyState.Phase, left: [UInt32: [UInt8]]) {
    state.withLock { ($0.phase, $0.left) }
  }

  /// Whether vaults must still be re-encrypted under the opened key.
  package var isAdding: Bool {
    state.withLock { $0.key != nil && ($0.phase == .adding || !$0.left.isEmpty) }
  }

  /// Whether the next engine would need the recovery code again.
  package var isHeldByCode: Bool { state.withLock { $0.isHeldByCode } }

  func noteHeldByCode(_ isHeld: Bool) { state.withLock { $0.isHeldByCode = isHeld } }

  /// The machine key; `nil` if none was made.
  ///
  /// Calls that wait for the same opening share its result.
  ///
  /// - Throws: why no slot opens. No vault may be opened then.
  package func key() throws(VaultFailure) -> MachineKey? {
    if let opened { return opened }
    let asked = now()
    return try inTurn { () throws(VaultFailure) in
      if let opened { return opened }
      guard try stored(try directory.exists()) else { return nil }
      let known = state.withLock { $0.failure }
      if let known, known.at >= asked || !known.isTemporary && isRecent(known.at) {
        throw known.failure
      }
      return try openByTPM()
    }
  }

  private func isRecent(_ time: BootInstant) -> Bool {
    now().seconds(since: time) < Self.failureSeconds
  }

  private func openByTPM() throws(VaultFailure) -> MachineKey {
    var failures: [TPMFailure] = []
    let tpm = tpm.forOpening()
    for slot in try likelySlots() where slot.header.kind == .tpm {
      switch try openByTPM(slot, in: tpm) {
      case .success(let key): return try adoptOpened(key, in: tpm)
      case .failure(let failure): failures.append(failure)
      }
    }
    noteDenied(failures)
    // If one slot may open soon, the person need not look for the code.
    let found =
      failures.first { $0.isMomentary } ?? failures.first { $0.isTemporary } ?? failures.first
    let isTemporary = found?.isTemporary ?? false
    // An unknown error or a lockout may last, and must not prevent the use of the security key.
    let needed = found?.isMomentary == true ? nil : try keyNeeded(found)
    let failure = needed ?? found.map { .machineKeyClosed($0) } ?? noUsableSlot
    let at = now()
    state.withLock { $0.failure = (failure, at, isTemporary) }
    throw failure
  }

  /// Opens the machine key with the TPM and this slot.
  func openByTPM(
    _ slot: MachineKeySlot,
    in opening: (any TPMSealing)? = nil
  ) throws(VaultFailure) -> Result<MachineKey, TPMFailure> {
    guard slot.header.owner == owner,
      let sealed = try? TPMSealedSecret(
        parameters: slot.header.parameters
      )
    else { return .failure(.damaged) }
    let authorization = try usable { () throws(MachineKeyError) in
      try slot.header.authorization()
    }
    let secret: SharedSecret
    do throws(TPMFailure) {
      secret = try (opening ?? tpm).open(sealed, authorization: authorization)
    } catch {
      return .failure(error)
    }
    do throws(MachineKeyError) {
      return .success(try slot.open(with: secret.bytes))
    } catch {
      guard error == .doesNotOpen else { throw .machineKeyDamaged("\(error)") }
      return .failure(.damaged)
    }
  }

  /// Keeps a key that a hardware slot has opened, after a comparison with the TPM's counter.
  func adoptOpened(
    _ key: MachineKey,
    in opening: (any TPMSealing)? = nil
  ) throws(VaultFailure) -> MachineKey {
    let found = try readState(under: key)
    let counter: CounterUse.Finding
    do throws(VaultFailure) {
      counter = try checkedCounter(key, found, in: opening ?? tpm)
    } catch {
      let at = now()
      state.withLock { $0.failure = (error, at, true) }
      throw error
    }
    keep(key, found)
    withCounter { $0.finding = counter }
    return key
  }

  /// Keeps an opened key, with the state that it authenticates.
  ///
  /// A state that is missing or forged counts as complete, and as one with a counter: it must not
  /// let an old copy in.
  func keep(_ key: MachineKey, _ found: MachineKeyState?) {
    state.withLock { state in
      state.key = key
      state.phase = found?.phase ?? .complete
      state.left = found?.left ?? [:]
      state.hasCounter = found?.hasCounter ?? true
      state.isUncertain = false
      state.failure = nil
    }
  }

  /// Makes the next call examine the slots again, because one of them has opened.
  func forgetFailure() { state.withLock { $0.failure = nil } }

  /// Whether the machine key is open, and the TPM has a counter for it.
  var hasCounter: Bool { state.withLock { $0.key != nil && $0.hasCounter } }

  /// Gives access to the state of the TPM's counter.
  func withCounter<Value>(_ body: (inout CounterUse) -> Value) -> Value {
    state.withLock { body(&$0.counter) }
  }

  /// Whether the state's file may differ from the known state.
  var isStateUncertain: Bool { state.withLock { $0.isUncertain } }

  func noteStateUncertain() { state.withLock { $0.isUncertain = true } }

  // MARK: - Steps

  /// Runs a step while no other step runs.
  func inTurn<Value: Sendable>(
    _ step: () throws(VaultFailure) -> Value
  ) throws(VaultFailure) -> Value {
    try turn.withLock { _ throws(VaultFailure) in try step() }
  }

  func stored<Value: ~Copyable>(
    _ step: @autoclosure () throws(StorageError) -> Value
  ) throws(VaultFailure) -> Value {
    do { return try step() } catch { throw VaultFailure(error) }
  }

  func usable<Value: ~Copyable>(
    _ step: () throws(MachineKeyError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(MachineKeyError) {
      return try step()
    } catch {
      throw .machineKeyDamaged("\(error)")
    }
  }
}
