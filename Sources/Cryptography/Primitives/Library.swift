internal import COpenSSL

/// This room's use of OpenSSL: its own library context, and the algorithms fetched from it once.
///
/// With its own context, no `openssl.cnf` and no OPENSSL_CONF in the environment can load a
/// provider or an engine into the process that holds the keys. The configuration applies only to
/// the default context (OSSL_LIB_CTX(3)).
@safe
struct Library: @unchecked Sendable {
  /// The library, fetched at first use; never freed, valid during the lifetime of the process.
  static let shared = Library()

  let context: OpaquePointer?
  let hkdf: OpaquePointer?
  let aes256GCM: OpaquePointer?
  let sha256: OpaquePointer?
  let sha384: OpaquePointer?
  let sha512: OpaquePointer?

  private init() {
    unsafe context = OSSL_LIB_CTX_new()
    unsafe hkdf = EVP_KDF_fetch(context, "HKDF", nil)
    unsafe aes256GCM = EVP_CIPHER_fetch(context, "AES-256-GCM", nil)
    unsafe sha256 = EVP_MD_fetch(context, "SHA256", nil)
    unsafe sha384 = EVP_MD_fetch(context, "SHA384", nil)
    unsafe sha512 = EVP_MD_fetch(context, "SHA512", nil)
  }

  /// The error of a call that has just failed.
  ///
  /// It empties the queue, so that a later failure does not report this error (ERR_get_error(3)).
  static func failure(_ call: String) -> CryptographyError {
    let first = ERR_get_error()
    ERR_clear_error()
    return .library(call: call, code: UInt(first))
  }

  /// Throws unless an OpenSSL call returned 1.
  static func require(_ status: Int32, _ call: String) throws(CryptographyError) {
    guard status == 1 else { throw failure(call) }
  }
}
