package import Cryptography
package import JSON

/// The provider's signed statement of who signed in: an ID token that has passed every check of
/// OpenID Connect Core 1.0, section 3.1.3.7.
public struct IDToken: Sendable {
  /// The most bytes of a token.
  public static let maximumCount = 32 * 1024
  /// The accepted difference between the clocks of provider and client, in seconds.
  public static let skew: Int64 = 60

  /// The algorithms that can be verified, by their JWS names.
  public static let algorithms = Set(SignatureAlgorithm.allCases.map(\.rawValue))

  /// The provider's permanent identifier of the person: `sub`.
  public let subject: String
  /// The token's other statements about the person; `id` is the subject.
  public let facts: UserFacts

  /// The values that a token must match.
  public struct Expectations: Sendable {
    /// The issuer, compared by its bytes.
    public let issuer: String
    /// This client's identifier at the provider.
    public let clientID: String
    /// The nonce of the authorization request; `nil` if it had none.
    public let nonce: String?
    /// The access token that came with the ID token; `at_hash` must match it if present.
    public let accessToken: String?
    /// The wall clock when the answer came, in seconds since 1970.
    public let now: Int64
    /// The required subject: the person who signed in, at a refresh (section 12.2); `nil` at a
    /// sign-in.
    public let subject: String?
    /// The names of the accepted algorithms.
    ///
    /// Names outside `IDToken.algorithms` have no effect.
    public let algorithms: Set<String>

    /// The values that a token must match.
    public init(
      issuer: String,
      clientID: String,
      nonce: String?,
      accessToken: String?,
      now: Int64,
      subject: String?,
      algorithms: Set<String> = IDToken.algorithms
    ) {
      self.issuer = issuer
      self.clientID = clientID
      self.nonce = nonce
      self.accessToken = accessToken
      self.now = now
      self.subject = subject
      self.algorithms = algorithms
    }
  }

  /// Checks a token.
  ///
  /// - Throws: `IDTokenError.unknownKey` or `wrongSignature` if newer keys may help, `refused` if
  ///   nothing helps.
  public static func check(
    _ text: String,
    keys: KeySet,
    expectations: Expectations
  ) throws(IDTokenError) -> IDToken {
    let token = try SignedToken(text)
    guard expectations.algorithms.contains(token.algorithm.rawValue) else {
      throw .refused(
        "it is signed with \(token.algorithm.rawValue), but only this is accepted here:"
          + " \(SignedToken.list(expectations.algorithms)) (id_token_algorithms)"
      )
    }
    try token.verify(with: keys)
    return try IDToken(token.claims(), algorithm: token.algorithm, expectations)
  }

  /// Checks the claims of a token whose signature is valid.
  package init(
    _ claims: JSONObject,
    algorithm: SignatureAlgorithm,
    _ expectations: Expectations
  ) throws(IDTokenError) {
    let claims = IDTokenClaims(claims)
    try claims.check(expectations, algorithm)
    subject = try claims.subject()
    if let expected = expectations.subject, !expected.utf8.elementsEqual(subject.utf8) {
      throw .refused("it is about another person than the account")
    }
    facts = claims.facts(of: subject)
  }
}

/// The reason why an ID token is refused.
public enum IDTokenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key set does not hold the key that the token names: the provider may have changed its
  /// keys.
  case unknownKey(String?)
  /// The key that the token names did not sign it: the provider may have another one of that name.
  case wrongSignature
  /// The token does not match the expectations; the reason is in our own words.
  case refused(String)

  /// One line that quotes only the name of the key, fit to be shown.
  public var description: String {
    switch self {
    case .unknownKey(nil): "the ID token is signed with a key that the provider does not name"
    case .unknownKey(let kid?): "the ID token is signed with an unknown key, \(kid)"
    case .wrongSignature: "the ID token is refused: its signature is wrong"
    case .refused(let why): "the ID token is refused: \(why)"
    }
  }
}
