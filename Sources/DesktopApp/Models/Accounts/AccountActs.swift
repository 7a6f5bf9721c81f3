internal import GTK
internal import PlainText
internal import PresenceTerms
internal import Providers
internal import System
internal import VaultClient
internal import VaultInterface

/// What a person does with an account.
extension VaultModel {
  /// How long a call may take that waits for a provider, in seconds.
  nonisolated private static let providerLimit: Int64 = 120

  /// Makes a call of the person about an account, after the earlier ones.
  ///
  /// Its first argument is the name of the account then. It is given up if the account goes or the
  /// vault is locked before, or if the account is then in the state `end`.
  ///
  /// With `endingItsName` the call removes or renames the account, and is not repeated if its
  /// answer is lost. With `showing` the call waits for the provider: the page shows this text, and
  /// the person can give it up.
  func act<Reply: Sendable>(
    on item: AccountItem,
    endingItsName endsName: Bool = false,
    renamingTo nextName: String? = nil,
    unlessIn end: AccountState? = nil,
    showing progress: String? = nil,
    _ body: @escaping @Sendable (String, Connection, String?) throws(VaultClientError) -> Reply
  ) async -> Reply? {
    // Not at its turn: the trouble of the call before would not be seen.
    item.trouble = nil
    return await item.calls.run(at: self) {
      guard let link, holds(item), item.account.state != end else { return nil }
      (item.nextName, item.isEnding) = (nextName, endsName && nextName == nil)
      defer { (item.nextName, item.isEnding) = (nil, false) }
      let (name, again) = (item.name, endsName ? Repetition.never : .untilPrompted)
      do throws(VaultClientError) {
        let stop = try progress.map { words throws(VaultClientError) in try item.beginWait(words) }
        defer { item.endWait() }
        let reply = try await link.call(
          again: again,
          interrupt: stop,
          telling: { isOpen in Task { @MainActor in item.noteAsking(isOpen) } }
        ) { connection, prompt throws(VaultClientError) in
          try body(name, connection, prompt)
        }
        await read()
        return reply
      } catch {
        if case .interrupted = error {
          await giveUp(name, of: item, endsName, link.location)
          return nil
        }
        item.trouble = Trouble(error)
        if error.leavesInDoubt(again) { await doubt(name, of: item, error, link.location) }
        return nil
      }
    }
  }

  /// Tells that the vault may still carry out a call that the person has given up.
  private func giveUp(
    _ name: String,
    of item: AccountItem,
    _ endsName: Bool,
    _ location: VaultLocation
  ) async {
    item.trouble = Trouble(
      tr("you no longer wait for the provider"),
      advice: tr(
        "the vault may still finish the call: look at the state of the account before you try again"
      )
    )
    await read()
    // The page of an account that is gone is closed.
    if !holds(item) { news = Trouble.missingAccount.text }
    if endsName, await Self.hasHosts(name, at: location) {
      notice = tr("hosts.conf may still name it")
    }
  }

  /// Tells that an account may have lost its name by a call without an answer.
  private func doubt(
    _ name: String,
    of item: AccountItem,
    _ error: VaultClientError,
    _ location: VaultLocation
  ) async {
    item.trouble = Trouble(
      ErrorWords.translated("\(error)"),
      advice: tr("the change may have been made: look at the list of accounts before you try again")
    )
    await read()
    // Without its account, or under another name, the call has taken effect.
    let isGone = !holds(item)
    guard isGone || item.name != name else { return }
    guard await Self.hasHosts(name, at: location) else {
      if isGone { news = Trouble.missingAccount.text }
      return
    }
    item.trouble = Trouble(
      ErrorWords.translated("\(error)"),
      advice: tr("hosts may still get tokens by the former name; to look: thumblatch host list")
    )
    // The page of an account that is gone is closed.
    if isGone { notice = tr("hosts.conf may still name it") }
  }

  /// Turns presence protection on or off.
  func protect(_ item: AccountItem, _ isOn: Bool) async {
    _ = await act(on: item) { name, connection, prompt throws(VaultClientError) in
      if isOn {
        _ = try connection.call(EnablePresenceCall(account: name, prompt: prompt, ask: true))
      } else {
        _ = try connection.call(DisablePresenceCall(account: name, prompt: prompt, ask: true))
      }
    }
  }

  /// Signs out at the provider, and erases the tokens.
  func signOut(_ item: AccountItem) async {
    // A second click must not end a login that has ended.
    let reply = await act(on: item, unlessIn: .signedOut, showing: tr("Signing out…")) {
      name,
      connection,
      prompt throws(VaultClientError) in
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
    guard let location = link?.location else { return }
    let done = await act(on: item, endingItsName: true, showing: tr("Removing the account…")) {
      name,
      connection,
      prompt throws(VaultClientError) -> (LogoutReply, ProviderFileError?) in
      let reply = try connection.call(
        RemoveAccountCall(account: name, local: false, prompt: prompt, ask: true),
        within: Self.providerLimit
      )
      return (reply, Self.changeHosts(of: name, to: nil, at: location))
    }
    guard let (reply, failure) = done else { return }
    let isConfirmed = Self.unconfirmed(reply.grant, reply.reason, item) == nil
    if isConfirmed, failure == nil {
      news = tr("Account removed")
      return
    }
    var texts = [
      isConfirmed ? tr("Account removed") : tr("Removed, not confirmed by the provider")
    ]
    if failure != nil { texts.append(tr("hosts.conf may still name it")) }
    notice = texts.joined(separator: "; ")
  }

  /// Gives an account another name.
  func rename(_ item: AccountItem, to name: String) async {
    guard name != item.name, let location = link?.location else { return }
    let outcome = await act(on: item, endingItsName: true, renamingTo: name) {
      old,
      connection,
      prompt throws(VaultClientError) -> ProviderFileError? in
      let call = RenameAccountCall(account: old, name: name, prompt: prompt, ask: true)
      let reply = try connection.call(call)
      return Self.changeHosts(of: old, to: reply.account.name, at: location)
    }
    guard case .some(.some(let failure)) = outcome else { return }
    item.trouble = Trouble(
      tr("the former name of the account may still be in hosts.conf: %s", "\(failure)"),
      advice: failure.remedy
    )
  }

  /// Gives the hosts of an account its new name, or removes them if that is `nil`.
  ///
  /// - Returns: why they were not changed.
  nonisolated private static func changeHosts(
    of account: String,
    to name: String?,
    at location: VaultLocation
  ) -> ProviderFileError? {
    guard helpersUse(location) else { return nil }
    do throws(ProviderFileError) {
      try ProviderDirectories(environment: { ThisProcess.environment($0) })
        .changeHosts(of: account, to: name)
      return nil
    } catch {
      return error
    }
  }

  /// Whether hosts get tokens of an account by its name.
  private static func hasHosts(_ account: String, at location: VaultLocation) async -> Bool {
    let found = try? await SignInModel.onThread { () throws(ProviderFileError) in
      guard Self.helpersUse(location) else { return false }
      return try ProviderDirectories(environment: { ThisProcess.environment($0) })
        .hasHosts(of: account)
    }
    return found ?? false
  }

  /// The helpers of other tools use no private vault beside a service.
  nonisolated private static func helpersUse(_ location: VaultLocation) -> Bool {
    location == (try? VaultLocation(privately: false))
  }

  /// What is left to do after a sign-out that the provider did not confirm.
  private static func unconfirmed(
    _ grant: GrantState?,
    _ reason: String?,
    _ item: AccountItem
  ) -> Trouble? {
    // A secret has no login that could end.
    guard !AccountWords(account: item.account).isStatic else { return nil }
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
