internal import Configuration
internal import OAuth
internal import SecretMemory
internal import Storage

extension Vault {
  /// Asks the provider who this is.
  ///
  /// - Returns: the provider's own JSON object, as text, without members that hold secrets.
  public func profile(
    account name: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (facts: AccountFacts, profile: ProviderProfile) {
    let grant = try await accessToken(
      account: name,
      minimumLifetime: nil,
      rejected: nil,
      prompt: prompt,
      caller: caller
    )
    let first = try await profile(with: grant)
    // A token that has just come after a question is not refreshed again: the provider means it.
    guard case .unauthorized = first.answer, prompt == nil else {
      return (try facts(of: first.account), try profile(first.answer, of: first.account))
    }
    let newer = try await accessToken(
      account: grant.account,
      minimumLifetime: nil,
      rejected: grant.accessToken,
      prompt: nil,
      caller: caller
    )
    let second = try await profile(with: newer)
    return (try facts(of: second.account), try profile(second.answer, of: second.account))
  }

  private func profile(
    with grant: AccessGrant
  ) async throws(VaultFailure) -> (account: AccountRow, answer: ProfileJudgement) {
    let account = try account(named: grant.account)
    // A login elsewhere meanwhile would have this token sent to another provider.
    guard try token(of: account)?.token == grant.accessToken else {
      throw .providerUnavailable("the account has just changed: try again", retryAfter: nil)
    }
    let client = ProviderClient(provider: try provider(of: account))
    let question: ProviderRequest
    let fallback: ProviderRequest?
    do throws(OAuthError) {
      question = try client.profile(accessToken: grant.accessToken)
      fallback = try client.profileFallback(accessToken: grant.accessToken)
    } catch {
      throw .misconfigured("\(error)")
    }
    var answer = try await ask(client, question)
    if case .notThere = answer, let fallback { answer = try await ask(client, fallback) }
    return (account, answer)
  }

  private func ask(
    _ client: ProviderClient,
    _ request: ProviderRequest
  ) async throws(VaultFailure) -> ProfileJudgement {
    switch await exchange.perform(
      request,
      terms: ExchangeTerms(client.provider),
      delivery: nil
    ) {
    case .answered(let status, let retryAfter, let body):
      return client.judgeProfile(status: status, retryAfter: retryAfter, body: body.bytes)
    case .notSent(let reason), .interrupted(let reason):
      throw .providerUnavailable("the provider cannot be reached (\(reason))", retryAfter: nil)
    case .delivered, .sealed:
      throw .unexpected("the exchange gave no answer")
    }
  }

  private func profile(
    _ judgement: ProfileJudgement,
    of account: AccountRow
  ) throws(VaultFailure) -> ProviderProfile {
    switch judgement {
    case .profile(_, let object): return ProviderProfile(object: object)
    case .unauthorized:
      throw .providerRefused(status: 401, "the access token is not accepted")
    case .notThere:
      throw .misconfigured("the provider has no profile endpoint; check `profile_path`")
    case .rateLimited(let wait):
      throw .providerUnavailable(
        "the provider asks for patience (429)",
        retryAfter: wait.map(Int64.init)
      )
    case .refused(let status, let message): throw .providerRefused(status: status, message)
    case .failing(_, let wait, let message):
      throw .providerUnavailable(message, retryAfter: wait.map(Int64.init))
    }
  }
}
