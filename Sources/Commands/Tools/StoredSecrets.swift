internal import Configuration
internal import PresenceTerms
internal import SecretMemory
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

// Secrets that other tools store. Each becomes an account of kind `static` for its host. If an
// account with a login serves the host, nothing is stored. A secret that a tool got here and writes
// back is not stored again.
extension Session {
  /// Keeps a secret that a tool gives for a host.
  ///
  /// - Parameters:
  ///   - secret: the secret.
  ///   - host: its host.
  ///   - isWrittenBack: whether the tool stores, without asking a person, a secret that a server
  ///     accepted. Then an account with a secret is left as it is, and no prompt is opened for it.
  ///   - isMoved: whether it comes from another program's file. Then no secret that can be used is
  ///     replaced.
  ///   - isOfDocker: whether docker's login gives it, so that docker's protocol lists the host.
  /// - Throws: failures of the vault and of the file, and exit 2 for a secret that is too long.
  /// - Returns: the host's entry if an account with a login serves the host, which keeps nothing
  ///   else.
  @discardableResult
  func keep(
    _ secret: ToolSecret,
    for host: TokenHost,
    isWrittenBack: Bool = false,
    isMoved: Bool = false,
    isOfDocker: Bool = false
  ) throws(CommandError) -> HostAccount? {
    if let end = secret.expiresAt, end <= WallTime.now.seconds { return nil }
    guard secret.text.utf8.count <= StandardInput.maximumSecret else {
      throw StandardInput.longer("secret", than: StandardInput.maximumSecret)
    }
    let hosts = try HostAccounts(environment: environment)
    let file = try hosts.read()
    let place: SecretPlace
    switch try self.place(of: secret, at: host, file) {
    case .login(let entry): return entry
    case .account(let found): place = found
    }
    let (name, known, served) = (place.name, place.known, place.served)
    // A host that the file cannot hold is refused before the secret is stored.
    let change = try hosts.serving(
      host,
      account: name,
      in: file,
      username: secret.username,
      isOfDocker: isOfDocker
    )
    let relation = try known.map { account throws(CommandError) -> Relation in
      guard !isMoved else {
        return try isSame(secret, as: account, at: host, served) ? .same : .another
      }
      return try self.relation(
        of: secret,
        to: account,
        at: host,
        served,
        isWrittenBack: isWrittenBack
      )
    }
    switch relation {
    case .leftAlone: return nil
    case .same where served != nil && !isOfDocker: return nil
    case .same: break
    case .another, nil: try store(secret, name, known, host)
    }
    let isTaken = !isOfDocker && relation != .same
    let isServed = try hosts.apply(change.map { [$0] } ?? [], unlisting: isTaken ? name : nil)
    if !isServed {
      warnOfOtherAccount(at: host, in: try hosts.read(), than: name)
    } else if served == nil {
      output.talk("\(host) gets the secret of \(name) from now on")
    }
    return nil
  }

  /// Removes the secret that a person tells a tool to forget.
  ///
  /// An account that only this host has is removed, with the host. An account that serves more
  /// hosts stays, and its secret is erased.
  ///
  /// - Returns: false if the account has a login, and stays.
  func giveUp(_ entry: HostAccount) throws(CommandError) -> Bool {
    let hosts = try HostAccounts(environment: environment)
    if let known = try SignInVerbs.knownAccount(self, entry.account.text) {
      guard known.isStatic else { return false }
      let terms = try requestTerms(of: known.name)
      let isShared = try hosts.read().entries.contains {
        $0.account == entry.account && $0.host != entry.host
      }
      if terms.allows(entry.host), !SecretAccount.isItem(known) {
        guard !isShared, terms.hosts.isEmpty else {
          try eraseSecret(of: known)
          try hosts.unlist(known.name)
          output.talk(
            "the secret of \(known.name), which is for other hosts as well, is erased here;"
              + " to store another one: thumblatch store \(known.name)"
          )
          return true
        }
        _ = try call(within: Session.remoteLimit, again: .never) { prompt in
          RemoveAccountCall(account: known.name, local: true, prompt: prompt)
        }
      }
    }
    try hosts.remove(entry.host)
    return true
  }

  /// Erases a secret that its own host refused, if the account keeps exactly this one.
  ///
  /// For a protected account, the secret is erased only while it is unlocked: a tool opens no
  /// prompt for that. The account and the host's entry stay: a host may also refuse a good secret.
  func giveUpRefused(_ secret: String, of entry: HostAccount) throws(CommandError) {
    let answer = rejectToken(secret, for: entry)
    guard answer != .other, let known = try SignInVerbs.knownAccount(self, entry.account.text),
      known.isStatic
    else { return }
    guard entry.host.isHome(of: known) else {
      output.talk(
        "\(entry.host) refused the secret of \(known.name), which stays: it is for \(known.issuer)"
      )
      return
    }
    guard answer == .isStatic else { return tellOfLocked(entry) }
    do throws(VaultClientError) {
      _ = try callWithoutPrompt(
        LogoutCall(account: known.name, local: true, ask: false),
        within: Session.localLimit,
        again: .never
      )
    } catch {
      guard case .refused(.presenceNeeded) = error else { throw CommandError(error) }
      return tellOfLocked(entry)
    }
    output.talk(
      "\(entry.host) refused the secret of \(entry.account): it is erased here;"
        + " to store another one: thumblatch store \(entry.account)"
    )
  }

  // MARK: - Parts

  private func tellOfLocked(_ entry: HostAccount) {
    output.talk(
      "\(entry.account) is locked, so its secret for \(entry.host) is not erased;"
        + " to replace it: thumblatch store \(entry.account)"
    )
  }

  private func eraseSecret(of known: VaultAccount) throws(CommandError) {
    _ = try call(within: Session.localLimit, again: .never) { prompt in
      LogoutCall(account: known.name, local: true, prompt: prompt)
    }
  }

  /// The relation of a secret to the account that could keep it.
  private enum Relation {
    case same, another
    /// The account keeps its secret.
    case leftAlone
  }

  /// Compares a secret with that of an account.
  ///
  /// A project can make a tool write back any secret. So that never replaces one that can be used.
  private func relation(
    of secret: ToolSecret,
    to known: VaultAccount,
    at host: TokenHost,
    _ served: HostAccount?,
    isWrittenBack: Bool
  ) throws(CommandError) -> Relation {
    let user = served?.username ?? known.subject
    let isOtherUser = secret.username.map { $0 != user } ?? false
    if isWrittenBack, isOtherUser, let user {
      output.talk(
        "\(host) gets the secret of \(known.name) (user \(user)); another user's secret is not"
          + " stored"
      )
      return .leftAlone
    }
    guard known.state != .signedOut, known.state != .loginRequired else { return .another }
    if !isWrittenBack, isOtherUser { return .another }
    switch rejectToken(
      secret.text,
      for: known.name,
      scope: served?.scope,
      audience: served?.audience
    ) {
    case .isStatic: return .same
    case .isLocked: return isWrittenBack ? .leftAlone : .another
    case .other:
      guard isWrittenBack else { return .another }
      output.talk(
        "the password for \(host) is not stored, because \(known.name) keeps another one;"
          + " to replace it: thumblatch store \(known.name)"
      )
      return .leftAlone
    }
  }

  private func store(
    _ secret: ToolSecret,
    _ account: String,
    _ known: VaultAccount?,
    _ host: TokenHost
  ) throws(CommandError) {
    let kept: SharedSecret
    do throws(SecretMemoryError) {
      kept = SharedSecret(try SecretBytes(copying: Array(secret.text.utf8)))
    } catch {
      throw CommandError(.bug, "\(error)")
    }
    let provider =
      if known == nil { try StoreVerb.provider(at: host) } else {
        try call(within: Session.localLimit) { _ in AccountProviderCall(account: account) }.provider
      }
    _ = try call(within: Session.localLimit) { prompt in
      StoreSecretCall(
        account: account,
        provider: provider,
        secret: kept,
        username: secret.username ?? known?.subject,
        label: known?.displayName,
        expiresAt: secret.expiresAt.map { Int(clamping: $0) },
        claims: known?.claims,
        prompt: prompt
      )
    }
  }
}
