import Cryptography
import JSON
import SecretMemory
import TestSupport
import Testing

@testable import OAuth

private func keySet(_ keys: [String]) throws -> KeySet {
  try KeySet(secret(#"{"keys":[\#(keys.joined(separator: ","))]}"#))
}

private func refusal(_ body: String) throws -> KeySetError? {
  let body = try secret(body)
  do throws(KeySetError) {
    _ = try KeySet(body)
    return nil
  } catch {
    return error
  }
}

@Suite
struct KeySetTests {
  private static let signer = Result { try TokenSigner() }

  @Test
  func keysOfAllKindsAreTakenAndWrittenAgain() throws {
    let signer = try Self.signer.get()
    let keys = try [
      signer.jwk(.rsa, kid: "1", more: #""use":"sig","alg":"RS256","x5t":"abc""#),
      signer.jwk(.p256, kid: "2", more: #""key_ops":["verify"]"#), signer.jwk(.ed25519, kid: nil),
    ]
    let set = try keySet(keys)
    #expect(set.count == 3)
    let again = try KeySet(set.encoded)
    #expect(again.count == 3 && again.encoded == set.encoded)
    #expect(again.keys.map(\.kid) == ["1", "2", nil])
    #expect(!String(decoding: set.encoded, as: UTF8.self).contains("x5t"))
  }

  @Test
  func aKeyIsOfferedOnlyForItsPurpose() throws {
    let signer = try Self.signer.get()
    let set = try keySet([
      signer.jwk(.rsa, kid: "1", more: #""alg":"RS256""#), signer.jwk(.otherRSA, kid: "2"),
      signer.jwk(.p256, kid: "1"), signer.jwk(.ed25519, kid: nil),
    ])
    #expect(set.candidates(kid: "1", .rs256).count == 1)
    #expect(set.candidates(kid: "1", .ps256).isEmpty)
    #expect(set.candidates(kid: "2", .ps256).count == 1)
    #expect(set.candidates(kid: "1", .es256).count == 1)
    #expect(set.candidates(kid: "1", .edDSA).isEmpty)
    #expect(set.candidates(kid: nil, .rs256).count == 2)
    #expect(set.candidates(kid: "3", .rs256).isEmpty)
  }

  @Test(arguments: [
    #""use":"enc""#, #""use":7"#, #""use":"SIG""#, #""key_ops":["sign"]"#, #""key_ops":[]"#,
    #""key_ops":"verify""#, #""alg":"HS256""#, #""alg":"none""#, #""alg":"ES512""#,
    #""alg":"ES256""#, #""alg":"RSA-OAEP""#, #""alg":null"#, #""d":"AQAB""#, #""p":"AQAB""#,
    #""q":"""#, #""dp":"x""#, #""dq":"x""#, #""qi":"x""#, #""oth":[]"#, #""k":"AQAB""#,
    #""d":null"#,
  ])
  func aKeyThatIsForSomethingElseIsLeftOut(_ member: String) throws {
    let signer = try Self.signer.get()
    #expect(try keySet([signer.jwk(.rsa, kid: "1", more: member)]).count == 0)
    #expect(
      try keySet([signer.jwk(.rsa, kid: "1", more: member), signer.jwk(.p256, kid: "1")]).count
        == 1
    )
  }

  @Test
  func weakAndBrokenKeysAreLeftOut() throws {
    let signer = try Self.signer.get()
    #expect(try keySet([signer.jwk(.shortRSA, kid: "1")]).count == 0)
    let point = try object(signer.jwk(.p256, kid: nil))
    let x = try point.string("x")
    let y = try point.string("y")
    let broken = [
      #"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#,
      #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)A"}"#,
      #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)="}"#,
      #"{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(y)"}"#,
      #"{"kty":"EC","crv":"secp256k1","x":"\#(x)","y":"\#(y)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)AAAA"}"#,
      #"{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#, #"{"kty":"OKP","crv":"Ed448","x":"\#(x)"}"#,
      #"{"kty":"oct","k":"\#(x)"}"#, #"{"kty":"RSA","n":"\#(x)","e":"AQAB"}"#,
      #"{"kty":"RSA","e":"AQAB"}"#, #"{"kty":"RSA","n":7,"e":"AQAB"}"#, #"{"kty":["RSA"]}"#,
      #"{"kty":"rsa","n":"\#(x)","e":"AQAB"}"#, "{}", "null", "7", #""RSA""#, "[]",
      try signer.jwk(.p256, kid: String(repeating: "k", count: 257)),
      try signer.jwk(.p256, kid: nil, more: #""kid":7"#),
    ]
    for key in broken { #expect(try keySet([key]).count == 0, "\(key)") }
    #expect(try keySet(broken + [signer.jwk(.p256, kid: "1")]).count == 1)
  }

  @Test
  func aPointThatIsNotOnItsCurveChecksNoToken() throws {
    let samples = try IDTokenSamples.shared.get()
    let point = try object(samples.signer.jwk(.p256, kid: nil))
    let (x, y) = (try point.string("x"), try point.string("y"))
    let broken = #"{"kty":"EC","crv":"P-256","kid":"e","x":"\#(y)","y":"\#(x)"}"#
    let token = try samples.token()
    #expect(samples.check(token, keys: try keySet([broken])) != "u1")
    let both = try keySet([broken, samples.signer.jwk(.p256, kid: "e")])
    #expect(samples.check(token, keys: both) == "u1")
  }

  /// With the exponent 1, the signature equals the signed data.
  @Test(arguments: ["AQ", "Ag", "AA", "", "AAEAAQ", "____________"])
  func anRSAKeyThatAnyoneCanSignForIsLeftOut(_ exponent: String) throws {
    let modulus = try object(Self.signer.get().jwk(.rsa, kid: nil)).string("n")
    #expect(try keySet([#"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"}"#]).count == 0)
  }

  @Test
  func whatIsNoSetIsRefused() throws {
    for body in ["", "null", "[]", "{", "<html>", #"{"keys":[],"keys":[]}"#, "{}x"] {
      #expect(try refusal(body) == .notAnObject)
    }
    for body in ["{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#, #"{"Keys":[]}"#] {
      #expect(try refusal(body) == .withoutKeys)
    }
    #expect(try refusal(#"{"keys":[]}"#) == nil)
  }

  @Test
  func thereIsAnEndToIt() throws {
    let some = Array(repeating: "{}", count: 100).joined(separator: ",")
    #expect(try refusal(#"{"keys":[\#(some)]}"#) == nil)
    #expect(try refusal(#"{"keys":[\#(some),{}]}"#) == .tooManyKeys)
    #expect(try refusal(String(repeating: " ", count: 65_525) + #"{"keys":[]}"#) == nil)
    #expect(try refusal(String(repeating: " ", count: 65_526) + #"{"keys":[]}"#) == .tooLong)
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(try refusal(#"{"keys":[{"x":\#(deep)}]}"#) == nil)
    #expect(try refusal(#"{"keys":\#(deep)}"#) == nil)
  }
}
