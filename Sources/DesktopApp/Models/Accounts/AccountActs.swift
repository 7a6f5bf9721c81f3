internal import GTK
internal import PlainText
internal import PresenceTerms
internal import VaultClient
internal import VaultInterface

/// What a person does with an account.
extension VaultModel {
  /// How long a call may take that waits for a provider, in seconds.
  nonisolated private static let providerLimit: Int64 = 120

  /// Turns presence protection on or off.
  func protect(_ item: AccountItem, _ isOn: Bool) async {
    let name = item.name
    _ = await act(on: item) { connection, prompt throws(VaultClientError) in
      if isOn {
        _ = try connection.call(EnablePresenceCall(account: name, prompt: prompt, ask: true))
      } else {
        _ = try connection.call(DisablePresenceCall(account: name, prompt: prompt, ask: true))
      }
    }
  }

  /// Signs out at the provider, and erases the tokens.
  func signOut(_ item: AccountItem) async {
    let name = item.name
    let reply = await act(on: item) { connection, prompt throws(VaultClientError) in
      try connection.call(
        LogoutCall(account: name, local: false, prompt: prompt, ask: true),
        within: Self.providerLimit
      )
    }
    guard let reply else { return }
    if let trouble = Self.unconfirmed(reply.grant, reply.reason, item) {
      item.trouble = trouble
    } else {
      news = tr("Signed out")
    }
  }

  /// Signs out, and removes the account.
  func remove(_ item: AccountItem) async {
    let name = item.name
    let reply = await act(on: item) { connection, prompt throws(VaultClientError) in
      try connection.call(
        RemoveAccountCall(account: name, local: false, prompt: prompt, ask: true),
        within: Self.providerLimit
      )
    }
    guard let reply else { return }
    news =
      Self.unconfirmed(reply.grant, reply.reason, item) == nil
      ? tr("Account removed") : tr("Removed, not confirmed by the provider")
  }

  /// Gives an account another name, and shows it again.
  func rename(_ item: AccountItem, to name: String) async {
    let old = item.name
    guard name != old else { return }
    let reply = await act(on: item) { connection, prompt throws(VaultClientError) in
      try connection.call(RenameAccountCall(account: old, name: name, prompt: prompt, ask: true))
    }
    guard reply != nil, let renamed = items.first(where: { $0.name == name }) else { return }
    await select(renamed)
  }

  /// What is left to do after a sign-out that the provider did not confirm.
  private static func unconfirmed(
    _ grant: GrantState?,
    _ reason: String?,
    _ item: AccountItem
  ) -> Trouble? {
    switch grant {
    case .some(.ended), .some(.none), nil: return nil
    case .valid, .unknown:
      let provider = PlainText.line(item.account.provider, limit: 64)
      return Trouble(
        tr(
          "the tokens are erased here, but %s did not confirm that the login has ended",
          provider
        ) + (reason.map { " (\($0))" } ?? ""),
        advice: tr("end the session in your account settings there")
      )
    }
  }
}
