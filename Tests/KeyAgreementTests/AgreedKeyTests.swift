import SecretMemory
import Testing

@testable import KeyAgreement

/// The key of a session of the Secret Service, and its encryption.
struct AgreedKeyTests {
  private static let prime = bytes(
    """
    FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74\
    020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437\
    4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
    EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF
    """
  )

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  private func text(_ secret: borrowing SecretBytes) -> [UInt8] {
    unsafe secret.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
  }

  /// The values were computed by Python's `pow` and `hmac`, and by `openssl enc`.
  @Test
  func itAgreesWithOtherPrograms() throws {
    // The shared secret begins with a zero byte, which counts.
    let other = Self.bytes(
      """
      09CFF7F463F80C18312D3ADC80C6625138622B6F0810BF0AB43F0DA575032ACF\
      87830F49737C48E974EEB2922A4A225D3510C35704D5DB11FCD412E41A7599E9\
      7A6E734914FF465A89946E78E93308E66E0806B9486E5661D8618404B55E9BE5\
      A75476E9E172067895798C1CB8676EEE6C6AD485DA5E8EDC3AE74B34D2BDB09E
      """
    )
    let key = try AgreedKey(with: other, privateKey: SecretBytes(copying: Array(1...128)))
    let publicKey = Self.bytes(
      """
      52893C96A07492593D36D00328BA21101C0AB104717CF1928B3890E1ECBD76E8\
      27E7BA7D589A03EF64F8F5648CEA2B077409319013D832C41A04A3793EB4B73C\
      A2A36306241DE180EC36F5CFBEF207BA2E04A39F1384DCE12B8EBE27B54DBF04\
      9BE0ABC80EBD4849976974B2BE955C2C87BA11712576887F5B96427A1D8FB2FD
      """
    )
    #expect(key.publicKey == publicKey)
    let secret = Array("a secret of some length".utf8)
    let sealed = try key.seal(SecretBytes(copying: secret), vector: Array(0..<16))
    #expect(
      sealed == Self.bytes("39E86AD70B651815CF53282D55632444B02B7469639D6273588336E371B03F09")
    )
    let opened = try key.open(SecretBytes(copying: sealed), vector: Array(0..<16))
    #expect(text(opened) == secret)
  }

  @Test
  func bothSidesAgree() throws {
    let base = [UInt8](repeating: 3, count: 128)
    let other = try AgreedKey(with: base)
    let key = try AgreedKey(with: other.publicKey)
    for count in [0, 1, 15, 16, 17, 4096] {
      let secret = try SecretBytes.random(count: count)
      let (vector, sealed) = try key.seal(secret)
      #expect(sealed.count == (count / 16 + 1) * 16)
      #expect(try text(key.open(SecretBytes(copying: sealed), vector: vector)) == text(secret))
      // Another key finds no padding, or another text.
      let opened = try? text(other.open(SecretBytes(copying: sealed), vector: vector))
      #expect(opened != text(secret) || count == 0)
    }
  }

  /// Java writes a number whose top bit is set with a zero before it.
  @Test
  func aZeroBeforeTheNumberChangesNothing() throws {
    let base = [UInt8](repeating: 3, count: 128)
    let plain = try AgreedKey(with: base, privateKey: SecretBytes(copying: base))
    let signed = try AgreedKey(with: [0] + base, privateKey: SecretBytes(copying: base))
    let secret = try SecretBytes(copying: Array("hunter2".utf8))
    let (vector, sealed) = try plain.seal(secret)
    #expect(try text(signed.open(SecretBytes(copying: sealed), vector: vector)) == text(secret))
  }

  @Test
  func aKeyThatSharesNoSecretIsRefused() {
    var last = Self.prime
    last[127] -= 1
    for key in [
      [], [0], [1], [UInt8](repeating: 0, count: 128), last, Self.prime,
      [UInt8](repeating: 0xFF, count: 128), [0] + Self.prime, [UInt8](repeating: 2, count: 129),
    ] {
      #expect(throws: KeyAgreementError.invalidKey) { try AgreedKey(with: key) }
    }
    last[127] -= 1
    #expect((try? AgreedKey(with: last)) != nil)
  }

  @Test
  func whatIsNotSealedIsRefused() throws {
    let key = try AgreedKey(with: [7])
    let (vector, sealed) = try key.seal(SecretBytes(copying: [1, 2, 3]))
    for (bytes, vector) in [
      ([], vector), (Array(sealed.dropLast()), vector), (sealed + [0], vector),
      (sealed, []), (sealed, vector + [0]), (sealed, Array(vector.dropLast())),
    ] {
      let bytes = try SecretBytes(copying: bytes)
      do throws(KeyAgreementError) {
        _ = try key.open(bytes, vector: vector)
        Issue.record("opened")
      } catch {
        #expect(error == .damaged)
      }
    }
  }
}
