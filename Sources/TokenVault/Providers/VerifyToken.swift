internal import Configuration
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// A provider's answer about an access token.
package struct TokenVerification: Sendable, Equatable {
  /// Whether the provider accepts it.
  package let isAccepted: Bool
  /// When it expires, in seconds since 1970; `nil` if neither the provider nor the vault knows.
  package let expiresAt: Int64?
}

extension Vault {
  /// Asks the provider whether it still accepts an account's access token.
  ///
  /// The token is that of `accessToken`; a token that has expired is refreshed first. A token that
  /// the provider refuses is dropped, so that the next call gets a newer one. It is not refreshed
  /// here: the answer is about the token that callers have.
  ///
  /// - Returns: the account as it is now, and the provider's answer about its token.
  /// - Throws: all that `accessToken` throws; `providerRefused` for an answer that is neither yes
  ///   nor no, `misconfigured` if the provider has no endpoint for it.
  package func verification(
    account name: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (facts: AccountFacts, verification: TokenVerification) {
    try demandQuestions(to: name)
    let call = TokenCall(account: name, prompt: prompt, caller: caller)
    let (grant, _) = try await grantedToken(call)
    let account = try account(of: grant)
    let judgement = try await verification(of: grant, account)
    let location = await locationOfWindow(caller)
    switch judgement {
    case .accepted(let user, let seconds):
      let known = if let user { await keep(user, of: account, isWhole: false) } else { account }
      let end = seconds.map { clock.wall.seconds + Int64($0) }
      return (
        try facts(of: known, at: location),
        TokenVerification(isAccepted: true, expiresAt: end ?? grant.expiresAt)
      )
    case .refused, .inactive:
      if let opened = grant.opened {
        try discard(opened, caller: caller)
      } else {
        try discard(grant.accessToken, of: account, caller: caller)
      }
      let now = try self.account(withIdentifier: account.id)
      return (
        try facts(of: now, at: location), TokenVerification(isAccepted: false, expiresAt: nil)
      )
    case .notThere:
      throw .misconfigured(
        "\(account.provider) has no endpoint that verifies a token for this client (verify_path,"
          + " profile_path, userinfo_endpoint; introspection_endpoint with a client secret)"
      )
    case .rateLimited(let wait): throw .retryAfter(retryAfter: wait.map(Int64.init))
    case .unclear(let status, let message): throw .providerRefused(status: status, message)
    case .failing(let status, let wait, let message):
      throw .providerUnavailable(message, retryAfter: wait.map(Int64.init), status: status)
    }
  }

  /// Asks at the verification endpoint, then at the profile endpoints, and else by introspection.
  ///
  /// - Parameters:
  ///   - grant: the token.
  ///   - account: its account.
  ///   - isUsual: whether the token has the usual scopes and audience. The provider's own endpoints
  ///     accept no other, nor a token for one resource only.
  ///   - tries: how often each request is sent at most.
  /// - Throws: `misconfigured` if a request cannot be made; `offline`, `providerUnavailable`.
  /// - Returns: the judgement of the first endpoint that is there.
  func verification(
    of grant: AccessGrant,
    _ account: AccountRow,
    isUsual: Bool = true,
    tries: Int = Fetch.mostTries
  ) async throws(VaultFailure) -> VerificationJudgement {
    let client = ProviderClient(provider: try provider(of: account))
    let own =
      isUsual && client.provider.onlyResource == nil
      ? try Self.ownRequests(client, grant.accessToken) : []
    for request in own {
      let answer = try await fetch(request, from: client.provider, tries: tries)
      let judgement = client.judgeVerification(
        status: answer.status,
        retryAfter: answer.retryAfter,
        body: answer.body.bytes,
        subject: account.subject
      )
      guard case .notThere = judgement else { return judgement }
    }
    let introspection = try mappingErrors(to: .misconfigured()) {
      try client.introspection(accessToken: grant.accessToken)
    }
    guard let introspection else { return .notThere }
    let answer = try await fetch(introspection, from: client.provider, tries: tries)
    return client.judgeIntrospection(
      status: answer.status,
      retryAfter: answer.retryAfter,
      body: answer.body.bytes
    )
  }

  /// The requests to endpoints that take the token itself.
  private static func ownRequests(
    _ client: ProviderClient,
    _ token: String
  ) throws(VaultFailure) -> [ProviderRequest] {
    try mappingErrors(to: .misconfigured()) {
      guard client.provider.oauth == nil else {
        guard client.provider.endpoint(.userinfo) != nil else { return [] }
        return [try client.verification(accessToken: token)]
      }
      let fallback = try client.profileFallback(accessToken: token)
      return [
        try client.verification(accessToken: token), try client.profile(accessToken: token),
      ] + (fallback.map { [$0] } ?? [])
    }
  }
}
