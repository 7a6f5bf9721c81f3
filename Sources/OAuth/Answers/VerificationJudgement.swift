internal import Configuration
internal import JSON
public import SecretMemory

/// The meaning of an answer to the request whether an access token is still accepted.
public enum VerificationJudgement: Sendable {
  /// The provider accepts the token, and may name its owner and its remaining seconds.
  case accepted(UserFacts?, expiresIn: Int?)
  /// The provider no longer accepts the token.
  case refused
  /// The introspection endpoint says that the token is not active.
  ///
  /// It says the same of a token that this client may not know of (RFC 7662, section 2.2).
  case inactive
  /// The endpoint does not exist: the profile gives the same answer.
  case notThere
  /// Too many requests; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider answers with neither.
  case unclear(status: Int, message: String)
  /// The provider is out of order: try again later.
  case failing(status: Int, retryAfter: Int?, message: String)
}

extension ProviderClient {
  /// Requests whether an access token is still accepted: from a password backend at `verify_path`,
  /// from an authorization server at its userinfo endpoint.
  public func verification(accessToken: String) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth == nil else { return try profile(accessToken: accessToken) }
    return try PasswordBackend(provider: provider).verify(accessToken: accessToken)
  }

  /// Judges an answer to `introspection`.
  ///
  /// A refusal says nothing about the token: the server may answer resource servers only.
  public func judgeIntrospection(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes
  ) -> VerificationJudgement {
    guard !(200...299).contains(status) else {
      switch Answer(body, secretMembers: []).object?["active"] {
      case .boolean(true): return .accepted(nil, expiresIn: nil)
      case .boolean(false): return .inactive
      default: return .notThere
      }
    }
    switch judgeProfile(status: status, retryAfter: retryAfter, body: body) {
    case .rateLimited(let wait): return .rateLimited(retryAfter: wait)
    case .failing(let status, let wait, let message):
      return .failing(status: status, retryAfter: wait, message: message)
    default: return .notThere
    }
  }

  /// Judges whether an answer to `verification`, `profile` or `profileFallback` accepts the token.
  ///
  /// 2xx accepts the token, unless a member `valid` or `active` (RFC 7662, section 2.2) is false.
  /// 401 refuses it. If there is a `subject`, an answer about another person does neither.
  public func judgeVerification(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    subject: String? = nil
  ) -> VerificationJudgement {
    let judge = TokenJudge(provider: provider)
    let answer = Answer(body, secretMembers: judge.secretMembers)
    let object = answer.object
    if (200...299).contains(status) {
      // The status of an empty answer is enough. A page for people says nothing about a token.
      guard body.count > 0 else { return .accepted(nil, expiresIn: nil) }
      for name in ["valid", "active"] {
        if case .boolean(false) = object?[name] { return .refused }
      }
    }
    let profile = judge.judgeProfile(
      status: status,
      retryAfter: retryAfter,
      answer: answer,
      subject: subject
    )
    switch profile {
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
