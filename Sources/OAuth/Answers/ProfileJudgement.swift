public import JSON

/// What an answer to a question with an access token means.
public enum ProfileJudgement: Sendable {
  /// The provider's own object, without members that would be secret, and what is known of it.
  case profile(UserFacts, JSONObject)
  /// The access token is refused: refresh it and ask again, once.
  case unauthorized
  /// There is no such endpoint: ask the fallback.
  case notThere
  /// Asked too often; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider answers, but with no profile.
  case refused(status: Int, message: String)
  /// The provider is out of order: try again later.
  case failing(status: Int, retryAfter: Int?, message: String)
}

/// What an answer to a sign-out means.
public enum LogoutJudgement: Sendable, Equatable {
  /// The provider confirmed that the tokens are revoked.
  case revoked
  /// It did not; why.
  case notRevoked(reason: String)
}
