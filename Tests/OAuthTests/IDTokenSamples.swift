import OAuth
import TestSupport

/// A provider's keys, tokens that it signs, and this client's expectations of them.
struct IDTokenSamples {
  static let shared = Result { try IDTokenSamples() }
  static let now: Int64 = 1_800_000_000

  let signer: TokenSigner
  let keys: KeySet

  private init() throws {
    signer = try TokenSigner()
    let jwks = try [
      signer.jwk(.rsa, kid: "r"), signer.jwk(.p256, kid: "e"), signer.jwk(.p384, kid: "e3"),
      signer.jwk(.p521, kid: "e5"), signer.jwk(.ed25519, kid: "d"),
      signer.jwk(.shortRSA, kid: "s"),
    ]
    keys = try KeySet(Array(#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8))
  }

  /// The claims of a good token, as JSON texts by name.
  ///
  /// An empty text leaves a claim out.
  func payload(_ changes: [String: String] = [:]) -> String {
    var claims = [
      "iss": #""https://id.example.com""#, "aud": #""client-1""#, "sub": #""u1""#,
      "iat": "\(Self.now - 5)", "exp": "\(Self.now + 300)", "nonce": #""n-1""#,
    ]
    for (name, value) in changes { claims[name] = value.isEmpty ? nil : value }
    let members = claims.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
    return "{\(members.joined(separator: ","))}"
  }

  /// A token signed with the provider's key for an algorithm.
  func token(_ changes: [String: String] = [:], algorithm: String = "ES256") throws -> String {
    let (key, kid): (TokenSigner.Key, String) =
      switch algorithm {
      case "ES256": (.p256, "e")
      case "ES384": (.p384, "e3")
      case "ES512": (.p521, "e5")
      case "EdDSA": (.ed25519, "d")
      default: (.rsa, "r")
      }
    return try signer.token(
      header: #"{"alg":"\#(algorithm)","kid":"\#(kid)","typ":"JWT"}"#,
      payload: payload(changes),
      key: key,
      algorithm: algorithm
    )
  }

  func expectations(
    issuer: String = "https://id.example.com",
    nonce: String? = "n-1",
    accessToken: String? = nil,
    now: Int64 = Self.now,
    subject: String? = nil,
    algorithms: Set<String> = IDToken.algorithms
  ) -> IDToken.Expectations {
    IDToken.Expectations(
      issuer: issuer,
      clientID: "client-1",
      nonce: nonce,
      accessToken: accessToken,
      now: now,
      subject: subject,
      algorithms: algorithms
    )
  }

  /// The result of a check: the subject, or the error.
  func check(
    _ token: String,
    _ expectations: IDToken.Expectations? = nil,
    keys: KeySet? = nil
  ) -> String {
    do throws(IDTokenError) {
      return try IDToken.check(
        token,
        keys: keys ?? self.keys,
        expectations: expectations ?? self.expectations()
      ).subject
    } catch {
      return error.description
    }
  }

  /// The result of a check of a token with these claims.
  func check(claims: [String: String], _ expectations: IDToken.Expectations? = nil) throws -> String
  {
    check(try token(claims), expectations)
  }
}
