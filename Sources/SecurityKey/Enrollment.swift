internal import CFido2

/// A request for a new credential, and the key's answer.
@safe
final class Enrollment {
  let pointer: OpaquePointer
  private let fido: cfido2

  init(
    _ challenge: [UInt8],
    user: [UInt8],
    name: String,
    excluding credentials: [[UInt8]]
  ) throws(KeyFailure) {
    let fido = try KeyLibrary.loaded()
    guard let pointer = fido.cred_new() else { throw .unexpected(FIDO_ERR_INTERNAL) }
    unsafe self.pointer = pointer
    self.fido = fido
    var code = unsafe fido.cred_set_type(pointer, COSE_ES256)
    if code == FIDO_OK {
      code = unsafe fido.cred_set_clientdata_hash(pointer, challenge, challenge.count)
    }
    if code == FIDO_OK {
      code = unsafe fido.cred_set_rp(pointer, KeyLibrary.domain, "Thumblatch")
    }
    if code == FIDO_OK {
      code = unsafe fido.cred_set_user(pointer, user, user.count, name, nil, nil)
    }
    // The key stores nothing: the credential's name holds its private key, sealed by the key.
    if code == FIDO_OK { code = unsafe fido.cred_set_rk(pointer, FIDO_OPT_FALSE) }
    for credential in credentials where code == FIDO_OK {
      code = unsafe fido.cred_exclude(pointer, credential, credential.count)
    }
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  deinit {
    var pointer: OpaquePointer? = unsafe self.pointer
    unsafe fido.cred_free(&pointer)
  }

  func set(verification: Bool) throws(KeyFailure) {
    guard verification else { return }
    let code = unsafe fido.cred_set_uv(pointer, FIDO_OPT_TRUE)
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  /// Requests a credential with the extension hmac-secret (CTAP 2.1, section 12.5).
  func setSecret() throws(KeyFailure) {
    let code = unsafe fido.cred_set_extensions(pointer, FIDO_EXT_HMAC_SECRET)
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  /// The credential that the key has made, after its signature was verified.
  func made() throws(KeyFailure) -> NewKeyCredential {
    let isAttested = unsafe fido.cred_x5c_ptr(pointer) != nil
    let code = unsafe isAttested ? fido.cred_verify(pointer) : fido.cred_verify_self(pointer)
    guard code == FIDO_OK else { throw .unexpected(code) }
    let identifier = unsafe KeyLibrary.bytes(fido.cred_id_ptr(pointer), fido.cred_id_len(pointer))
    let publicKey = unsafe KeyLibrary.bytes(
      fido.cred_pubkey_ptr(pointer),
      fido.cred_pubkey_len(pointer)
    )
    guard !identifier.isEmpty, publicKey.count == 64 else {
      throw .unexpected(FIDO_ERR_INTERNAL)
    }
    // The flag UV of the authenticator data (Web Authentication, section 6.1).
    let isVerified = unsafe fido.cred_flags(pointer) & 0x04 != 0
    return NewKeyCredential(
      identifier: identifier,
      publicKey: publicKey,
      isVerified: isVerified
    )
  }
}
