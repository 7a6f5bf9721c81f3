public import Configuration
internal import Cryptography
internal import OAuth
public import SecretMemory
internal import Storage
internal import System

extension Vault {
  /// The most accounts of one owner.
  static let mostAccounts = 1000

  /// Signs in at a password backend, or makes a new user there.
  ///
  /// The account and its slot are made first, so that the first tokens are as durable as any
  /// that follow. If the provider says no, a new account is removed again.
  ///
  /// - Parameters:
  ///   - name: the account, made if there is none.
  ///   - provider: the whole provider, which is copied into the account; nil: as it was.
  ///   - email: the user's address there.
  ///   - password: the user's password there.
  ///   - registering: whether to make a new user.
  ///   - displayName: the new user's name.
  ///   - exportable: whether the refresh token may be released later; needs the system password.
  ///   - prompt: a check passed by password, for an exportable account.
  ///   - caller: who asks.
  /// - Returns: the account as it is now.
  /// - Throws: `providerRefused`, `providerUnavailable`, `misconfigured`, `invalidArgument`.
  public func signIn(
    account name: String,
    provider: Provider?,
    email: String,
    password: SharedSecret,
    registering: Bool,
    displayName: String?,
    exportable: Bool = false,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandCurrentStore()
    if exportable { try await allowExportable(name, provider, prompt, caller) }
    let credentials = Credentials(
      email: email,
      password: password,
      newUser: registering ? .some(displayName) : nil,
      exportable: exportable
    )
    while true {
      let account = try accountToSignIn(name, provider)
      await enter(account.id)
      defer { leave(account.id) }
      // Whoever was before us may have removed it, because the provider said no, or renamed it.
      guard try find(account.id)?.name == account.name else { continue }
      let slot = try await lockedSlot(account.id)
      let earlier = try intent(of: account)
      try recover(account.id, slot)
      // So does an interrupted login of which nothing came.
      guard let row = try find(account.id) else { continue }
      if registering, let earlier, wasRegistered(row, by: earlier, email: email) {
        // An interrupted registration has come to its end: the provider would refuse a second one.
        return try facts(of: row)
      }
      try await exchange(credentials, for: row, provider, slot, caller)
      return try facts(of: try self.account(withIdentifier: row.id))
    }
  }

  private struct Credentials {
    let email: String
    let password: SharedSecret
    /// The name of a user to register, which may be missing; nil signs in one who exists.
    let newUser: String??
    let exportable: Bool

    var purpose: IntentRow.Purpose { newUser == nil ? .login : .register }
  }

  private func find(_ identifier: [UInt8]) throws(VaultFailure) -> AccountRow? {
    try stored { () throws(StorageError) in try self.store.account(id: identifier) }
  }

  private func wasRegistered(_ row: AccountRow, by intent: IntentRow, email: String) -> Bool {
    intent.purpose == .register && row.state == .signedIn && row.generation > intent.generation
      && PendingSignIn(decoding: intent.context)?.email == email
  }

  /// The exchange of a login, from the request to T2.
  private func exchange(
    _ credentials: Credentials,
    for row: AccountRow,
    _ provider: Provider?,
    _ slot: consuming SlotFile,
    _ caller: Caller
  ) async throws(VaultFailure) {
    let request: ProviderRequest
    let intent: IntentRow
    let terms: ExchangeTerms
    do throws(VaultFailure) {
      let provider = if let provider { provider } else { try self.provider(of: row) }
      request = try self.request(credentials, provider)
      terms = ExchangeTerms(provider)
      intent = try newIntent(
        credentials.purpose,
        for: row,
        context: PendingSignIn(
          provider,
          email: credentials.email,
          exportable: credentials.exportable
        ).encoded
      )
      let event: AuditEvent = credentials.newUser == nil ? .login : .registration
      try begin(intent, AuditEntry(event, .begun, account: row, caller: caller))
    } catch {
      try? removeHusk(row)
      throw error
    }
    let delivery = try delivery(intent, slot)
    let reply = await exchange.perform(request, terms: terms, delivery: delivery)
    if reply.isOpen {
      slot.close()
      slot = try await lockedSlot(row.id)
    }
    try settle(
      intent,
      with: try image(after: reply, intent, slot),
      slot,
      caller: caller,
      sent: credentials.password
    )
  }

  private func request(
    _ credentials: Credentials,
    _ provider: Provider
  ) throws(VaultFailure) -> ProviderRequest {
    let client = ProviderClient(provider: provider)
    do throws(OAuthError) {
      guard let name = credentials.newUser else {
        return try client.login(
          email: credentials.email,
          password: credentials.password.bytes
        )
      }
      return try client.register(
        email: credentials.email,
        name: name,
        password: credentials.password.bytes
      )
    } catch {
      throw .invalidArgument("\(error)")
    }
  }

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

  // MARK: - Parts

  private func accountToSignIn(
    _ name: String,
    _ provider: Provider?
  ) throws(VaultFailure) -> AccountRow {
    let checked: AccountName
    do throws(ConfigurationError) {
      checked = try AccountName(name)
    } catch {
      throw .invalidArgument("\(error)")
    }
    if let existing = try stored({ () throws(StorageError) in
      try self.store.account(named: checked.text, owner: self.owner)
    }) {
      return existing
    }
    guard let provider else {
      throw .noSuchAccount(checked.text)
    }
    guard try accounts().count < Self.mostAccounts else {
      throw .refused("there are \(Self.mostAccounts) accounts already")
    }
    let row = AccountRow(
      id: try random(16),
      name: checked.text,
      owner: owner,
      provider: provider.name.text,
      providerSettings: provider.canonicalForm,
      binding: try bindingOf(provider.canonicalForm, exportable: false),
      createdAt: clock.wall.seconds
    )
    try stored { () throws(StorageError) in
      try SlotFile.create(in: self.directory, account: row.id)
    }
    do throws(VaultFailure) {
      try change { () throws(VaultFailure) in
        try self.stored { () throws(StorageError) in try self.store.insert(row) }
      }
    } catch {
      try? SlotFile.delete(in: directory, account: row.id)
      throw error
    }
    return row
  }

  private func removeHusk(_ row: AccountRow) throws(VaultFailure) {
    guard row.generation == 0, row.state == .signedOut else { return }
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in _ = try self.store.deleteAccount(id: row.id) }
    }
    try stored { () throws(StorageError) in
      try SlotFile.delete(in: self.directory, account: row.id)
    }
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
