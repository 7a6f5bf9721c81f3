internal import Configuration
package import JSON
internal import OAuth
internal import SecretMemory
internal import Storage

// The profile of the person, as the provider gives it.
extension Vault {
  /// Asks the provider for the person's profile.
  ///
  /// - Returns: the account, and the provider's own JSON object without members that hold secrets.
  package func profile(
    account name: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (facts: AccountFacts, profile: JSONObject) {
    try demandQuestions(to: name)
    let call = TokenCall(account: name, prompt: prompt, caller: caller)
    let (grant, _) = try await grantedToken(call)
    let first = try await profile(with: grant)
    // A token that has just come after a prompt is not refreshed again: the refusal is not about
    // its age.
    guard case .unauthorized = first.answer, prompt == nil else {
      return try await outcome(first.answer, of: first.account, caller)
    }
    let again = TokenCall(account: grant.account, rejected: grant.accessToken, caller: caller)
    let (newer, _) = try await grantedToken(again)
    let second = try await profile(with: newer)
    return try await outcome(second.answer, of: second.account, caller)
  }

  /// Refuses an account whose secret or token no known endpoint may be sent.
  func demandQuestions(to name: String?) throws(VaultFailure) {
    let account = try account(named: name)
    guard let provider = try? provider(of: account) else { return }
    if provider.kind == .static {
      throw .misconfigured(
        "\(account.name) keeps a static secret: no endpoint of its host is known for this"
      )
    }
    if let resource = provider.onlyResource {
      throw .misconfigured(
        "the tokens of \(account.name) are for \(resource) only: the provider is not asked about them"
      )
    }
  }

  /// The account of a granted token, to whose provider the token may be sent.
  ///
  /// - Throws: `providerUnavailable` if the token no longer belongs to the account. After another
  ///   sign-in it would otherwise be sent to another provider.
  func account(of grant: AccessGrant) throws(VaultFailure) -> AccountRow {
    let account = try account(named: grant.account)
    let isCurrent =
      if let opened = grant.opened {
        opened.account == account.id && opened.generation == account.generation
      } else {
        // A token of other scopes is not the usual one.
        try tokens(of: account).contains { $0.token == grant.accessToken }
      }
    guard isCurrent else { throw .hasJustChanged }
    return account
  }

  private func profile(
    with grant: AccessGrant
  ) async throws(VaultFailure) -> (account: AccountRow, answer: ProfileJudgement) {
    let account = try account(of: grant)
    let client = ProviderClient(provider: try provider(of: account))
    let (question, fallback) = try mappingErrors(to: .misconfigured()) {
      (
        try client.profile(accessToken: grant.accessToken),
        try client.profileFallback(accessToken: grant.accessToken)
      )
    }
    var answer = try await ask(client, question, account)
    if case .notThere = answer, let fallback { answer = try await ask(client, fallback, account) }
    return (account, answer)
  }

  private func ask(
    _ client: ProviderClient,
    _ request: ProviderRequest,
    _ account: AccountRow
  ) async throws(VaultFailure) -> ProfileJudgement {
    let answer = try await fetch(request, from: client.provider)
    return client.judgeProfile(
      status: answer.status,
      retryAfter: answer.retryAfter,
      body: answer.body.bytes,
      subject: account.subject
    )
  }

  /// Stores the provider's facts about the person, because not every sign-in answer has them.
  func keep(_ user: UserFacts, of account: AccountRow, isWhole: Bool = true) async -> AccountRow {
    await enter(account.id)
    defer { leave(account.id) }
    do throws(VaultFailure) {
      let row = try self.account(withIdentifier: account.id)
      // A sign-in since then may be another person's.
      guard row.state == .signedIn, row.binding == account.binding, row.subject == account.subject
      else { return row }
      var known = row
      known.learn(user, isWhole: isWhole)
      guard known != row else { return row }
      try change { try store.update(known) }
      return known
    } catch {
      // The caller gets the profile even if it cannot be stored.
      return account
    }
  }

  private func outcome(
    _ judgement: ProfileJudgement,
    of account: AccountRow,
    _ caller: Caller
  ) async throws(VaultFailure) -> (facts: AccountFacts, profile: JSONObject) {
    switch judgement {
    case .profile(let user, let object):
      let known = await keep(user, of: account)
      let facts = try facts(of: known, at: await locationOfWindow(caller))
      return (facts, object)
    case .unauthorized:
      throw .providerRefused(status: 401, "the access token is not accepted")
    case .notThere:
      throw .misconfigured("the provider has no profile at that address; check its settings")
    case .rateLimited(let wait):
      throw .retryAfter(retryAfter: wait.map(Int64.init))
    case .refused(let status, let message): throw .providerRefused(status: status, message)
    case .failing(let status, let wait, let message):
      throw .providerUnavailable(message, retryAfter: wait.map(Int64.init), status: status)
    }
  }
}
