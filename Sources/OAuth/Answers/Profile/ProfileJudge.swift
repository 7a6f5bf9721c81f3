internal import Configuration
internal import JSON
internal import PlainText
internal import SecretMemory

// Judges answers to requests for the profile and for a sign-out.
extension TokenJudge {
  /// Judges an answer to a request for the profile.
  ///
  /// With a `subject`, facts about another person are refused. That detects a substituted access
  /// token (OpenID Connect Core 1.0, section 5.3.2).
  func judgeProfile(
    status: Int,
    retryAfter: Int?,
    answer: Answer,
    subject: String?
  ) -> ProfileJudgement {
    switch (status, answer) {
    case (200...299, .object(let object)):
      let user = user(in: object) ?? UserFacts()
      if let subject, provider.kind == .oidc, user.id?.isByteEqual(to: subject) != true {
        return .refused(status: status, message: "the provider answered about another person")
      }
      return .profile(user, object.withoutSecrets)
    case (200...299, _):
      return .failing(status: status, retryAfter: nil, message: "the answer is not a JSON object")
    case (401, _): return .unauthorized
    // The request held nothing but the token. If an OAuth provider reports an error, it is about
    // the token. RFC 6750, section 3.1, wants a 401, but some providers send 400.
    case (400, _) where provider.kind != .passwordBackend: return .unauthorized
    case (404, _), (405, _), (410, _): return .notThere
    case (429, _): return .rateLimited(retryAfter: retryAfter.map { max($0, 0) })
    case (300...499, _):
      let message = answer.object.flatMap { self.message(in: $0, hiding: nil) }
      return .refused(status: status, message: message ?? "the provider answered \(status)")
    default:
      return .failing(
        status: status,
        retryAfter: retryAfter.map { max($0, 0) },
        message: "the provider answered \(status)"
      )
    }
  }

  /// Judges whether a provider confirmed a sign-out.
  ///
  /// A success status with an error is no confirmation: some providers refuse this way.
  func judgeLogout(
    status: Int,
    body: borrowing SecretBytes,
    sent: SharedSecret?
  ) -> LogoutJudgement {
    let endpoint =
      provider.kind == .passwordBackend ? provider.path(of: .logout) : "the revocation endpoint"
    return switch status {
    case 200...299:
      if let code = Answer(body, secretMembers: secretMembers).object.flatMap(errorCode),
        !code.isEmpty
      {
        .notRevoked(
          reason: "the provider answered \(status) with "
            + (Self.isHarmless(code, hiding: sent) ? "the error \(code)" : "an error")
        )
      } else {
        .revoked
      }
    case 404, 405: .notRevoked(reason: "\(endpoint) is not there")
    default: .notRevoked(reason: "the provider answered \(status)")
    }
  }
}

extension JSONObject {
  /// The object without members that hold secrets, so that it can be shown.
  fileprivate var withoutSecrets: JSONObject {
    JSONObject(
      unique: members.compactMap { member in
        member.value.withoutSecrets.map { (member.name, $0) }
      }
    )
  }
}

extension JSONValue {
  fileprivate var withoutSecrets: JSONValue? {
    switch self {
    case .secret, .unusable: nil
    case .array(let values): .array(values.compactMap(\.withoutSecrets))
    case .object(let object): .object(object.withoutSecrets)
    default: self
    }
  }
}
