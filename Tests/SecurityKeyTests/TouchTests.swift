import Cryptography
import SecurityKey
import TestSupport
import Testing

/// A key's signature, verified as the engine does.
struct TouchTests {
  private let domain = "thumblatch"

  private func touch(_ assertion: KeyAssertion) -> KeyTouch {
    KeyTouch(
      authenticatorData: assertion.authenticatorData,
      signature: assertion.signature
    )
  }

  @Test
  func aTouchProvesItsChallengeAndNoOther() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let touch = touch(try plugged.signed(credential))
    let key = credential.publicKey
    #expect(touch.proves(challenge, for: domain, by: key, verified: false))
    #expect(!touch.proves(challenge, for: domain, by: key, verified: true))
    #expect(!touch.proves(challenge, for: "thumblatch.example", by: key, verified: false))
    for index in challenge.indices {
      var other = challenge
      other[index] ^= 1
      #expect(!touch.proves(other, for: domain, by: key, verified: false))
    }
    let other = try plugged.enrolled()
    #expect(!touch.proves(challenge, for: domain, by: other.publicKey, verified: false))
  }

  @Test
  func eachChangedBitOfATouchIsRefused() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let assertion = try plugged.signed(credential)
    func isProof(_ data: [UInt8], _ signature: [UInt8]) -> Bool {
      KeyTouch(authenticatorData: data, signature: signature)
        .proves(challenge, for: domain, by: credential.publicKey, verified: false)
    }
    for bit in 0..<assertion.authenticatorData.count * 8 {
      var data = assertion.authenticatorData
      data[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isProof(data, assertion.signature), "bit \(bit) of the data")
    }
    for bit in 0..<assertion.signature.count * 8 {
      var signature = assertion.signature
      signature[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isProof(assertion.authenticatorData, signature), "bit \(bit) of the signature")
    }
    for count in 0..<assertion.authenticatorData.count {
      #expect(!isProof(Array(assertion.authenticatorData.prefix(count)), assertion.signature))
    }
    for count in 0..<assertion.signature.count {
      #expect(!isProof(assertion.authenticatorData, Array(assertion.signature.prefix(count))))
    }
    #expect(!isProof(assertion.authenticatorData, assertion.signature + [0]))
  }

  /// The key itself signs other flags: a touch that was none is refused although its signature is
  /// right.
  @Test(arguments: [(0x00, false), (0x04, false), (0x01, false), (0x05, true)])
  func aSignatureCountsOnlyWithTheFlagsThatAreAskedFor(flags: Int, verified: Bool) throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    try plugged.key.say("flags \(flags)")
    // libfido2 itself refuses no flag in an assertion that it only carries.
    let touch = touch(try plugged.signed(credential))
    #expect(
      touch.proves(challenge, for: domain, by: credential.publicKey, verified: true) == verified
    )
    #expect(
      touch.proves(challenge, for: domain, by: credential.publicKey, verified: false)
        == (flags & 1 == 1)
    )
  }
}
