internal import Configuration
internal import JSON
public import SecretMemory

/// What an answer to the question means whether an access token is still accepted.
public enum VerificationJudgement: Sendable {
  /// The provider accepts it, and may say whose it is and for how many more seconds.
  case accepted(UserFacts?, expiresIn: Int?)
  /// The provider does not accept it any more.
  case refused
  /// There is no such endpoint: the profile tells as much.
  case notThere
  /// Asked too often; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider answers, but with neither.
  case unclear(status: Int, message: String)
  /// The provider is out of order: try again later.
  case failing(status: Int, retryAfter: Int?, message: String)
}

extension ProviderClient {
  /// Asks whether an access token is still accepted: a password backend at `verify_path`, an
  /// authorization server at its userinfo endpoint.
  ///
  /// Introspection (RFC 7662) is for resource servers, which have credentials of their own for it.
  public func verification(accessToken: String) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth == nil else { return try profile(accessToken: accessToken) }
    return try PasswordBackend(provider: provider).verify(accessToken: accessToken)
  }

  /// Says what an answer to `verification`, `profile` or `profileFallback` says of the token.
  ///
  /// 2xx accepts it, unless a member `valid` or `active` (RFC 7662, section 2.2) is false. 401 refuses
  /// it. With a `subject`, an answer about another person is neither.
  public func judgeVerification(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    subject: String? = nil
  ) -> VerificationJudgement {
    let judge = TokenJudge(provider: provider)
    let object = Answer(body, secretMembers: judge.secretMembers).object
    if (200...299).contains(status) {
      // An empty answer says as much by its status alone; a page for people says nothing of a token.
      guard body.count > 0 else { return .accepted(nil, expiresIn: nil) }
      for name in ["valid", "active"] {
        if case .boolean(false) = object?[name] { return .refused }
      }
    }
    switch judgeProfile(status: status, retryAfter: retryAfter, body: body, subject: subject) {
    case .profile(let user, _):
      let lifetime = provider.name(of: .expiresIn).flatMap { object?[$0] }
      let isSomebody = user.id != nil || user.email != nil || user.name != nil
      return .accepted(isSomebody ? user : nil, expiresIn: lifetime.flatMap(TokenJudge.lifetime))
    case .unauthorized: return .refused
    case .notThere: return .notThere
    case .rateLimited(let wait): return .rateLimited(retryAfter: wait)
    case .refused(let status, let message): return .unclear(status: status, message: message)
    case .failing(let status, let wait, let message):
      return .failing(status: status, retryAfter: wait, message: message)
    }
  }
}
