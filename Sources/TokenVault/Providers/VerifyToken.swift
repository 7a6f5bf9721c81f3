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
    case .refused:
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
        "\(account.provider) has no endpoint that can verify a token (verify_path,"
          + " profile_path, userinfo_endpoint)"
      )
    case .rateLimited(let wait): throw .retryAfter(retryAfter: wait.map(Int64.init))
    case .unclear(let status, let message): throw .providerRefused(status: status, message)
    case .failing(let status, let wait, let message):
      throw .providerUnavailable(message, retryAfter: wait.map(Int64.init), status: status)
    }
  }

  /// Asks at the verification endpoint, then at the profile endpoints.
  ///
  /// A token for one resource only is sent nowhere: the provider may refuse one that is not for itself.
  func verification(
    of grant: AccessGrant,
    _ account: AccountRow,
    tries: Int = Fetch.mostTries
  ) async throws(VaultFailure) -> VerificationJudgement {
    let client = ProviderClient(provider: try provider(of: account))
    guard client.provider.onlyResource == nil else { return .notThere }
    let requests = try mappingErrors(to: .misconfigured()) {
      var requests = [try client.verification(accessToken: grant.accessToken)]
      if client.provider.oauth == nil {
        requests.append(try client.profile(accessToken: grant.accessToken))
      }
      if let fallback = try client.profileFallback(accessToken: grant.accessToken) {
        requests.append(fallback)
      }
      return requests
    }
    var judgement = VerificationJudgement.notThere
    for request in requests {
      let answer = try await fetch(request, from: client.provider, tries: tries)
      judgement = client.judgeVerification(
        status: answer.status,
        retryAfter: answer.retryAfter,
        body: answer.body.bytes,
        subject: account.subject
      )
      guard case .notThere = judgement else { break }
    }
    return judgement
  }
}
