internal import MachineKey
internal import Synchronization
internal import System
internal import TokenVault

/// The changes of the machine key's slots in one engine: one at a time.
final class SlotChanges: Sendable {
  /// How long a recovery code that was shown waits to be typed back, in seconds.
  private static let codeSeconds: Int64 = 1800

  /// A recovery code that was shown but not typed back yet.
  private struct ShownCode {
    let code: RecoveryCode
    let kind: MachineKeySlot.Kind
    let connection: UInt64
    let end: BootInstant
  }

  /// The slots of the machine key; `nil` if none is used.
  let slots: MachineKeySlots?
  private let shown = Mutex<ShownCode?>(nil)
  /// The connection whose person has given the password for a slot of this kind, until a time.
  private let allowed = Mutex<(UInt64, MachineKeySlot.Kind, until: BootInstant)?>(nil)
  /// The wait for a touch of a security key, and its caller.
  private let touch = Mutex<(connection: UInt64, wait: SecurityKeyWait)?>(nil)
  /// Whether a change runs, and the changes that wait for its end.
  private let turn = Mutex((isTaken: false, waiting: [CheckedContinuation<Void, Never>]()))
  /// The tries to go on with an addition, and the time before which there is no other.
  private let additions = Mutex((count: 0, next: BootInstant?.none))

  init(_ slots: MachineKeySlots?) {
    self.slots = slots
  }

  /// Runs a change, unless another one runs.
  func alone<Value: Sendable>(
    _ change: () async throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    let isFree = turn.withLock { turn in
      defer { turn.isTaken = true }
      return !turn.isTaken
    }
    guard isFree else { throw .busy("the slots of the machine key are being changed") }
    defer { endTurn() }
    return try await change()
  }

  /// Runs a change after those that were there before.
  func next<Value: Sendable>(
    _ change: () async throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    await withCheckedContinuation { wake in
      let isFree = turn.withLock { turn in
        guard turn.isTaken else {
          turn.isTaken = true
          return true
        }
        turn.waiting.append(wake)
        return false
      }
      if isFree { wake.resume() }
    }
    defer { endTurn() }
    return try await change()
  }

  private func endTurn() {
    let next = turn.withLock { turn -> CheckedContinuation<Void, Never>? in
      guard !turn.waiting.isEmpty else {
        turn.isTaken = false
        return nil
      }
      return turn.waiting.removeFirst()
    }
    next?.resume()
  }

  /// Claims a try to continue an addition; each try waits longer than the previous one.
  func takeAddition(at now: BootInstant = .now) -> Bool {
    additions.withLock { tries in
      if let next = tries.next, now < next { return false }
      tries.count += 1
      let wait: Int64 = tries.count == 1 ? 0 : min(60 << Int64(min(tries.count, 6)), 3600)
      tries.next = now.advanced(bySeconds: wait)
      return true
    }
  }

  /// Allows the next try at once.
  func forgetAdditions() { additions.withLock { $0 = (0, nil) } }

  // MARK: - The code

  /// Keeps a code that is shown to this connection; its earlier one is void.
  ///
  /// - Throws: `busy` if another connection has yet to give its code back.
  func keep(
    _ code: RecoveryCode,
    for kind: MachineKeySlot.Kind,
    of connection: UInt64
  ) throws(VaultFailure) {
    let end = BootInstant.now.advanced(bySeconds: Self.codeSeconds)
    try shown.withLock { shown throws(VaultFailure) in
      if let other = shown, other.connection != connection, BootInstant.now < other.end {
        throw .busy("another caller was shown a recovery code, and has to type it back first")
      }
      shown = ShownCode(code: code, kind: kind, connection: connection, end: end)
    }
  }

  /// Requires that a code is the one that was shown to this connection.
  ///
  /// It stays valid until a slot is made of it, so that a failure costs no new code.
  ///
  /// - Throws: `invalidArgument` if it is another code; the person may type again.
  func demand(
    _ typed: RecoveryCode,
    for kind: MachineKeySlot.Kind,
    of connection: UInt64
  ) throws(VaultFailure) {
    try shown.withLock { shown throws(VaultFailure) in
      guard let code = shown, code.connection == connection, code.kind == kind,
        BootInstant.now < code.end
      else {
        throw .invalidArgument("no recovery code was shown to this caller: begin again")
      }
      guard code.code == typed else {
        throw .invalidArgument("this is not the recovery code that was shown")
      }
    }
  }

  // MARK: - The caller

  /// Keeps the wait for a touch, which ends when its caller leaves.
  func keep(_ wait: SecurityKeyWait?, of connection: UInt64) {
    touch.withLock { $0 = wait.map { (connection, $0) } }
  }

  /// Ends the wait of a closed connection, and forgets its permissions.
  func forget(_ connection: UInt64) {
    forgetCode(of: connection)
    forgetAllowance(of: connection)
    let wait = touch.withLock { $0?.connection == connection ? $0?.wait : nil }
    wait?.cancel()
  }

  // MARK: - The password

  /// How long a password counts for further tries of the same change, in seconds.
  private static let allowanceSeconds: Int64 = 300

  /// Lets a connection try to add a slot of this kind again.
  func allow(_ kind: MachineKeySlot.Kind, to connection: UInt64) {
    let end = BootInstant.now.advanced(bySeconds: Self.allowanceSeconds)
    allowed.withLock { $0 = (connection, kind, end) }
  }

  /// Whether a password was given on this connection for a slot of this kind.
  func isAllowed(_ kind: MachineKeySlot.Kind, to connection: UInt64) -> Bool {
    allowed.withLock { allowed in
      guard let allowed else { return false }
      return allowed.0 == connection && allowed.1 == kind && BootInstant.now < allowed.until
    }
  }

  func forgetAllowance(of connection: UInt64) {
    allowed.withLock { if $0?.0 == connection { $0 = nil } }
  }

  /// Forgets the code that was shown to a connection.
  func forgetCode(of connection: UInt64) {
    shown.withLock { if $0?.connection == connection { $0 = nil } }
  }
}
