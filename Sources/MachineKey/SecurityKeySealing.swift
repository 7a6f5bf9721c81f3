package import SecretMemory
internal import Synchronization

/// The parameters of a security key's slot: public bytes, from which only that key makes the
/// secret.
package struct SecurityKeyParameters: Sendable, Equatable {
  /// Whether the key verified its person when it made the secret.
  ///
  /// A key makes a different secret without verification (CTAP 2.1, section 12.5), so each opening
  /// must request the same.
  package let verifies: Bool
  /// The name of the credential; only the key that made it understands it.
  package let credential: [UInt8]
  /// The salt that the key hashes with the credential's own secret, 32 bytes.
  package let salt: [UInt8]
  /// The coordinates of the credential's public key on P-256, 64 bytes.
  package let publicKey: [UInt8]

  /// Makes parameters from their parts.
  package init(verifies: Bool, credential: [UInt8], salt: [UInt8], publicKey: [UInt8]) {
    self.verifies = verifies
    self.credential = credential
    self.salt = salt
    self.publicKey = publicKey
  }
}

/// The facts that the plugged-in security key reports about itself.
package struct SecurityKeyFacts: Sendable, Equatable {
  /// Whether it needs its PIN for a new slot.
  package let needsPIN: Bool
  /// How many wrong PINs it still accepts; `nil` if it does not say.
  package let retries: Int?

  /// Puts both together.
  package init(needsPIN: Bool, retries: Int?) {
    self.needsPIN = needsPIN
    self.retries = retries
  }
}

/// A new credential, and the secret that its key derives from the salt.
package struct SecurityKeySecret: Sendable {
  package let parameters: SecurityKeyParameters
  package let secret: SharedSecret

  /// Puts both together.
  package init(parameters: SecurityKeyParameters, secret: SharedSecret) {
    self.parameters = parameters
    self.secret = secret
  }
}

/// Why a security key made no secret.
package enum SecurityKeyFailure: Error, Sendable, Equatable {
  /// libfido2 is not installed, or is another version.
  case noLibrary
  /// No key is plugged in.
  case noKey
  /// A key is plugged in, but it made none of the credentials.
  case anotherKey
  /// More than one key is plugged in, and it is not clear which one is meant.
  case severalKeys
  /// The key already has a slot.
  case alreadyAdded
  /// The key does not support the extension hmac-secret.
  case noSecret
  /// The key needs its PIN first. The value is the number of wrong PINs that it still accepts;
  /// `nil` if it does not say.
  case pinNeeded(retries: Int?)
  /// The PIN was wrong. The value is the number of wrong PINs that the key still accepts; `nil` if
  /// it does not say.
  case wrongPIN(retries: Int?)
  /// After three wrong PINs, the key accepts a PIN only after it has been unplugged.
  case pinBlockedUntilReplugged
  /// The key accepts no PIN until it is reset, which deletes its credentials.
  case pinBlocked
  /// The slot needs a verified person, but the key no longer has a PIN.
  case noPIN
  /// The slot was made without a verified person, but the key now always verifies its person.
  case alwaysVerifies
  /// The key's own check of the person did not pass.
  case notVerified
  /// The key was not touched in time.
  case timedOut
  case cancelled
  /// The key was unplugged, or does not answer.
  case removed
  /// This process's user may not open the node of the key.
  case notPermitted
  /// The program that talks to the key could not be asked.
  case unreachable(String)
  /// Another response, with its code.
  case unexpected(String)
}

/// Ends a wait for a touch, from any thread.
package final class SecurityKeyWait: Sendable {
  private struct State {
    var isCancelled = false
    var end: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels the present wait and all later ones.
  package func cancel() {
    let end = state.withLock { state in
      state.isCancelled = true
      return state.end
    }
    end?()
  }

  /// Runs a step, which `end` can cancel.
  ///
  /// - Throws: `cancelled`, and what the step throws.
  package func during<Value>(
    _ step: () throws(SecurityKeyFailure) -> Value,
    endedBy end: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> Value {
    let isCancelled = state.withLock { state in
      state.end = end
      return state.isCancelled
    }
    defer { state.withLock { $0.end = nil } }
    guard !isCancelled else { throw .cancelled }
    do throws(SecurityKeyFailure) {
      return try step()
    } catch {
      throw state.withLock { $0.isCancelled } ? .cancelled : error
    }
  }
}

/// Makes secrets with the security keys that are plugged in.
///
/// Each call blocks its thread, for a touch up to a minute. It runs in a process of its own, since
/// the key's library may keep copies of a PIN and of a secret.
package protocol SecurityKeySealing: Sendable {
  /// Examines the only key that is plugged in; needs no touch.
  func look() throws(SecurityKeyFailure) -> SecurityKeyFacts
  /// Makes a credential and its secret with the only key that is plugged in: two touches.
  ///
  /// - Parameters:
  ///   - credentials: the names of credentials that the key must not hold yet.
  ///   - pin: the PIN of the key, in UTF-8; `nil` if it needs none.
  ///   - wait: ends the wait for a touch.
  ///   - lit: called when the key waits for a touch.
  /// - Returns: the parameters of a new slot, and its secret.
  /// - Throws: why the key made none.
  func make(
    excluding credentials: [[UInt8]],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> SecurityKeySecret
  /// Makes the secret of one of these slots again: one touch.
  ///
  /// - Returns: the index of the slot, and its secret.
  func open(
    _ slots: [SecurityKeyParameters],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> (index: Int, secret: SharedSecret)
}
