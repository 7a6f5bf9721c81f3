import COpenSSL
import Cryptography
import SecretMemory
import Testing

/// The cost of sealing, compared with the necessary library calls.
@Suite
struct SpeedTests {
  @Test
  func sealAndOpenCostAtMostTwiceTheBareCalls() throws {
    #if DEBUG
    // A debug build is not optimised, so only a gross slowdown is found.
    let limit = 100.0
    #else
    let limit = 2.0
    #endif
    let key = try Samples.key()
    let context = try Samples.context()
    let token = try SecretBytes.random(count: 1024)
    let bare = try #require(BareCalls())
    // The two alternate, and the best of each counts, because other programs slow both.
    let clock = ContinuousClock()
    var ours = Duration.seconds(1)
    var theirs = Duration.seconds(1)
    for _ in 0..<40 {
      ours = min(
        ours,
        try clock.measure {
          for _ in 0..<100 {
            let box = try SealedBox.seal(token, using: key, context: context)
            let count = try box.open(using: key, context: context).count
            #expect(count == 1024)
          }
        }
      )
      theirs = min(
        theirs,
        clock.measure {
          for _ in 0..<100 { #expect(bare.sealAndOpen()) }
        }
      )
    }
    let ratio = ours / theirs
    print("seal and open of 1 KiB: \(ours / 100), bare calls \(theirs / 100), ratio \(ratio)")
    #expect(ratio <= limit)
  }
}

/// HKDF and AES-256-GCM by OpenSSL only: no random bytes, no header, no locked memory.
@safe
private final class BareCalls {
  private let kdf: OpaquePointer
  private let cipher: OpaquePointer
  private let key = [UInt8](repeating: 1, count: 32)
  private let salt = [UInt8](repeating: 2, count: 32)
  private let info = [UInt8](repeating: 3, count: 110)
  private let nonce = [UInt8](repeating: 4, count: 12)
  private let header = [UInt8](repeating: 5, count: 149)
  private var boxKey = [UInt8](repeating: 0, count: 32)
  private var plaintext = [UInt8](repeating: 6, count: 1024)
  private var sealed = [UInt8](repeating: 0, count: 1024)
  private var tag = [UInt8](repeating: 0, count: 16)

  init?() {
    guard let kdf = unsafe EVP_KDF_fetch(nil, "HKDF", nil),
      let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    else { return nil }
    unsafe self.kdf = kdf
    unsafe self.cipher = cipher
  }

  deinit {
    unsafe EVP_KDF_free(kdf)
    unsafe EVP_CIPHER_free(cipher)
  }

  func sealAndOpen() -> Bool { crypt(encrypting: 1) && crypt(encrypting: 0) }

  private func crypt(encrypting: Int32) -> Bool {
    let derived = unsafe copenssl_hkdf_sha256(
      kdf,
      key,
      key.count,
      salt,
      salt.count,
      info,
      info.count,
      &boxKey,
      boxKey.count
    )
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var count: Int32 = 0
    var done =
      unsafe derived == 1
      && EVP_CipherInit_ex2(context, cipher, boxKey, nonce, encrypting, nil) == 1
      && EVP_CipherUpdate(context, nil, &count, header, Int32(header.count)) == 1
    if encrypting == 1 {
      done = unsafe done && EVP_CipherUpdate(context, &sealed, &count, plaintext, 1024) == 1
      done = unsafe done && EVP_CipherFinal_ex(context, &tag, &count) == 1
      done =
        unsafe done && EVP_CIPHER_CTX_ctrl(context, Int32(EVP_CTRL_AEAD_GET_TAG), 16, &tag) == 1
    } else {
      done = unsafe done && EVP_CipherUpdate(context, &plaintext, &count, sealed, 1024) == 1
      done =
        unsafe done && EVP_CIPHER_CTX_ctrl(context, Int32(EVP_CTRL_AEAD_SET_TAG), 16, &tag) == 1
      var rest: (UInt64, UInt64) = (0, 0)
      done = unsafe withUnsafeMutableBytes(of: &rest) { buffer in
        unsafe done
          && EVP_CipherFinal_ex(
            context,
            buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
            &count
          ) == 1
      }
    }
    return done
  }
}
