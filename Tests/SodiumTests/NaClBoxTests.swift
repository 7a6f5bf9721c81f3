import Testing

@testable import Sodium

/// The expected bytes are those of libsodium 1.0.18.
struct NaClBoxTests {
  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private static func key(_ start: Int) -> [UInt8] {
    (0..<32).map { UInt8(($0 * 7 + start) % 256) }
  }

  private static let server = bytes(
    "c8feca81be196cdf2cadeabf13c4903d7632dce4955aa68b6e5d9adef54e2616"
  )
  private static let client = bytes(
    "3b6a4fc4c96d009d6c58e22870096c07b756bbba39cc53d365189ebe3088f558"
  )
  private static let nonce = (0..<24).map { UInt8($0) }

  @Test
  func bothSidesHaveOneKey() throws {
    let key = Self.bytes("017b0707a1d3c1cc188c5667eedf099b9d89a8bf81f84af49001913471a0ed55")
    for (own, secret, other) in [(Self.server, 1, Self.client), (Self.client, 99, Self.server)] {
      let box = try #require(
        NaClBox(publicKey: own, secretKey: Self.key(secret), with: other)
      )
      #expect(box.key == key && box.publicKey == own)
    }
  }

  @Test
  func eachBoxHasAPairOfItsOwn() throws {
    let first = try #require(NaClBox(with: Self.client))
    let second = try #require(NaClBox(with: Self.client))
    #expect(first.publicKey != second.publicKey && first.key != second.key)
    let other = try #require(
      NaClBox(publicKey: Self.client, secretKey: Self.key(99), with: first.publicKey)
    )
    #expect(other.key == first.key)
  }

  /// Points of small order, and keys of another length.
  @Test
  func whatIsNoPublicKeyIsRefused() {
    let zero = [UInt8](repeating: 0, count: 32)
    for other in [zero, [1] + zero.dropFirst(), [], Array(Self.client.dropLast()), zero + [0]] {
      #expect(NaClBox(with: other) == nil)
    }
  }

  @Test(
    arguments: [
      (0, "0b16641b044a4c2fff7c4ab219daaa9e"),
      (1, "bad66b857ef22a8309f55a1830d9011867"),
      (16, "4a0b203edc9c13ae3cbd9e6459acb34e7649ced2ad1526e4713bd491374251cd"),
      (33, "736dcb416bf5c4c60ddccbb1028b02d7477effe19c3a37f7602cc5e2463d20be1550ec97"),
      (300, "78885df7c40f2340da857ee4bd2393194a75eafe89313a801d57b0ed53263da9"),
    ]
  )
  func theBoxIsThatOfLibsodium(count: Int, begin: String) {
    let text = (0..<count).map { UInt8(($0 * 3 + count) % 256) }
    let box = NaClBox(publicKey: [], key: Self.key(5))
    let sealed = box.seal(text, nonce: Self.nonce)
    #expect(sealed.count == count + 16)
    #expect(sealed.starts(with: Self.bytes(begin)))
    #expect(box.open(sealed, nonce: Self.nonce) == text)
    for index in [0, 15, sealed.count - 1] {
      var changed = sealed
      changed[index] ^= 1
      #expect(box.open(changed, nonce: Self.nonce) == nil)
    }
    #expect(box.open(Array(sealed.dropLast()), nonce: Self.nonce) == nil)
    #expect(box.open(sealed, nonce: Array(Self.nonce.dropLast())) == nil)
    #expect(NaClBox(publicKey: [], key: Self.key(6)).open(sealed, nonce: Self.nonce) == nil)
  }
}
