internal import COpenSSL

/// AES-256 in Galois/Counter Mode, only with a 96-bit nonce and a 128-bit tag (NIST SP 800-38D).
package enum AES256GCM {
  /// Bytes of a key.
  package static let keyCount = 32
  /// Bytes of a nonce; other lengths weaken GCM's security bounds (SP 800-38D, 5.2.1.1).
  package static let nonceCount = 12
  /// Bytes of a tag.
  package static let tagCount = 16

  /// Writes ciphertext and tag into `output`, which has exactly the room for both.
  package static func seal(
    _ plaintext: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    authenticating header: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    guard output.count == plaintext.count + tagCount else { throw .wrongLength }
    let operation = try Operation(encrypting: true)
    unsafe try operation.begin(key: key, nonce: nonce, header: header)
    unsafe try operation.update(plaintext, into: output)
    try operation.finish()
    let tag = unsafe output.baseAddress.map { unsafe $0 + plaintext.count }
    unsafe try operation.control(EVP_CTRL_AEAD_GET_TAG, tag)
  }

  /// Opens ciphertext and tag into `output`, which has exactly the room for the plaintext.
  ///
  /// - Throws: `damaged` if the tag is wrong. `output` then holds unauthenticated bytes and must be
  ///   wiped.
  package static func open(
    _ sealed: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    authenticating header: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    guard sealed.count == output.count + tagCount else { throw .wrongLength }
    let operation = try Operation(encrypting: false)
    unsafe try operation.begin(key: key, nonce: nonce, header: header)
    let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: sealed.prefix(output.count))
    unsafe try operation.update(ciphertext, into: output)
    // The function needs a pointer to mutable memory but only reads it.
    let tag = unsafe sealed.baseAddress.map { unsafe UnsafeMutableRawPointer(mutating: $0) }
    unsafe try operation.control(EVP_CTRL_AEAD_SET_TAG, tag.map { unsafe $0 + output.count })
    do throws(CryptographyError) {
      try operation.finish()
    } catch {
      throw .damaged
    }
  }

  /// One use of a cipher context; EVP_CIPHER_CTX_free(3) clears it together with the key.
  @safe
  private struct Operation: ~Copyable {
    private let context: OpaquePointer
    private let encrypting: Bool

    init(encrypting: Bool) throws(CryptographyError) {
      guard let context = unsafe EVP_CIPHER_CTX_new() else {
        throw Library.failure("EVP_CIPHER_CTX_new")
      }
      unsafe self.context = context
      self.encrypting = encrypting
    }

    deinit {
      unsafe EVP_CIPHER_CTX_free(context)
    }

    func begin(
      key: UnsafeRawBufferPointer,
      nonce: UnsafeRawBufferPointer,
      header: UnsafeRawBufferPointer
    ) throws(CryptographyError) {
      guard key.count == keyCount, nonce.count == nonceCount else { throw .wrongLength }
      guard let cipher = unsafe Library.shared.aes256GCM else {
        throw Library.failure("EVP_CIPHER_fetch")
      }
      // The IV length of a new GCM context is 12 bytes (EVP_EncryptInit(3), "GCM Mode").
      let status = unsafe EVP_CipherInit_ex2(
        context,
        cipher,
        key.baseAddress?.assumingMemoryBound(to: UInt8.self),
        nonce.baseAddress?.assumingMemoryBound(to: UInt8.self),
        encrypting ? 1 : 0,
        nil
      )
      try Library.require(status, "EVP_CipherInit_ex2")
      unsafe try update(header, output: nil)
    }

    func update(
      _ input: UnsafeRawBufferPointer,
      into output: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
      guard output.count >= input.count else { throw .wrongLength }
      unsafe try update(input, output: output.baseAddress)
    }

    /// Passes input to the cipher.
    ///
    /// A NULL output makes the input associated data (EVP_EncryptInit(3), "AEAD Interface"). So an
    /// empty input must not reach the call with the NULL pointer of an empty output.
    private func update(
      _ input: UnsafeRawBufferPointer,
      output: UnsafeMutableRawPointer?
    ) throws(CryptographyError) {
      guard input.count > 0 else { return }
      guard let count = Int32(exactly: input.count) else { throw .wrongLength }
      var written: Int32 = 0
      let status = unsafe EVP_CipherUpdate(
        context,
        output?.assumingMemoryBound(to: UInt8.self),
        &written,
        input.baseAddress?.assumingMemoryBound(to: UInt8.self),
        count
      )
      try Library.require(status, "EVP_CipherUpdate")
    }

    /// Ends the operation; GCM writes no more bytes.
    func finish() throws(CryptographyError) {
      var written: Int32 = 0
      var none: (UInt64, UInt64) = (0, 0)
      let status = unsafe withUnsafeMutableBytes(of: &none) { buffer in
        unsafe EVP_CipherFinal_ex(
          context,
          buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
          &written
        )
      }
      try Library.require(status, "EVP_CipherFinal_ex")
    }

    func control(_ command: Int32, _ tag: UnsafeMutableRawPointer?) throws(CryptographyError) {
      let status = unsafe EVP_CIPHER_CTX_ctrl(context, command, Int32(tagCount), tag)
      try Library.require(status, "EVP_CIPHER_CTX_ctrl")
    }
  }
}
