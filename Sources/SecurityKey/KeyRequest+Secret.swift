internal import CFido2
package import SecretMemory

// Secrets that a key derives from a salt, by its extension hmac-secret (CTAP 2.1, section 12.5).
extension KeyRequest {
  /// The bytes of a secret and of its salt.
  package static let secretCount = 32

  /// Examines the only key that is plugged in, without a touch.
  ///
  /// - Throws: `noSecret` if it makes no secrets, `pinBlocked`, or another `KeyFailure`.
  package func secretFacts() throws(KeyFailure) -> KeySecretFacts {
    let key = try onlyKey()
    return try using(key) { () throws(KeyFailure) in try key.secretFacts() }
  }

  /// Makes a credential with the only key that is plugged in, and a secret from a salt: two
  /// touches.
  ///
  /// The person is verified if the key can do that.
  ///
  /// - Parameters:
  ///   - user: an identifier of 1 to 64 bytes that says nothing about the person.
  ///   - salt: 32 bytes.
  ///   - credentials: the names of credentials that a key must not hold yet.
  ///   - pin: the PIN, used instead of the key's built-in user verification; `nil` if there is
  ///     none.
  ///   - lit: called when the key is about to wait for a touch.
  /// - Returns: the credential, whether its person was verified, and the secret.
  /// - Throws: a `KeyFailure`; `pinNeeded` before the key is lit.
  package func makeSecret(
    user: [UInt8],
    salt: [UInt8],
    excluding credentials: [[UInt8]],
    pin: SharedSecret?,
    lit: () -> Void
  ) throws(KeyFailure) -> (credential: NewKeyCredential, verifies: Bool, secret: SharedSecret) {
    let key = try onlyKey()
    return try using(key) { () throws(KeyFailure) in
      let facts = try key.secretFacts()
      let verification = KeyVerification(
        isRequired: facts.verifies,
        pin: facts.verifies ? pin : nil
      )
      // The later assertion proves the identity of the key, so the challenge of this signature is
      // constant.
      let credential = try key.enroll(
        [UInt8](repeating: 0, count: 32),
        user: user,
        name: "thumblatch",
        excluding: credentials,
        verification,
        withSecret: true,
        lit: lit
      )
      let wish = KeySecretWish(
        credential: credential.identifier,
        salt: salt,
        verifies: facts.verifies
      )
      let secret = try key.secret(wish, verification, lit: lit)
      return (credential, facts.verifies, secret)
    }
  }

  /// Makes the secret of one of these credentials again, with the key that holds it: one touch.
  ///
  /// - Returns: the index of the wish, and the secret.
  /// - Throws: a `KeyFailure`; `pinNeeded` before the key is lit.
  package func secret(
    ofAny wishes: [KeySecretWish],
    pin: SharedSecret?,
    lit: () -> Void
  ) throws(KeyFailure) -> (index: Int, secret: SharedSecret) {
    let (key, credential) = try holder(of: wishes.map(\.credential))
    guard let index = wishes.firstIndex(where: { $0.credential == credential }) else {
      throw .unexpected(FIDO_ERR_INTERNAL)
    }
    let wish = wishes[index]
    return try using(key) { () throws(KeyFailure) in
      let verification = KeyVerification(
        isRequired: wish.verifies,
        pin: wish.verifies ? pin : nil
      )
      do throws(KeyFailure) {
        return (index, try key.secret(wish, verification, lit: lit))
      } catch {
        // With a PIN, the secret would be a different one.
        if case .pinNeeded = error, !wish.verifies { throw .alwaysVerifies }
        throw error
      }
    }
  }
}

extension OpenKey {
  /// The facts that this key reports about itself.
  ///
  /// - Throws: `noSecret` if it makes no secrets, and `pinBlocked` if it no longer accepts a PIN.
  func secretFacts() throws(KeyFailure) -> KeySecretFacts {
    guard try makesSecrets() else { throw .noSecret }
    let hasPIN = unsafe fido.dev_has_pin(device)
    let needsPIN = !verifies && hasPIN
    let left = hasPIN ? retries : nil
    guard !needsPIN || left != 0 else { throw .pinBlocked }
    return KeySecretFacts(verifies: verifies || hasPIN, needsPIN: needsPIN, retries: left)
  }

  /// Whether the key has the extension hmac-secret.
  private func makesSecrets() throws(KeyFailure) -> Bool {
    guard let info = fido.cbor_info_new() else { throw .unexpected(FIDO_ERR_INTERNAL) }
    var rest: OpaquePointer? = unsafe info
    defer { unsafe fido.cbor_info_free(&rest) }
    let code = unsafe fido.dev_get_cbor_info(device, info)
    guard code == FIDO_OK else { throw failure(code) }
    let count = unsafe fido.cbor_info_extensions_len(info)
    guard let names = unsafe fido.cbor_info_extensions_ptr(info) else { return false }
    return (0..<count).contains { index in
      unsafe names[index].map { unsafe String(cString: $0) == "hmac-secret" } ?? false
    }
  }

  /// Lights the key, and makes its secret after the touch.
  func secret(
    _ wish: KeySecretWish,
    _ verification: KeyVerification,
    lit: () -> Void
  ) throws(KeyFailure) -> SharedSecret {
    let assertion = try Assertion(
      challenge: [UInt8](repeating: 0, count: 32),
      [wish.credential]
    )
    try demandPIN(verification)
    try assertion.set(salt: wish.salt)
    let byItself = verification.isRequired && verification.pin == nil
    try assertion.set(touch: true, verification: byItself)
    lit()
    let code = unsafe try KeyLibrary.withPIN(verification.pin) { pin in
      unsafe fido.dev_get_assert(device, assertion.pointer, pin)
    }
    // The library does not report that the key was unplugged before the key agreement.
    guard code != FIDO_ERR_INTERNAL else { throw .removed }
    guard code == FIDO_OK else { throw failure(code) }
    return try assertion.secret()
  }
}
