internal import Configuration
internal import PresenceTerms
internal import SecretMemory
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

// Secrets that other tools store. Each becomes an account of kind `static` for its host. If an account
// with a login serves the host, nothing is stored. A secret that a tool got here and writes back is not
// stored again.
extension Session {
  /// Keeps a secret that a tool gives for a host.
  ///
  /// - Parameters:
  ///   - secret: the secret.
  ///   - host: its host.
  ///   - isWrittenBack: whether the tool also stores what it has got here, after each use. Then a locked
  ///     account is left as it is, and no prompt is opened for it.
  /// - Throws: failures of the vault and of the file.
  /// - Returns: the host's entry if an account with a login serves the host, which keeps nothing else.
  @discardableResult
  func keep(
    _ secret: ToolSecret,
    for host: TokenHost,
    isWrittenBack: Bool = false
  ) throws(CommandError) -> HostAccount? {
    if let end = secret.expiresAt, end <= WallTime.now.seconds { return nil }
    let hosts = try HostAccounts(environment: environment)
    if let entry = try hosts.read()[host] {
      let known = try SignInVerbs.knownAccount(self, entry.account.text)
      if let known {
        guard known.kind == StoreVerb.kind else { return entry }
        guard try isAnother(secret, than: entry, of: known, isWrittenBack: isWrittenBack) else {
          return nil
        }
      }
      try store(secret, entry.account.text, known, host)
      return nil
    }
    let (name, known) = try freeAccount(for: host, username: secret.username)
    // What the file could not hold is refused before it is stored.
    var settings = ["account": name]
    settings["username"] = secret.username
    do throws(ConfigurationError) { _ = try HostAccount(host, settings: settings) } catch {
      throw .usage("\(error)")
    }
    try store(secret, name, known, host)
    try hosts.add(host, account: name, username: secret.username)
    output.talk("\(host) gets the secret of \(name) from now on")
    return nil
  }

  /// Removes the secret that a tool gives up, and its host.
  ///
  /// - Returns: false if the account has a login, and stays.
  func giveUp(_ entry: HostAccount) throws(CommandError) -> Bool {
    let account = entry.account.text
    if let known = try SignInVerbs.knownAccount(self, account) {
      guard known.kind == StoreVerb.kind else { return false }
      _ = try call(within: Session.remoteLimit, again: .never) { prompt in
        RemoveAccountCall(account: account, local: true, prompt: prompt)
      }
    }
    try HostAccounts(environment: environment).remove(entry.host)
    return true
  }

  /// Removes a secret that its host refused, if the account keeps exactly this one.
  ///
  /// For a protected account, only the secret is erased, which needs no check. The account stays.
  func giveUpRefused(_ secret: String, of entry: HostAccount) throws(CommandError) {
    guard rejectToken(secret, for: entry) == .isStatic,
      let known = try SignInVerbs.knownAccount(self, entry.account.text)
    else { return }
    guard known.presenceProtection else {
      _ = try giveUp(entry)
      output.talk("\(entry.host) refused the secret of \(entry.account), which is removed")
      return
    }
    _ = try call(within: Session.localLimit, again: .never) { prompt in
      LogoutCall(account: known.name, local: true, prompt: prompt)
    }
    output.talk(
      "\(entry.host) refused the secret of \(entry.account): it is erased here;"
        + " to store another one: thumblatch store \(entry.account)"
    )
  }

  // MARK: - Parts

  /// Whether the account keeps another secret, or none.
  private func isAnother(
    _ secret: ToolSecret,
    than entry: HostAccount,
    of known: VaultAccount,
    isWrittenBack: Bool
  ) throws(CommandError) -> Bool {
    if isWrittenBack, let username = secret.username, let other = known.subject,
      username != other
    {
      output.talk(
        "\(entry.host) gets the secret of \(known.name), who is \(other): that of another user is"
          + " not stored"
      )
      return false
    }
    guard known.state != .signedOut, known.state != .loginRequired else { return true }
    return switch rejectToken(secret.text, for: entry) {
    case .isStatic: false
    case .isLocked: !isWrittenBack
    case .other: true
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

  /// A name for an account, after its host and user, that no other account has.
  private func freeAccount(
    for host: TokenHost,
    username: String?
  ) throws(CommandError) -> (name: String, known: VaultAccount?) {
    let issuer = try StoreVerb.provider(at: host).settings["issuer"]
    let whole = host.text + (username.map { "-\($0)" } ?? "")
    let mapped = whole.lowercased().utf8.map { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".-_".utf8.contains(byte)
        ? byte : UInt8(ascii: "-")
    }
    let name = String(decoding: mapped, as: UTF8.self).drop { "-._".contains($0) }
      .prefix(AccountName.longest - 2)
    for number in 1...9 {
      let free = number == 1 ? String(name) : "\(name)-\(number)"
      guard let known = try SignInVerbs.knownAccount(self, free) else { return (free, nil) }
      if known.kind == StoreVerb.kind, known.issuer == issuer, known.subject == username {
        return (free, known)
      }
    }
    throw .usage(
      "\(name) and \(name)-2 to \(name)-9 are names of other accounts",
      hint: "name the account: thumblatch store NAME --host \(host)"
    )
  }
}
