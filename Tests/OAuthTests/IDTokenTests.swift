import OAuth
import TestSupport
import Testing

private let refused = "the ID token is refused: "

@Suite
struct IDTokenTests {
  private func samples() throws -> IDTokenSamples { try IDTokenSamples.shared.get() }

  @Test(arguments: [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
  ])
  func aTokenOfEachAlgorithmIsBelieved(_ algorithm: String) throws {
    let samples = try samples()
    let token = try samples.token(
      ["email": #""a@b""#, "name": #""Änn\u001b[2J""#, "email_verified": "true"],
      algorithm: algorithm
    )
    let checked = try IDToken.check(
      token,
      keys: samples.keys,
      expectations: samples.expectations()
    )
    #expect(checked.subject == "u1")
    #expect(
      checked.facts == UserFacts(id: "u1", email: "a@b", name: "Änn [2J", emailVerified: true)
    )
    // If the provider's settings do not accept the algorithm, the token counts as unsigned.
    let others = IDToken.algorithms.subtracting([algorithm])
    let why = samples.check(token, samples.expectations(algorithms: others))
    #expect(
      why.hasPrefix(refused + "it is signed with \(algorithm), but only this is accepted here: ")
    )
    #expect(others.allSatisfy(why.contains) && why.hasSuffix("(id_token_algorithms)"), "\(why)")
    #expect(samples.check(token, samples.expectations(algorithms: [])).hasPrefix(refused))
  }

  @Test
  func aTokenAnswersItsOwnLogin() throws {
    let samples = try samples()
    #expect(
      try samples.check(claims: ["nonce": ""])
        == refused + "it has no nonce, so it may be the answer to another login"
    )
    for nonce in [#""n-2""#, "null", "7", #"["n-1"]"#, #""N-1""#, #""n-1 ""#, #""n-1\u200d""#] {
      #expect(
        try samples.check(claims: ["nonce": nonce]) == refused + "it answers another login"
      )
    }
    #expect(try samples.check(claims: ["nonce": ""], samples.expectations(nonce: nil)) == "u1")
  }

  @Test(arguments: [
    #""https://evil.example""#, #""https://id.example.com/""#, #""http://id.example.com""#,
    #""https://ID.example.com""#, "", "null", #"["https://id.example.com"]"#,
    #""https://id.example.com\u200b""#,
  ])
  func aTokenOfAnotherIssuerIsRefused(_ issuer: String) throws {
    let why = try samples().check(claims: ["iss": issuer])
    // The issuer found is shown, unless it is not a valid issuer.
    let isShown = issuer.hasPrefix("\"http") && !issuer.contains("\\") && issuer.contains("https")
    let text = issuer.replacing("\"", with: "")
    #expect(
      why == refused + "it is another issuer's, not https://id.example.com's"
        + (isShown ? ": \(text)" : "")
    )
  }

  /// To Swift, the sign for Kelvin is a K, and a letter with a combining accent equals the accented
  /// letter.
  @Test
  func lettersThatOnlyLookTheSameAreNotTheSame() throws {
    let samples = try samples()
    let token = try samples.token(["iss": #""https://id.example.com/\u212A""#])
    #expect(
      samples.check(token, samples.expectations(issuer: "https://id.example.com/K"))
        == refused + "it is another issuer's, not https://id.example.com/K's"
    )
    let other = try samples.token(["sub": #""u\u0308""#])
    #expect(
      samples.check(other, samples.expectations(subject: "ü"))
        == refused + "it is about another person than the account"
    )
  }

  @Test
  func aTokenIsForThisClient() throws {
    let samples = try samples()
    for audience in [
      #""client-2""#, "", "null", "[]", #"["client-2"]"#, #"[["client-1"]]"#, #"{"client-1":1}"#,
      #""client-1 client-2""#, #""CLIENT-1""#,
    ] {
      #expect(
        try samples.check(claims: ["aud": audience]) == refused + "it is for another client"
      )
    }
    #expect(try samples.check(claims: ["aud": #"["client-1"]"#]) == "u1")
    #expect(try samples.check(claims: ["azp": #""client-1""#]) == "u1")
    let both = #"["client-2","client-1"]"#
    #expect(try samples.check(claims: ["aud": both, "azp": #""client-1""#]) == "u1")
    for party in ["", #""client-2""#, "null", #"["client-1"]"#] {
      #expect(
        try samples.check(claims: ["aud": both, "azp": party])
          == refused + "it was issued to another client"
      )
    }
    #expect(
      try samples.check(claims: ["azp": #""client-2""#])
        == refused + "it was issued to another client"
    )
    #expect(
      try samples.check(claims: ["aud": #"["client-1",7]"#])
        == refused + "it was issued to another client"
    )
  }

  @Test
  func clocksMayDifferByAMinute() throws {
    let samples = try samples()
    let now = IDTokenSamples.now
    let token = try samples.token(["iat": "\(now)", "exp": "\(now + 100)"])
    for (moment, isBelieved) in [
      (now - 61, false), (now - 60, true), (now + 159, true), (now + 160, false), (now * 2, false),
      (0, false), (Int64.max, false), (Int64.min, false),
    ] {
      let answer = samples.check(token, samples.expectations(now: moment))
      #expect((answer == "u1") == isBelieved, "\(moment - now): \(answer)")
    }
  }

  @Test
  func timesMustBeThereAndBeTimes() throws {
    let samples = try samples()
    let now = IDTokenSamples.now
    for text in ["", "null", #""\#(now + 300)""#, "[1]", "true", "{}"] {
      #expect(
        try samples.check(claims: ["exp": text]) == refused + "it does not say when it expires"
      )
      #expect(
        try samples.check(claims: ["iat": text]) == refused + "it does not say when it was made"
      )
    }
    for text in ["-1", "0", "-1e308", "\(now - 60)", "\(now - 60).0", "-9223372036854775808"] {
      #expect(
        try samples.check(claims: ["exp": text]) == refused + "it has expired; check the clock"
      )
    }
    #expect(try samples.check(claims: ["exp": "\(now - 60).5"]) == "u1")
    #expect(try samples.check(claims: ["exp": "1e300"]) == "u1")
    for text in ["\(now + 61)", "1e300", "9223372036854775807"] {
      #expect(
        try samples.check(claims: ["iat": text]) == refused
          + "it is from the future; check the clock"
      )
      #expect(
        try samples.check(claims: ["nbf": text]) == refused + "it is not valid yet; check the clock"
      )
    }
    #expect(try samples.check(claims: ["nbf": "null"]).hasPrefix(refused))
    #expect(try samples.check(claims: ["nbf": "\(now + 60)"]) == "u1")
  }

  @Test
  func aRefreshedTokenIsAboutTheSamePerson() throws {
    let samples = try samples()
    #expect(try samples.check(claims: [:], samples.expectations(subject: "u1")) == "u1")
    for other in ["u2", "U1", "u1 ", ""] {
      #expect(
        try samples.check(claims: [:], samples.expectations(subject: other))
          == refused + "it is about another person than the account"
      )
    }
    let long = String(repeating: "u", count: 256)
    for subject in [
      "", "null", "7", #""""#, #"["u1"]"#, #""u\u001b[2J""#, #""u\u202e""#, #""u\n""#, #"" ""#,
      #""\#(long)""#,
    ] {
      #expect(
        try samples.check(claims: ["sub": subject]) == refused + "it does not name a person"
      )
    }
    #expect(try samples.check(claims: ["sub": #""\#(long.dropLast())""#]).count == 255)
  }

  /// OpenID Connect Core 1.0, section 3.1.3.6; the digests come from the openssl command.
  @Test
  func aTokenBelongsToItsAccessToken() throws {
    let samples = try samples()
    // printf %s at-1 | openssl dgst -sha256 -binary | head -c 16, in URL-safe base64; and -sha512,
    // of which it is the first 32 bytes.
    let short = #""R8PYaIQdcYEdkSc9TeGyiQ""#
    let long = #""4J8UayM9qUGnNqHaqK2rpChA_M6CMUIfl5gcZqvthBE""#
    let bound = samples.expectations(accessToken: "at-1")
    // printf %s at-1 | openssl dgst -sha384 -binary | head -c 24, in URL-safe base64.
    let middle = #""xuH6cm_HAD6l8eK5sNkZDBF4xMryPnlN""#
    for (algorithm, right) in [
      ("RS384", middle), ("PS384", middle), ("ES384", middle), ("RS512", long), ("PS512", long),
      ("ES512", long),
    ] {
      #expect(
        samples.check(try samples.token(["at_hash": right], algorithm: algorithm), bound) == "u1"
      )
      #expect(
        samples.check(try samples.token(["at_hash": short], algorithm: algorithm), bound)
          == refused + "it belongs to another access token"
      )
    }
    for algorithm in ["RS256", "PS256", "ES256"] {
      #expect(
        samples.check(try samples.token(["at_hash": short], algorithm: algorithm), bound) == "u1"
      )
      #expect(
        samples.check(try samples.token(["at_hash": long], algorithm: algorithm), bound)
          == refused + "it belongs to another access token"
      )
    }
    #expect(samples.check(try samples.token(["at_hash": long], algorithm: "EdDSA"), bound) == "u1")
    #expect(
      samples.check(try samples.token(["at_hash": short], algorithm: "EdDSA"), bound)
        == refused + "it belongs to another access token"
    )
    for wrong in [#""""#, "null", "7", #""x""#, #"[\#(short)]"#] {
      #expect(
        try samples.check(claims: ["at_hash": wrong], bound)
          == refused + "it belongs to another access token"
      )
    }
    #expect(
      try samples.check(claims: ["at_hash": short], samples.expectations(accessToken: "at-2"))
        == refused + "it belongs to another access token"
    )
    // The claim may be left out, and without an access token there is nothing to compare.
    #expect(try samples.check(claims: [:], bound) == "u1")
    #expect(try samples.check(claims: ["at_hash": #""x""#]) == "u1")
  }
}
