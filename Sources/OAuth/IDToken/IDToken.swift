package import Cryptography
package import JSON

/// Who signed in, as a provider has signed it: an ID token that has passed every check of OpenID
/// Connect Core 1.0, section 3.1.3.7.
public struct IDToken: Sendable {
  /// The most bytes of a token.
  public static let maximumCount = 32 * 1024
  /// How far the clocks of provider and client may be apart, in seconds.
  public static let skew: Int64 = 60

  /// The algorithms that can be checked, by their names in JWS.
  public static let algorithms = Set(SignatureAlgorithm.allCases.map(\.rawValue))

  /// The provider's own name for the person, which never changes: `sub`.
  public let subject: String
  /// What else the token says about the person; `id` is the subject.
  public let facts: UserFacts

  /// What a token must be.
  public struct Expectations: Sendable {
    /// The issuer, letter by letter.
    public let issuer: String
    /// What this client is called there.
    public let clientID: String
    /// What went out with the authorization request; `nil` if none did.
    public let nonce: String?
    /// The access token that came with it, which `at_hash` must name where there is one.
    public let accessToken: String?
    /// The wall clock, in seconds since 1970, when the answer came.
    public let now: Int64
    /// Who it must be: of a refresh, who signed in (section 12.2); nil at a login.
    public let subject: String?
    /// The algorithms that are accepted, by their names; others than `IDToken.algorithms` have no
    /// effect.
    public let algorithms: Set<String>

    /// What a token must be.
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
  /// - Throws: `IDTokenError.unknownKey` where newer keys may help, `refused` where nothing does.
  public static func check(
    _ text: String,
    keys: KeySet,
    expectations: Expectations
  ) throws(IDTokenError) -> IDToken {
    let token = try SignedToken(text)
    guard expectations.algorithms.contains(token.algorithm.rawValue) else {
      throw .refused(
        "it is signed with \(token.algorithm.rawValue), and accepted here is"
          + " \(SignedToken.list(expectations.algorithms)) (id_token_algorithms)"
      )
    }
    try token.verify(with: keys)
    return try IDToken(token.claims(), algorithm: token.algorithm, expectations)
  }

  /// Checks what a token says whose signature is right.
  package init(
    _ claims: JSONObject,
    algorithm: SignatureAlgorithm,
    _ expectations: Expectations
  ) throws(IDTokenError) {
    let claims = IDTokenClaims(claims)
    try claims.check(expectations, algorithm)
    subject = try claims.subject()
    if let expected = expectations.subject, !expected.utf8.elementsEqual(subject.utf8) {
      throw .refused("it is about someone else than the account")
    }
    facts = claims.facts(of: subject)
  }
}

/// Why an ID token is not believed.
public enum IDTokenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The key that it names is not in the set: the provider may have changed its keys since.
  case unknownKey(String?)
  /// It is not what was expected; why, in our own words.
  case refused(String)

  /// One line, with nothing of the token but the name of the key, fit to be shown.
  public var description: String {
    switch self {
    case .unknownKey(nil): "the ID token is signed with a key that the provider does not name"
    case .unknownKey(let kid?): "the ID token is signed with an unknown key, \(kid)"
    case .refused(let why): "the ID token is refused: \(why)"
    }
  }
}
