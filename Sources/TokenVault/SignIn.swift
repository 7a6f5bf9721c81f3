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
}
