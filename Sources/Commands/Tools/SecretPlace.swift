internal import Configuration
internal import PresenceTerms
internal import ToolProtocols
internal import VaultInterface

/// The account that keeps a host's secret.
struct SecretPlace {
  /// The account of a host.
  enum Found {
    /// An account with a login serves the host, which keeps nothing else.
    case login(HostAccount)
    case account(SecretPlace)
  }

  let name: String
  /// The account as it is; `nil` if there is none.
  let known: VaultAccount?
  /// The host's entry; `nil` if it has none, or one without an account.
  let served: HostAccount?
}

extension Session {
  /// Finds the account for a secret of a host.
  func place(
    of secret: ToolSecret,
    at host: TokenHost,
    _ file: HostFile
  ) throws(CommandError) -> SecretPlace.Found {
    if let entry = file[host],
      let account = try SignInVerbs.knownAccount(self, entry.account.text)
    {
      guard account.isStatic else { return .login(entry) }
      try StoreVerb.demandStatic(account)
      if !host.isHome(of: account) { try demandAllowed(host, of: account.name) }
      return .account(SecretPlace(name: account.name, known: account, served: entry))
    }
    // The account of an entry may be gone. Its name could fit other hosts as well.
    let others = Set(file.entries.filter { $0.host != host }.map(\.account.text))
    let (name, known) = try freeAccount(for: host, username: secret.username, besides: others)
    return .account(SecretPlace(name: name, known: known, served: nil))
  }

  /// Refuses a secret from another program's file that would replace a login, or another usable
  /// secret.
  ///
  /// - Returns: the account that would keep it.
  func demandPlace(for secret: ToolSecret, at host: TokenHost) throws(CommandError) -> String {
    let hosts = try HostAccounts(environment: environment)
    let file = try hosts.read()
    switch try place(of: secret, at: host, file) {
    case .login(let entry):
      throw CommandError(
        .refused,
        "\(host) gets tokens of \(entry.account), which signs in: nothing is moved",
        hint: "thumblatch host remove \(host), then repeat this command"
      )
    case .account(let place):
      _ = try hosts.serving(host, account: place.name, in: file, username: secret.username)
      if let known = place.known { _ = try isSame(secret, as: known, at: host, place.served) }
      return place.name
    }
  }

  /// Whether an account keeps this secret; false if it keeps none that can be used.
  ///
  /// - Throws: `refused` if it keeps another one, or cannot be asked.
  func isSame(
    _ secret: ToolSecret,
    as known: VaultAccount,
    at host: TokenHost,
    _ served: HostAccount?
  ) throws(CommandError) -> Bool {
    guard known.state != .signedOut, known.state != .loginRequired else { return false }
    let user = served?.username ?? known.subject
    let answer =
      user == nil || secret.username == user
      ? rejectToken(
        secret.text,
        for: known.name,
        scope: served?.scope,
        audience: served?.audience
      ) : .other
    switch answer {
    case .isStatic: return true
    case .isLocked:
      throw CommandError(
        .refused,
        "\(known.name) is locked, so its secret cannot be compared: nothing is moved",
        hint: "thumblatch unlock \(known.name), then repeat this command"
      )
    case .other:
      throw CommandError(
        .refused,
        "\(known.name) keeps another secret for \(host): nothing is moved",
        hint: served == nil
          ? "to replace that secret: thumblatch store \(known.name)"
          : "thumblatch host remove \(host), then repeat this command: that account stays"
      )
    }
  }

  /// A name for an account, after its host and user, that no other account has.
  ///
  /// `others` are names in entries of other hosts, which a new account must not have.
  private func freeAccount(
    for host: TokenHost,
    username: String?,
    besides others: Set<String>
  ) throws(CommandError) -> (name: String, known: VaultAccount?) {
    let issuer = try StoreVerb.provider(at: host).settings["issuer"]
    let whole = host.text + (username.map { "-\($0)" } ?? "")
    let name = AccountName.characters(of: whole.lowercased()).drop { "-._".contains($0) }
      .prefix(AccountName.longest - 2)
    for number in 1...9 {
      let free = number == 1 ? String(name) : "\(name)-\(number)"
      guard let known = try SignInVerbs.knownAccount(self, free) else {
        if others.contains(free) { continue }
        return (free, nil)
      }
      if known.isStatic, known.issuer == issuer, known.subject == username {
        return (free, known)
      }
    }
    throw .usage(
      "\(name) and \(name)-2 to \(name)-9 are names of other accounts",
      hint: "name the account: thumblatch store NAME --host \(host)"
    )
  }
}
