internal import AuditLog
internal import Presence
internal import PresenceTerms
internal import Storage

// The account of calls that name none: the one that a person chose, or the only one with a login.
// An account of kind `static` must be chosen: programs that want a token would get a password.
extension Vault {
  /// The key of the chosen account's id in the store.
  private static var defaultKey: String { "default-account" }

  /// The default account; `nil` if there is none, or several and none of them chosen.
  func impliedAccount() throws(VaultFailure) -> AccountRow? {
    if let chosen = try stored(try chosenAccount()),
      let account = try accountIfAny(withIdentifier: chosen), account.owner == owner
    {
      return account
    }
    let first = try firstAccounts(2, withLogin: true)
    return first.count == 1 ? first.first : nil
  }

  /// The id that was chosen, whether or not the account still exists.
  private func chosenAccount() throws(StorageError) -> [UInt8]? {
    try store.meta(Self.defaultKey)
  }

  /// The name of the chosen account; `nil` if none was chosen.
  func chosenName() throws(VaultFailure) -> String? {
    guard let chosen = try stored(try chosenAccount()) else { return nil }
    return try accountIfAny(withIdentifier: chosen)?.name
  }

  /// Chooses an account, or none, inside a transaction.
  func choose(_ account: [UInt8]?) throws(StorageError) {
    try store.setMeta(Self.defaultKey, to: account)
  }

  /// Removes the choice if it is this account, inside the transaction that removes the account.
  func unchoose(_ account: [UInt8]) throws(StorageError) {
    if try chosenAccount() == account { try choose(nil) }
  }

  /// Writes the name of the default account, for callers that name none.
  func writeDefaultAccount() {
    guard freshness == .current else { return }
    guard let account = try? impliedAccount() else {
      try? TokenFiles.setDefault(account: nil, in: directory)
      return
    }
    let known = (try? TokenFiles.defaultAccount(in: directory)) ?? nil
    guard known != account.name else { return }
    try? TokenFiles.setDefault(account: account.name, in: directory)
  }

  /// Removes the name before a change that would make it wrong.
  ///
  /// Otherwise the front would hand out the token of an account that is not the default.
  func removeDefaultName() throws(VaultFailure) {
    try stored(try TokenFiles.setDefault(account: nil, in: directory))
  }

  /// Makes an account the default account.
  ///
  /// If that replaces a protected account, it needs a presence check, and an unlock window does not
  /// count. Otherwise callers that name no account would get another person's tokens from then on.
  package func setDefault(
    account name: String,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    let account = try account(named: name)
    if try stored(try chosenAccount()) == account.id {
      // Nothing changes, so nothing is recorded: such records would displace the history.
      if let prompt { cancel(prompt, caller: caller) }
      writeDefaultAccount()
      return try facts(of: account, at: await locationOfWindow(caller))
    }
    var method: String?
    if let replaced = try protectedDefault(besides: account) {
      let question = caller.question(
        .setDefault,
        about: account.id,
        detail: replaced.detail,
        accounts: [replaced.account.id]
      )
      method = try await spend(question, account: account.name, by: prompt, caller).rawValue
    } else if let prompt {
      cancel(prompt, caller: caller)
    }
    try removeDefaultName()
    try change {
      try choose(account.id)
      try record(.defaultAccount, .done, account, by: caller, method: method)
    }
    writeDefaultAccount()
    return try facts(of: account, at: await locationOfWindow(caller))
  }

  /// The protected account that would stop being the default, or may have been the default until a
  /// second account was added, with the detail of the prompt.
  private func protectedDefault(
    besides account: AccountRow
  ) throws(VaultFailure) -> (account: AccountRow, detail: String)? {
    if let current = try impliedAccount() {
      guard current.isProtected, current.id != account.id else { return nil }
      return (current, "instead of \(current.name)")
    }
    let guarded = try accounts().first { $0.isProtected && $0.id != account.id }
    return guarded.map { ($0, "no default account is set; \($0.name) is protected") }
  }
}
