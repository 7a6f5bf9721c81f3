package import MachineKey
package import SecretMemory
internal import Synchronization

/// A TPM that keeps nothing secret: its sealed secrets open only with the same seed and
/// authorization.
///
/// It fails as planned, once for each planned failure.
package final class ScriptedTPM: TPMSealing {
  struct State {
    var counters: [UInt32: Counter] = [:]
    /// The highest value of any counter: a new counter starts above it.
    var highest: UInt64 = 0
    var room = 25
    /// Whether the reply to the next increment is lost.
    var losesReply = false
    var seed: UInt8
    var failures: [TPMFailure] = []
    var lasting: TPMFailure?
    /// The calls that succeed before `later` becomes the lasting failure.
    var callsLeft = 0
    var later: TPMFailure?
    var opened = 0
    /// Whether it opens another secret than it has sealed.
    var opensAnother = false
    /// Why each use of a counter fails; `nil` if it does not.
    var counterFailure: TPMFailure?
  }

  let state: Mutex<State>
  /// The directory that keeps the counters; `nil` if only this object has them.
  let path: String?
  private let whenOpening: @Sendable () -> Void

  /// - Parameters:
  ///   - seed: which TPM it is.
  ///   - path: the directory that keeps the counters; `nil` if only this object has them.
  ///   - whenOpening: runs in each opening, before its answer.
  package init(
    seed: UInt8 = 1,
    keptIn path: String? = nil,
    whenOpening: @escaping @Sendable () -> Void = {}
  ) {
    self.path = path
    state = Mutex(State(seed: seed))
    self.whenOpening = whenOpening
  }

  /// How often it was asked to open something.
  package var opened: Int { state.withLock { $0.opened } }

  /// The next calls fail so.
  package func plan(_ failures: TPMFailure...) { state.withLock { $0.failures += failures } }

  /// All calls fail so until this is `nil`.
  package func fail(_ failure: TPMFailure?) {
    state.withLock { state in
      state.lasting = failure
      state.later = nil
    }
  }

  /// All calls after the next `count` fail so until `fail` ends it.
  package func failAfter(_ count: Int, _ failure: TPMFailure) {
    state.withLock { state in
      state.callsLeft = count
      state.later = failure
    }
  }

  /// It opens another secret than it has sealed, from now on.
  package func openAnother() { state.withLock { $0.opensAnother = true } }

  /// Clears it, as `TPM2_Clear` does: it is another TPM from now on.
  package func clear() {
    state.withLock { state in
      state.seed &+= 1
      state.counters = [:]
    }
  }

  package func facts() throws(TPMFailure) -> TPMFacts {
    _ = try seed()
    return TPMFacts(maker: "SOFT", firmware: "1.2")
  }

  package func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret {
    let seed = try seed()
    return TPMSealedSecret(
      parentName: name(seed),
      privatePart: mixed(bytes(secret), bytes(authorization), seed),
      publicPart: bytes(authorization).map { $0 ^ 0xff }
    )
  }

  package func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret {
    state.withLock { $0.opened += 1 }
    whenOpening()
    let seed = try seed()
    if state.withLock({ $0.opensAnother }) { return authorization }
    guard sealed.parentName == name(seed) else { throw .anotherTPM }
    guard sealed.publicPart == bytes(authorization).map({ $0 ^ 0xff }) else {
      throw .wrongAuthorization
    }
    guard sealed.privatePart.count == 32,
      let secret = try? SecretBytes(
        copying: mixed(sealed.privatePart, bytes(authorization), seed)
      )
    else { throw .damaged }
    return SharedSecret(secret)
  }

  func seed() throws(TPMFailure) -> UInt8 {
    try state.withLock { state throws(TPMFailure) in
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
      if let failure = state.lasting { throw failure }
      if let failure = state.later {
        guard state.callsLeft > 0 else { throw failure }
        state.callsLeft -= 1
      }
      return state.seed
    }
  }

  func name(_ seed: UInt8) -> [UInt8] { [0, 11] + [UInt8](repeating: seed, count: 32) }

  private func mixed(_ left: [UInt8], _ right: [UInt8], _ seed: UInt8) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 ^ seed }
  }

  func bytes(_ secret: SharedSecret) -> [UInt8] {
    unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}
