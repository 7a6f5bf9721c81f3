internal import CFido2
internal import SecretMemory

/// A request for a signature, and the key's answer.
@safe
final class Assertion {
  let pointer: OpaquePointer
  private let fido: cfido2

  init(challenge: [UInt8], _ credentials: [[UInt8]]) throws(KeyFailure) {
    let fido = try KeyLibrary.loaded()
    guard let pointer = fido.assert_new() else { throw .unexpected(FIDO_ERR_INTERNAL) }
    unsafe self.pointer = pointer
    self.fido = fido
    var code = unsafe fido.assert_set_rp(pointer, KeyLibrary.domain)
    if code == FIDO_OK {
      code = unsafe fido.assert_set_clientdata_hash(pointer, challenge, challenge.count)
    }
    for credential in credentials where code == FIDO_OK {
      code = unsafe fido.assert_allow_cred(pointer, credential, credential.count)
    }
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  deinit {
    var pointer: OpaquePointer? = unsafe self.pointer
    unsafe fido.assert_free(&pointer)
  }

  func set(touch: Bool, verification: Bool) throws(KeyFailure) {
    var code = unsafe fido.assert_set_up(pointer, touch ? FIDO_OPT_TRUE : FIDO_OPT_FALSE)
    if code == FIDO_OK, verification { code = unsafe fido.assert_set_uv(pointer, FIDO_OPT_TRUE) }
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  /// The credential that the key names; `nil` if it names none.
  var credential: [UInt8]? {
    guard unsafe fido.assert_count(pointer) > 0 else { return nil }
    let count = unsafe fido.assert_id_len(pointer, 0)
    guard count > 0 else { return nil }
    return unsafe KeyLibrary.bytes(fido.assert_id_ptr(pointer, 0), count)
  }

  /// Requests the secret that the key derives from a salt of 32 bytes (CTAP 2.1, section 12.5).
  func set(salt: [UInt8]) throws(KeyFailure) {
    var code = unsafe fido.assert_set_extensions(pointer, FIDO_EXT_HMAC_SECRET)
    if code == FIDO_OK {
      code = unsafe fido.assert_set_hmac_salt(pointer, salt, salt.count)
    }
    guard code == FIDO_OK else { throw .unexpected(code) }
  }

  /// The secret that the key has made, 32 bytes.
  func secret() throws(KeyFailure) -> SharedSecret {
    guard unsafe fido.assert_count(pointer) == 1,
      let start = unsafe fido.assert_hmac_secret_ptr(pointer, 0),
      unsafe fido.assert_hmac_secret_len(pointer, 0) == KeyRequest.secretCount
    else { throw .noSecret }
    do throws(SecretMemoryError) {
      return SharedSecret(
        unsafe try SecretBytes(capacity: KeyRequest.secretCount) { room in
          unsafe room.copyMemory(
            from: UnsafeRawBufferPointer(start: start, count: KeyRequest.secretCount)
          )
          return KeyRequest.secretCount
        }
      )
    } catch {
      throw .unexpected(FIDO_ERR_INTERNAL)
    }
  }

  /// What the key has signed with this credential, the only one that was allowed.
  func signed(_ credential: [UInt8]) throws(KeyFailure) -> KeyAssertion {
    guard unsafe fido.assert_count(pointer) == 1 else { throw .unexpected(FIDO_ERR_INTERNAL) }
    let encoded = unsafe KeyLibrary.bytes(
      fido.assert_authdata_ptr(pointer, 0),
      fido.assert_authdata_len(pointer, 0)
    )
    guard let data = Self.content(encoded) else { throw .unexpected(FIDO_ERR_INTERNAL) }
    return KeyAssertion(
      credential: credential,
      authenticatorData: data,
      signature: unsafe KeyLibrary.bytes(
        fido.assert_sig_ptr(pointer, 0),
        fido.assert_sig_len(pointer, 0)
      )
    )
  }

  /// The content of a CBOR byte string (RFC 8949, section 3); `nil` if it is not such a string.
  ///
  /// The library returns the authenticator data with this head, which the key does not sign.
  static func content(_ encoded: [UInt8]) -> [UInt8]? {
    let head: Int
    switch encoded.first {
    case 0x58: head = 2
    case 0x59: head = 3
    default: return nil
    }
    guard encoded.count > head else { return nil }
    let count = encoded[1..<head].reduce(0) { $0 << 8 | Int($1) }
    return encoded.count == head + count ? Array(encoded[head...]) : nil
  }
}
