package import MachineKey
package import SecretMemory
internal import Synchronization

/// A TPM that keeps nothing secret: what it seals opens only with the same seed and authorization.
///
/// It fails as it is told, once for each planned failure.
package final class ScriptedTPM: TPMSealing {
  private struct State {
    var seed: UInt8
    var failures: [TPMFailure] = []
    var lasting: TPMFailure?
    var opened = 0
  }

  private let state: Mutex<State>
  private let whenOpening: @Sendable () -> Void

  /// - Parameters:
  ///   - seed: which TPM it is.
  ///   - whenOpening: runs in each opening, before its answer.
  package init(seed: UInt8 = 1, whenOpening: @escaping @Sendable () -> Void = {}) {
    state = Mutex(State(seed: seed))
    self.whenOpening = whenOpening
  }

  /// How often it was asked to open something.
  package var opened: Int { state.withLock { $0.opened } }

  /// The next calls fail so.
  package func plan(_ failures: TPMFailure...) { state.withLock { $0.failures += failures } }

  /// All calls fail so until this is `nil`.
  package func fail(_ failure: TPMFailure?) { state.withLock { $0.lasting = failure } }

  /// Clears it, as `TPM2_Clear` does: it is another TPM from now on.
  package func clear() { state.withLock { $0.seed &+= 1 } }

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

  package func defineCounter(authorization: SharedSecret) throws(TPMFailure) -> TPMCounter {
    throw .unexpected("no counters")
  }

  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .noCounter }

  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { throw .noCounter }

  package func removeCounter(_ index: UInt32) throws(TPMFailure) {}

  private func seed() throws(TPMFailure) -> UInt8 {
    try state.withLock { state throws(TPMFailure) in
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
      if let failure = state.lasting { throw failure }
      return state.seed
    }
  }

  private func name(_ seed: UInt8) -> [UInt8] { [0, 11] + [UInt8](repeating: seed, count: 32) }

  private func mixed(_ left: [UInt8], _ right: [UInt8], _ seed: UInt8) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 ^ seed }
  }

  private func bytes(_ secret: SharedSecret) -> [UInt8] {
    unsafe secret.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}
