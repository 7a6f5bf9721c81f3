package import MachineKey
package import SecretMemory
internal import Synchronization

/// A security key that keeps nothing secret, and is touched at once.
///
/// Its secret depends on the key, the credential, the salt, and on whether its person was verified.
package final class ScriptedKey: SecurityKeySealing {
  private struct State {
    var pin: String?
    var retries = 8
    var credentials: [[UInt8]] = []
    var failure: SecurityKeyFailure?
    /// The failure after the key was lit.
    var later: SecurityKeyFailure?
    var isForged = false
    var touches = 0
  }

  private let state: Mutex<State>
  private let seed: UInt8
  private let whenLit: @Sendable (SecurityKeyWait) -> Void

  /// - Parameters:
  ///   - seed: which key it is.
  ///   - pin: its PIN; `nil` for a key that is only touched.
  ///   - credentials: those that it has made in another process.
  ///   - whenLit: runs in each wait for a touch.
  package init(
    seed: UInt8 = 1,
    pin: String? = nil,
    credentials: [[UInt8]] = [],
    whenLit: @escaping @Sendable (SecurityKeyWait) -> Void = { _ in }
  ) {
    self.seed = seed
    self.whenLit = whenLit
    state = Mutex(State(pin: pin, credentials: credentials))
  }

  /// How often it was lit.
  package var touches: Int { state.withLock { $0.touches } }

  /// All requests fail so until this is `nil`: before the key is lit, or afterwards.
  package func fail(_ failure: SecurityKeyFailure?, afterTouch: Bool = false) {
    state.withLock { state in
      state.failure = afterTouch ? nil : failure
      state.later = afterTouch ? failure : nil
    }
  }

  /// Changes its answers, or no longer.
  package func forge(_ isForged: Bool) { state.withLock { $0.isForged = isForged } }

  /// Deletes its credentials and its PIN.
  package func reset() {
    state.withLock { state in
      state.credentials = []
      state.pin = nil
    }
  }

  /// Gives it a PIN, or none.
  package func set(pin: String?) { state.withLock { $0.pin = pin } }

  package func look() throws(SecurityKeyFailure) -> SecurityKeyFacts {
    try state.withLock { state throws(SecurityKeyFailure) in
      if let failure = state.failure { throw failure }
      return SecurityKeyFacts(
        needsPIN: state.pin != nil,
        retries: state.pin == nil ? nil : state.retries
      )
    }
  }

  package func make(
    excluding credentials: [[UInt8]],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> SecurityKeySecret {
    let verifies = try look().needsPIN
    if verifies { try demand(pin) }
    for _ in 0..<2 { try touch(wait, lit) }
    let parameters = try state.withLock { state throws(SecurityKeyFailure) in
      guard !credentials.contains(where: state.credentials.contains) else { throw .alreadyAdded }
      let credential = [seed, UInt8(state.credentials.count)]
      state.credentials.append(credential)
      return SecurityKeyParameters(
        verifies: verifies,
        credential: credential,
        salt: [UInt8](repeating: seed, count: 32),
        publicKey: [UInt8](repeating: 4, count: 64)
      )
    }
    return SecurityKeySecret(parameters: parameters, secret: try secret(parameters))
  }

  package func open(
    _ slots: [SecurityKeyParameters],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> (index: Int, secret: SharedSecret) {
    _ = try look()
    let known = state.withLock { $0.credentials }
    guard let index = slots.firstIndex(where: { known.contains($0.credential) }) else {
      throw .anotherKey
    }
    if slots[index].verifies { try demand(pin) }
    try touch(wait, lit)
    return (index, try secret(slots[index]))
  }

  private func demand(_ pin: SharedSecret?) throws(SecurityKeyFailure) {
    try state.withLock { state throws(SecurityKeyFailure) in
      guard let own = state.pin else { throw .noPIN }
      guard let pin else { throw .pinNeeded(retries: state.retries) }
      let typed = unsafe pin.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
      guard typed == Array(own.utf8) else {
        state.retries -= 1
        throw state.retries == 0 ? .pinBlocked : .wrongPIN(retries: state.retries)
      }
      state.retries = 8
    }
  }

  private func touch(
    _ wait: SecurityKeyWait,
    _ lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) {
    let failure = state.withLock { state in
      state.touches += 1
      return state.later
    }
    try wait.during {
      () throws(SecurityKeyFailure) in
      lit()
      whenLit(wait)
      if let failure { throw failure }
    } endedBy: {
    }
    // The real key stops waiting.
    try wait.during({ () throws(SecurityKeyFailure) in }, endedBy: {})
  }

  private func secret(_ slot: SecurityKeyParameters) throws(SecurityKeyFailure) -> SharedSecret {
    let isForged = state.withLock { $0.isForged }
    var bytes = slot.salt
    bytes[0] = seed
    bytes[1] = slot.credential[1]
    bytes[2] = slot.verifies ? 1 : 0
    bytes[3] = isForged ? 1 : 0
    do throws(SecretMemoryError) {
      return SharedSecret(try SecretBytes(copying: bytes))
    } catch {
      throw .unexpected("\(error)")
    }
  }
}
