internal import Glibc
internal import Synchronization
internal import System

/// One use of the security keys that are plugged in; it can be cancelled from any thread.
///
/// Its functions block their thread. A key waits about 30 s for a touch.
package final class KeyRequest: Sendable {
  private struct State {
    var open: OpenKey?
    var isCancelled = false
  }

  /// The pause between two cancellations, in microseconds.
  private static let cancelPause: UInt32 = 50_000

  private let nodes: KeyNodes
  private let state = Mutex(State())

  /// Makes a request to these keys; it is not sent yet.
  package init(_ nodes: KeyNodes) {
    self.nodes = nodes
  }

  /// Ends a wait for a touch, so that no later touch counts for this request.
  package func cancel() {
    let open = state.withLock { state in
      state.isCancelled = true
      return state.open
    }
    guard let open else { return }
    // The request may not have reached the key yet, and a key without a request ignores a
    // cancellation. So it is repeated.
    try? startThread { [self] in
      while state.withLock({ $0.open === open }) {
        open.cancel()
        usleep(Self.cancelPause)
      }
    }
  }

  /// Signs a challenge of 32 bytes with the key that holds one of these credentials.
  ///
  /// Each key is first examined without a touch, and only that key is lit. If several keys hold
  /// one, the first of them is lit.
  ///
  /// - Parameters:
  ///   - challenge: the hash that is signed with the authenticator data.
  ///   - credentials: the names of credentials.
  ///   - verification: whether a PIN or the key's own check is needed too.
  ///   - lit: called when the key is about to wait for a touch.
  /// - Returns: the signed data, and the signature.
  /// - Throws: a `KeyFailure`.
  package func sign(
    _ challenge: [UInt8],
    withAny credentials: [[UInt8]],
    _ verification: KeyVerification,
    lit: () -> Void
  ) throws(KeyFailure) -> KeyAssertion {
    let (key, credential) = try holder(of: credentials)
    return try using(key) { () throws(KeyFailure) in
      try key.sign(challenge, with: credential, verification, lit: lit)
    }
  }

  /// Lights the key that holds one of these credentials, and waits until it is touched.
  ///
  /// The key signs nothing.
  ///
  /// - Throws: a `KeyFailure`.
  package func awaitTouch(
    ofAny credentials: [[UInt8]],
    lit: () -> Void
  ) throws(KeyFailure) {
    let (key, _) = try holder(of: credentials)
    try using(key) { () throws(KeyFailure) in
      lit()
      try key.awaitTouch { self.state.withLock { $0.isCancelled } }
    }
  }

  /// Makes a credential for a user with the only key that is plugged in.
  ///
  /// - Parameters:
  ///   - challenge: 32 bytes that the key signs with the new credential.
  ///   - user: an identifier of 1 to 64 bytes that says nothing about the person.
  ///   - name: the name that the key shows for the credential, if it has a screen.
  ///   - credentials: the names of credentials that a key must not hold yet.
  ///   - verification: whether a PIN or the key's own check is needed too.
  ///   - lit: called when the key is about to wait for a touch.
  /// - Returns: the credential.
  /// - Throws: a `KeyFailure`.
  package func enroll(
    _ challenge: [UInt8],
    user: [UInt8],
    name: String,
    excluding credentials: [[UInt8]],
    _ verification: KeyVerification,
    lit: () -> Void
  ) throws(KeyFailure) -> NewKeyCredential {
    let key = try onlyKey()
    return try using(key) { () throws(KeyFailure) in
      try key.enroll(
        challenge,
        user: user,
        name: name,
        excluding: credentials,
        verification,
        lit: lit
      )
    }
  }

  /// The only key that is plugged in.
  func onlyKey() throws(KeyFailure) -> OpenKey {
    let keys = try openKeys()
    guard let key = keys.first else { throw .noKey }
    guard keys.count == 1 else { throw .severalKeys }
    return key
  }

  private func openKeys() throws(KeyFailure) -> [OpenKey] {
    guard !state.withLock({ $0.isCancelled }) else { throw .cancelled }
    var keys: [OpenKey] = []
    var refusal: KeyFailure?
    for path in try KeyLibrary.paths(nodes) {
      do throws(KeyFailure) {
        if let key = try OpenKey(path: path) { keys.append(key) }
      } catch {
        refusal = error
      }
    }
    if keys.isEmpty, let refusal { throw refusal }
    return keys
  }

  /// The first key that holds one of these credentials, and the credential.
  func holder(
    of credentials: [[UInt8]]
  ) throws(KeyFailure) -> (OpenKey, [UInt8]) {
    let keys = try openKeys()
    guard !keys.isEmpty else { throw .noKey }
    var refusal = KeyFailure.notEnrolled
    for key in keys {
      do throws(KeyFailure) {
        if let own = try key.own(of: credentials) { return (key, own) }
      } catch {
        refusal = error
      }
    }
    throw refusal
  }

  /// Runs a request to a key, which `cancel` can reach.
  func using<Result>(
    _ key: OpenKey,
    _ body: () throws(KeyFailure) -> Result
  ) throws(KeyFailure) -> Result {
    let isCancelled = state.withLock { state in
      state.open = key
      return state.isCancelled
    }
    defer { state.withLock { $0.open = nil } }
    guard !isCancelled else { throw .cancelled }
    do throws(KeyFailure) {
      return try body()
    } catch {
      // The key may answer a cancelled request with another error.
      throw state.withLock { $0.isCancelled } ? .cancelled : error
    }
  }
}
