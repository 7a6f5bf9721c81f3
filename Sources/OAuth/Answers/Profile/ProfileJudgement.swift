public import JSON

/// The meaning of an answer to a request for the profile.
public enum ProfileJudgement: Sendable {
  /// The provider's own object without secret members, and the facts read from it.
  case profile(UserFacts, JSONObject)
  /// The access token is refused: refresh it and try again, once.
  case unauthorized
  /// The endpoint does not exist: use the fallback.
  case notThere
  /// Too many requests; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider answers without a profile.
  case refused(status: Int, message: String)
  /// The provider is out of order: try again later.
  case failing(status: Int, retryAfter: Int?, message: String)
}

/// The meaning of an answer to a sign-out.
public enum LogoutJudgement: Sendable, Equatable {
  /// The provider confirmed that the tokens are revoked.
  case revoked
  /// The provider did not confirm, with the reason.
  case notRevoked(reason: String)
}
