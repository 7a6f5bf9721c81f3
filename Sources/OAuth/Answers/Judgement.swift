public import JSON
public import SecretMemory

/// What a request that can bring tokens was for.
public enum TokenPurpose: String, Sendable {
  case login
  case register
  case refresh
  /// An authorization code, from the browser (RFC 6749, section 4.1.3).
  case code
  /// A device code (RFC 8628, section 3.4).
  case device
}

/// What an answer to a request that can bring tokens means.
///
/// It is evidence about what was sent, never a verdict on the account: only `invalidGrant` says
/// that a refresh token is dead, and everything in doubt says that it is not.
public enum Judgement: Sendable {
  /// Tokens, checked as far as they can be without asking anyone.
  case tokens(TokenAnswer)
  /// The refresh token that was sent is refused for good.
  case invalidGrant
  /// A refresh was refused with this status and an empty answer: that says neither that the token is
  /// dead nor that it is not.
  case unexplained(status: Int)
  /// A person must do something else: a wrong password, an address that is taken.
  case refused(status: Int, message: String, details: RefusalDetails = .none)
  /// Asked too often; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider, or what stands in front of it, is out of order: try again later. The status
  /// may be a success whose body was cut or garbled, so that tokens may have been issued.
  case failing(status: Int, retryAfter: Int?, message: String)
  /// The configuration does not fit the provider; trying again is of no use until it is changed.
  /// `refreshToken` is one that came nevertheless, and must be kept if it is there.
  case misconfigured(message: String, refreshToken: SharedSecret?)
  /// The provider does not grant the scopes that were asked for, with its own words for it.
  case scopeRefused(status: Int, message: String?)
  /// Nobody has answered on the other device yet: ask again after the interval, which becomes 5 s
  /// longer with each `slowDown` (RFC 8628, section 3.5).
  case pending(slowDown: Bool)
}

/// Tokens as a provider gave them.
public struct TokenAnswer: Sendable {
  /// Printable ASCII without spaces, at most `PasswordBackend.maximumAccessToken` bytes.
  public let accessToken: String
  /// `Bearer`, the only type there is.
  public let tokenType: String
  /// Lifetime in seconds from now, 0 for one that is over; nil if it was not told.
  public let expiresIn: Int?
  /// The refresh token to use from now on; nil: the one that was sent stays (RFC 6749, section 6).
  public let refreshToken: SharedSecret?
  /// The scopes, where the provider tells them.
  public let scope: String?
  /// Who signed in, where the provider tells it.
  public let user: UserFacts?
  /// The ID token, not yet checked: `IDToken.check` says whether it is one; nil if none came.
  public let idToken: String?
}

/// What a provider says about a person: shown, never relied upon.
///
/// Texts are bounded and hold no control characters.
public struct UserFacts: Sendable, Equatable {
  /// The provider's own name for the person.
  public let id: String?
  /// The e-mail address.
  public let email: String?
  /// The name, as people write it.
  public let name: String?
  /// What the person may do there.
  public let role: String?
  /// Whether the provider has seen that the e-mail address is the person's.
  public let emailVerified: Bool?
  /// When the person became a user there, in seconds since 1970.
  public let createdAt: Int64?
  /// What else the provider tells, without what looks like a secret: at most 4096 bytes of JSON.
  ///
  /// Its texts are as the provider wrote them.
  public let claims: JSONObject

  /// Facts from a store, or from nowhere.
  public init(
    id: String? = nil,
    email: String? = nil,
    name: String? = nil,
    role: String? = nil,
    emailVerified: Bool? = nil,
    createdAt: Int64? = nil,
    claims: JSONObject = JSONObject()
  ) {
    self.id = id
    self.email = email
    self.name = name
    self.role = role
    self.emailVerified = emailVerified
    self.createdAt = createdAt
    self.claims = claims
  }
}
