import OAuth
import SecretMemory
import TestSupport
import Testing

private let refused = "the ID token is refused: "

/// Forged tokens that must not be accepted.
@Suite
struct IDTokenForgeryTests {
  private func samples() throws -> IDTokenSamples { try IDTokenSamples.shared.get() }

  private func forged(
    header: String,
    key: TokenSigner.Key = .p256,
    algorithm: String = "ES256"
  ) throws -> String {
    let samples = try samples()
    return samples.check(
      try samples.signer.token(
        header: header,
        payload: samples.payload(),
        key: key,
        algorithm: algorithm
      )
    )
  }

  @Test(arguments: [
    "none", "None", "NONE", "nOnE", "", "HS256", "ES256K", "RS1", "RS256 ", "es256", "ES521",
  ])
  func anAlgorithmThatIsNotAcceptedIsRefusedByName(_ name: String) throws {
    let why =
      refused
      + "it is signed with \(name.isEmpty ? "nothing" : name), but only this is accepted: RS256, RS384,"
      + " RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA"
    for kid in ["r", "e", "d"] {
      let header = #"{"alg":"\#(name)","kid":"\#(kid)"}"#
      #expect(try forged(header: header) == why)
      #expect(try forged(header: header, algorithm: "none").hasPrefix(refused))
    }
  }

  @Test(arguments: ["null", "7", #"["ES256"]"#, "{}", "true"])
  func anAlgorithmThatIsNoTextIsRefused(_ json: String) throws {
    #expect(try forged(header: #"{"alg":\#(json),"kid":"e"}"#).hasPrefix(refused))
    #expect(try forged(header: #"{"kid":"e"}"#).hasPrefix(refused))
  }

  /// The attack: the public key is known to all, and HMAC accepts any bytes as a secret.
  @Test
  func thePublicKeyIsNoSecret() throws {
    for (kid, key) in [("r", TokenSigner.Key.rsa), ("e", .p256), ("d", .ed25519)] {
      for claimed in ["HS256", "RS256", "ES256", "EdDSA"] {
        let header = #"{"alg":"\#(claimed)","kid":"\#(kid)"}"#
        #expect(try forged(header: header, key: key, algorithm: "HS256") != "u1")
      }
    }
  }

  @Test
  func aTokenIsReadAsNothingButWhatItSays() throws {
    // Good signatures, each under the name of another algorithm.
    for (claimed, kid, key, real) in [
      ("PS256", "r", TokenSigner.Key.rsa, "RS256"), ("RS256", "r", .rsa, "PS256"),
      ("PS256", "r", .rsa, "PS256-salt"), ("ES256", "e", .p256, "ES256-DER"),
      ("RS384", "r", .rsa, "RS256"), ("RS512", "r", .rsa, "RS384"), ("PS512", "r", .rsa, "PS384"),
      ("PS384", "r", .rsa, "RS384"), ("ES384", "e3", .p384, "ES512"),
      ("ES512", "e5", .p521, "ES384"),
    ] {
      let header = #"{"alg":"\#(claimed)","kid":"\#(kid)"}"#
      #expect(
        try forged(header: header, key: key, algorithm: real) == refused + "its signature is wrong"
      )
    }
    // A key of another type, or of another curve, under that key ID: each algorithm has its own.
    for (claimed, kid) in [
      ("ES256", "r"), ("ES256", "e3"), ("ES256", "e5"), ("ES384", "e"), ("ES384", "e5"),
      ("ES512", "e"), ("ES512", "e3"), ("RS512", "e5"), ("EdDSA", "e"),
    ] {
      #expect(
        try forged(header: #"{"alg":"\#(claimed)","kid":"\#(kid)"}"#)
          == "the ID token is signed with an unknown key, \(kid)"
      )
    }
  }

  @Test
  func aStrangersKeyIsNotTheProviders() throws {
    #expect(
      try forged(header: #"{"alg":"ES256","kid":"e"}"#, key: .otherP256)
        == refused + "its signature is wrong"
    )
    #expect(
      try forged(header: #"{"alg":"RS256","kid":"r"}"#, key: .otherRSA, algorithm: "RS256")
        == refused + "its signature is wrong"
    )
    // Too short for a key, though the provider publishes it.
    #expect(
      try forged(header: #"{"alg":"RS256","kid":"s"}"#, key: .shortRSA, algorithm: "RS256")
        == "the ID token is signed with an unknown key, s"
    )
  }

  /// RFC 7515, sections 4.1.2 to 4.1.6: keys inside a token are the forger's own.
  @Test
  func aTokenDoesNotBringItsOwnKey() throws {
    let jwk = try samples().signer.jwk(.otherP256, kid: "own")
    for more in [
      #""jwk":\#(jwk)"#, #""jku":"https://evil.example/keys""#, #""x5u":"https://evil.example/c""#,
      #""x5c":["MIIB"]"#,
    ] {
      for kid in ["e", "own"] {
        let header = #"{"alg":"ES256","kid":"\#(kid)",\#(more)}"#
        #expect(try forged(header: header, key: .otherP256) != "u1")
      }
      #expect(try forged(header: #"{"alg":"ES256",\#(more)}"#, key: .otherP256) != "u1")
    }
  }

  @Test
  func whatMustBeUnderstoodAndIsNotIsRefused() throws {
    for crit in [#"["exp"]"#, "[]", "null", #"["b64"],"b64":false"#, #""exp""#] {
      #expect(
        try forged(header: #"{"alg":"ES256","kid":"e","crit":\#(crit)}"#)
          == refused + "it has extensions that are not known"
      )
    }
  }

  /// RFC 8725, section 3.11: for example an access token of the same provider for the same client.
  @Test(arguments: [#""at+jwt""#, #""application/at+jwt""#, #""logout+jwt""#, #""""#, "7", "null"])
  func aTokenOfAnotherTypeIsRefused(_ type: String) throws {
    #expect(
      try forged(header: #"{"alg":"ES256","kid":"e","typ":\#(type)}"#)
        == refused + "it is a token of another type"
    )
    #expect(try forged(header: #"{"alg":"ES256","kid":"e","typ":"jwt"}"#) == "u1")
    #expect(try forged(header: #"{"alg":"ES256","kid":"e"}"#) == "u1")
  }

  @Test
  func anUnknownKeyIsToldApartFromAForgery() throws {
    let samples = try samples()
    let token = try samples.signer.token(
      header: #"{"alg":"ES256","kid":"new"}"#,
      payload: samples.payload(),
      key: .otherP256,
      algorithm: "ES256"
    )
    #expect(samples.check(token) == "the ID token is signed with an unknown key, new")
    let newer = try KeySet(
      Array(#"{"keys":[\#(try samples.signer.jwk(.otherP256, kid: "new"))]}"#.utf8)
    )
    #expect(samples.check(token, keys: newer) == "u1")
    let shown = try forged(header: #"{"alg":"ES256","kid":"\u001b[2J\u202e\n"}"#)
    #expect(shown.hasPrefix("the ID token is signed with an unknown key") && isFitToBeShown(shown))
    for kid in ["7", "null", "[]"] {
      #expect(
        try forged(header: #"{"alg":"ES256","kid":\#(kid)}"#) == refused + "its `kid` is not text"
      )
    }
  }

  @Test
  func withoutANameThereMustBeOnlyOneKey() throws {
    let samples = try samples()
    let token = try samples.signer.token(
      header: #"{"alg":"ES256"}"#,
      payload: samples.payload(),
      key: .p256,
      algorithm: "ES256"
    )
    let set = { (keys: [TokenSigner.Key]) in
      let jwks = try keys.map { try samples.signer.jwk($0, kid: nil) }
      return try KeySet(Array(#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8))
    }
    #expect(samples.check(token, keys: try set([.p256, .rsa])) == "u1")
    #expect(
      samples.check(token, keys: try set([.p256, .otherP256]))
        == refused + "it does not say which of the provider's keys signed it"
    )
    let unnamed = "the ID token is signed with a key that the provider does not name"
    #expect(samples.check(token, keys: try set([.rsa])) == unnamed)
    // The one key may have been changed since.
    #expect(samples.check(token, keys: try set([.otherP256])) == unnamed)
  }

  @Test
  func membersThatComeTwiceAreRefused() throws {
    let samples = try samples()
    for header in [
      #"{"alg":"ES256","alg":"none","kid":"e"}"#, #"{"alg":"none","alg":"ES256","kid":"e"}"#,
      #"{"alg":"ES256","kid":"e","\u0061lg":"none"}"#, #"{"alg":"ES256","kid":"e"} "x""#, "[]", "",
      #""ES256""#, #"{"alg":"ES256","kid":"e""#,
    ] {
      #expect(try forged(header: header) == refused + "it cannot be read")
    }
    for more in [#""sub":"u2""#, #""\u0073ub":"u2""#, #""iss":"https://id.example.com""#] {
      let payload = samples.payload().dropLast() + "," + more + "}"
      let token = try samples.signer.token(
        header: #"{"alg":"ES256","kid":"e"}"#,
        payload: String(payload),
        key: .p256,
        algorithm: "ES256"
      )
      #expect(samples.check(token) == refused + "it cannot be read")
    }
  }

  @Test
  func signaturesThatEveryKeyWouldTakeAreRefused() throws {
    let samples = try samples()
    let token = try samples.token()
    let signed = token.split(separator: ".").prefix(2).joined(separator: ".")
    let zero = [UInt8](repeating: 0, count: 32)
    let one = [UInt8](repeating: 0, count: 31) + [1]
    for signature in [
      zero + zero, zero + one, one + zero, one + one, zero, [], zero + zero + [0],
      [0] + zero + zero,
      [0x30, 6, 2, 1, 0, 2, 1, 0], [0x30, 6, 2, 1, 1, 2, 1, 1],
    ] {
      #expect(samples.check(signed + "." + TokenSigner.base64(signature)).hasPrefix(refused))
    }
  }

  @Test
  func aTokenHasOneSpelling() throws {
    let samples = try samples()
    let token = try samples.token()
    #expect(samples.check(token) == "u1")
    let parts = token.split(separator: ".").map(String.init)
    for other in [
      "", ".", "..", "...", parts[0], parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
      token + ".", "." + token, token + ".x", token + "=", token + "\n", " " + token,
      token + "AA==",
      token + "A", parts[0] + "=." + parts[1] + "." + parts[2], "ey." + token, "Bearer " + token,
      parts[1] + "." + parts[0] + "." + parts[2],
      parts[0].replacing("e", with: "+", maxReplacements: 1) + "." + parts[1] + "." + parts[2],
    ] {
      #expect(samples.check(other).hasPrefix(refused), "\(other.count)")
    }
    // The last letter encodes two unused bits: no other letter is allowed there.
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    let believed = letters.filter { samples.check(token.dropLast() + String($0)) == "u1" }
    #expect(believed.count == 1 && believed.last == token.last)
  }

  @Test
  func thereIsAnEndToIt() throws {
    let samples = try samples()
    let pad = String(repeating: "x", count: 20_000)
    #expect(try samples.check(claims: ["x": #""\#(pad)""#]) == "u1")
    let more = String(repeating: "x", count: 24_800)
    #expect(try samples.check(claims: ["x": #""\#(more)""#]) == refused + "it is too long")
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(try samples.check(claims: ["x": deep]) == "u1")
    #expect(try samples.check(claims: ["sub": deep]).hasPrefix(refused))
    let long = String(repeating: "A.", count: 1_000_000)
    #expect(samples.check(long) == refused + "it is too long")
  }

  @Test
  func anErrorSaysNothingOfTheToken() throws {
    let samples = try samples()
    for claims in [
      ["iss": #""hunter2""#], ["aud": #""hunter2""#], ["sub": #""hunter2\u001b""#],
      ["nonce": #""hunter2""#], ["exp": #""hunter2""#], ["azp": #""hunter2""#],
    ] {
      let answer = try samples.check(claims: claims)
      #expect(answer.hasPrefix(refused) && !answer.contains("hunter2"))
    }
  }
}
