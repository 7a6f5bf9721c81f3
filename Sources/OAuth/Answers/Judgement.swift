public import JSON
public import SecretMemory

/// The purpose of a request that can return tokens.
public enum TokenPurpose: String, Sendable {
  case login
  case register
  case refresh
  /// An authorization code, from the browser (RFC 6749, section 4.1.3).
  case code
  /// A device code (RFC 8628, section 3.4).
  case device
}

/// The meaning of an answer to a request that can return tokens.
///
/// It is evidence about the token that was sent, never a verdict on the account. Only
/// `invalidGrant` says that a refresh token is dead. Every doubtful answer leaves the token alive.
public enum Judgement: Sendable {
  /// Tokens, checked as far as possible without another request.
  case tokens(TokenAnswer)
  /// The refresh token that was sent is permanently refused.
  case invalidGrant
  /// A refresh was refused with this status, and an answer that is empty or no JSON.
  ///
  /// That does not say whether the token is dead. A page may come from a server in front of the
  /// provider.
  case unexplained(status: Int, isEmpty: Bool)
  /// The person must correct something: a wrong password, or an address that is taken.
  case refused(status: Int, message: String, details: RefusalDetails = .none)
  /// Too many requests; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider, or a server in front of it, is out of order: try again later.
  ///
  /// The status may be a success with a truncated or garbled body, so tokens may have been issued.
  case failing(status: Int, retryAfter: Int?, message: String)
  /// The configuration does not fit the provider.
  ///
  /// A retry fails until the configuration changes. `refreshToken` is a token that came in spite of
  /// the error. It must be kept.
  ///
  /// With `isSuccess`, the status says that tokens were issued, which cannot be read.
  case misconfigured(message: String, refreshToken: SharedSecret?, isSuccess: Bool = false)
  /// A refresh was refused (400, 401, 403) with an error that is neither the provider's word for a
  /// dead token nor about the client.
  ///
  /// That does not say whether the token is dead. `code` is the error, if it can be shown.
  /// `message` names the settings that may not fit.
  case otherError(status: Int, code: String?, message: String)
  /// A refresh was refused until the person signs in again; `code` is the provider's error, and
  /// `words` its explanation.
  ///
  /// That does not say that the token is dead.
  case signInWanted(status: Int, code: String, words: String?)
  /// The provider does not grant the requested scopes; `message` is its explanation.
  case scopeRefused(status: Int, message: String?)
  /// The person has not answered on the other device yet.
  ///
  /// Poll again after the interval, which grows by 5 s with each `slowDown` (RFC 8628, section
  /// 3.5).
  case pending(slowDown: Bool)
}

/// The tokens of a provider's answer.
public struct TokenAnswer: Sendable {
  /// Printable ASCII without spaces, at most `PasswordBackend.maximumAccessToken` bytes.
  public let accessToken: String
  /// `Bearer`, the only supported type.
  public let tokenType: String
  /// Lifetime in seconds from now, 0 for an expired token; `nil` if the provider did not say.
  public let expiresIn: Int?
  /// The refresh token to use from now on; `nil` if the one that was sent stays valid (RFC 6749,
  /// section 6).
  public let refreshToken: SharedSecret?
  /// The scopes, if the provider names them.
  public let scope: String?
  /// The person who signed in, if the provider says so.
  public let user: UserFacts?
  /// The ID token, not yet checked: `IDToken.check` does that; `nil` if none came.
  public let idToken: String?

  /// The same answer, with the refresh token that was sent and stays valid.
  package func keeping(_ sent: SharedSecret) -> TokenAnswer {
    TokenAnswer(
      accessToken: accessToken,
      tokenType: tokenType,
      expiresIn: expiresIn,
      refreshToken: sent,
      scope: scope,
      user: user,
      idToken: idToken
    )
  }
}

/// A provider's statements about a person: shown, never relied upon.
///
/// Texts are bounded and hold no control characters.
public struct UserFacts: Sendable, Equatable {
  /// The provider's own identifier of the person.
  public let id: String?
  /// The e-mail address.
  public let email: String?
  /// The name, as people write it.
  public let name: String?
  /// The person's role at the provider.
  public let role: String?
  /// Whether the provider has verified that the e-mail address belongs to the person.
  public let emailVerified: Bool?
  /// When the person registered there, in seconds since 1970.
  public let createdAt: Int64?
  /// The provider's other statements, without members that look like secrets: at most 4096 bytes of
  /// JSON.
  ///
  /// The texts are unchanged.
  public let claims: JSONObject

  /// Facts from a store, or none.
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
