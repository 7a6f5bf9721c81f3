internal import Configuration
internal import Cryptography
internal import JSON

/// The claims of an ID token (OpenID Connect Core 1.0, section 2), read only after the signature is
/// verified.
struct IDTokenClaims {
  private let claims: JSONObject

  init(_ claims: JSONObject) {
    self.claims = claims
  }

  func check(
    _ expected: IDToken.Expectations,
    _ algorithm: SignatureAlgorithm
  ) throws(IDTokenError) {
    guard let issuer = claims["iss"], Self.is(issuer, expected.issuer) else {
      throw .refused("it is another issuer's, not \(expected.issuer)'s\(found(claims["iss"]))")
    }
    try checkAudience(expected.clientID)
    try checkTimes(expected.now)
    if let nonce = expected.nonce {
      guard let found = claims["nonce"], Self.is(found, nonce) else {
        throw .refused(
          claims["nonce"] == nil
            ? "it has no nonce, so it may be the answer to another login"
            : "it answers another login"
        )
      }
    }
    if let accessToken = expected.accessToken { try check(accessToken, algorithm) }
  }

  /// The issuer to show, after a colon; empty if the claim is not an issuer's URL.
  private func found(_ claim: JSONValue?) -> String {
    guard case .string(let text)? = claim, text.utf8.count <= 300, (try? Issuer(text)) != nil else {
      return ""
    }
    return ": \(text)"
  }

  /// `sub`: at most 255 characters (section 2), without characters that control a terminal.
  func subject() throws(IDTokenError) -> String {
    guard case .string(let subject) = claims["sub"], (1...255).contains(subject.utf8.count),
      subject.utf8.elementsEqual((DisplayText.of(subject, most: 255) ?? "").utf8)
    else { throw .refused("it does not name a person") }
    return subject
  }

  /// The claims that have a field, and those about the token itself.
  private static let known = UserClaims.ofTheToken.union(
    UserClaims.bytes(["sub", "email", "email_verified", "name", "role", "created_at"])
  )

  /// The facts about a person that are shown (section 5.1).
  func facts(of subject: String) -> UserFacts {
    var isVerified: Bool?
    if case .boolean(let flag) = claims["email_verified"] { isVerified = flag }
    return UserFacts(
      id: subject,
      email: text("email"),
      name: text("name") ?? text("preferred_username"),
      role: text("role"),
      emailVerified: isVerified,
      createdAt: claims["created_at"].flatMap(Moment.seconds),
      claims: UserClaims.of(claims, without: Self.known)
    )
  }

  /// The token must be for this client, and every other audience must be explained: rules 3 to 5 of
  /// section 3.1.3.7.
  private func checkAudience(_ clientID: String) throws(IDTokenError) {
    let audience: [JSONValue]
    switch claims["aud"] {
    case .string(let one): audience = [.string(one)]
    case .array(let all): audience = all
    default: audience = []
    }
    guard audience.contains(where: { Self.is($0, clientID) }) else {
      throw .refused("it is for another client")
    }
    let isForOthers = audience.contains { !Self.is($0, clientID) }
    switch claims["azp"] {
    case let party? where Self.is(party, clientID): break
    case nil where !isForOthers: break
    default: throw .refused("it was issued to another client")
    }
  }

  /// Compares bytes.
  ///
  /// Swift's `==` treats canonically equivalent strings as equal: the Kelvin sign equals K.
  private static func `is`(_ value: JSONValue, _ text: String) -> Bool {
    if case .string(let found) = value { found.utf8.elementsEqual(text.utf8) } else { false }
  }

  private func checkTimes(_ now: Int64) throws(IDTokenError) {
    guard let expiry = time("exp") else { throw .refused("it does not say when it expires") }
    guard let issued = time("iat") else { throw .refused("it does not say when it was made") }
    let now = Double(now)
    let skew = Double(IDToken.skew)
    guard now < expiry + skew else { throw .refused("it has expired; check the clock") }
    guard issued <= now + skew else { throw .refused("it is from the future; check the clock") }
    guard claims["nbf"] == nil || time("nbf").map({ $0 <= now + skew }) == true else {
      throw .refused("it is not valid yet; check the clock")
    }
  }

  /// Checks `at_hash`, the left half of the access token's digest (section 3.1.3.6), if the token
  /// has it.
  private func check(_ accessToken: String, _ algorithm: SignatureAlgorithm) throws(IDTokenError) {
    guard let claim = claims["at_hash"] else { return }
    guard let digest = try? algorithm.digest(of: Array(accessToken.utf8)),
      Self.is(claim, Base64.url.text(Array(digest.prefix(digest.count / 2))))
    else { throw .refused("it belongs to another access token") }
  }

  /// Seconds since 1970 (RFC 7519, section 2: NumericDate), with or without a fraction.
  private func time(_ name: String) -> Double? {
    switch claims[name] {
    case .integer(let seconds): Double(seconds)
    case .number(let seconds): seconds
    default: nil
    }
  }

  private func text(_ name: String) -> String? {
    guard case .string(let text) = claims[name] else { return nil }
    return DisplayText.of(text, most: PasswordBackend.maximumText)
  }
}
