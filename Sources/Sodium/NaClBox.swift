// The wall of this room: no other one uses libsodium.

internal import CSodium

/// The box of NaCl: X25519, XSalsa20 and Poly1305 (`crypto_box` of libsodium).
///
/// The key is in ordinary memory.
package struct NaClBox: Sendable {
  /// Bytes of a public key.
  package static let publicKeyCount = Int(crypto_box_curve25519xsalsa20poly1305_PUBLICKEYBYTES)
  /// Bytes of a nonce.
  package static let nonceCount = Int(crypto_box_curve25519xsalsa20poly1305_NONCEBYTES)
  /// Bytes of a tag, which comes before the ciphertext.
  package static let tagCount = Int(crypto_box_curve25519xsalsa20poly1305_MACBYTES)

  private static let secretKeyCount = Int(crypto_box_curve25519xsalsa20poly1305_SECRETKEYBYTES)
  private static let keyCount = Int(crypto_box_curve25519xsalsa20poly1305_BEFORENMBYTES)
  /// Whether libsodium can be used: it wants this call before it makes keys.
  private static let isReady = sodium_init() >= 0

  /// The public key of this side.
  package let publicKey: [UInt8]
  /// The key that both sides share.
  let key: [UInt8]

  /// The tag and the ciphertext.
  package func seal(_ text: [UInt8], nonce: [UInt8]) -> [UInt8] {
    precondition(nonce.count == Self.nonceCount)
    var sealed = [UInt8](repeating: 0, count: Self.tagCount + text.count)
    // It fails for no text that fits into memory.
    _ = unsafe crypto_box_easy_afternm(&sealed, text, UInt64(text.count), nonce, key)
    return sealed
  }

  /// The text; `nil` if the tag is wrong.
  package func open(_ sealed: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.tagCount, nonce.count == Self.nonceCount else { return nil }
    var text = [UInt8](repeating: 0, count: sealed.count - Self.tagCount)
    let count = UInt64(sealed.count)
    let status = unsafe crypto_box_open_easy_afternm(&text, sealed, count, nonce, key)
    return status == 0 ? text : nil
  }
}

extension NaClBox {
  /// Makes a new pair of keys for the other side's public key; `nil` if that is no public key.
  package init?(with other: [UInt8]) {
    var publicKey = [UInt8](repeating: 0, count: Self.publicKeyCount)
    var secretKey = [UInt8](repeating: 0, count: Self.secretKeyCount)
    guard Self.isReady, unsafe crypto_box_keypair(&publicKey, &secretKey) == 0 else { return nil }
    self.init(publicKey: publicKey, secretKey: secretKey, with: other)
  }

  /// The same with a pair of keys of a test.
  init?(publicKey: [UInt8], secretKey: [UInt8], with other: [UInt8]) {
    guard secretKey.count == Self.secretKeyCount, other.count == Self.publicKeyCount else {
      return nil
    }
    var key = [UInt8](repeating: 0, count: Self.keyCount)
    // It refuses points of small order.
    guard unsafe crypto_box_beforenm(&key, other, secretKey) == 0 else { return nil }
    self.init(publicKey: publicKey, key: key)
  }
}
