internal import Configuration
internal import JSON
internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// `store`: puts a secret into an account without login.
enum StoreVerb {
  static let all = [store]

  /// The kind of provider whose accounts keep a secret.
  static let kind = Provider.Kind.static.rawValue
  static let standardInput = "--secret-stdin"

  static let store = Verb(
    "store",
    [.namedAccount],
    options: [
      Verb.Option("--host", "HOST", "the host that the secret is for; needed for a new account"),
      Verb.Option("--api-host", "HOST", repeats: true, "another host that request may send it to"),
      Verb.Option("--username", "NAME", "your user name at the host"),
      Verb.Option("--label", "TEXT", "your description of the account"),
      Verb.Option("--expires", "DATE", "when the secret expires, such as 2026-11-30"),
      Verb.Option("--protect", "require a presence check for each use, from the start"),
      Verb.Option(standardInput, "read the secret from standard input"),
    ],
    summary: "keep a password, an access token or an API key",
    details: """
      Asks for the secret, without showing it, and seals it. token, headers, request, exec and env \
      hand it out; so do the helpers for git, docker and other tools, for HOST. request sends it \
      to HOST and each --api-host only. For an existing account, the secret is replaced, and \
      everything else stays the same unless an option changes it. But a new secret without \
      --expires has no known expiry date. Replacing the secret of a protected account needs its \
      own presence check. status, account list and doctor say when a secret is about to expire, \
      unless it is valid for less than a day in all. It cannot be refreshed. --secret-stdin reads \
      standard input to its end, and drops one final line end. A secret may not contain control \
      characters other than tabs and line ends.
      """
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    let known = try SignInVerbs.knownAccount(session, account)
    try demandStatic(known)
    let host = try session.arguments.value("--host").map { word throws(CommandError) in
      try session.tokenHost(word)
    }
    let provider = try provider(of: known, host, session)
    let username = session.arguments.value("--username") ?? known?.subject
    let hosts = try HostAccounts(environment: session.environment)
    // A host that hosts.conf cannot hold is refused before anything is stored.
    func needed(_ file: HostFile) throws(CommandError) -> [HostChange] {
      try changes(of: hosts, file, account, host, username: username, session)
    }
    _ = try needed(hosts.read())
    let expiresAt = try end(session)
    let secret = try session.staticSecret(of: account, option: standardInput)
    let reply = try session.call(within: Session.localLimit) { prompt in
      StoreSecretCall(
        account: account,
        provider: provider,
        secret: secret,
        username: username,
        label: session.arguments.value("--label") ?? known?.displayName,
        expiresAt: expiresAt,
        claims: known?.claims,
        presenceProtection: session.arguments.has("--protect") ? true : nil,
        prompt: prompt
      )
    }
    try told(reply.account, session)
    if known?.accessTokenExpiresAt != nil, expiresAt == nil {
      session.output.talk("no expiry date is known; --expires sets one")
    }
    // Another command may have changed the file while the person was asked.
    try hosts.apply(unlisting: account, needed)
    try endOthers(of: account, besides: host, hosts, session)
  }

  /// Refuses a login to an account without one.
  static func demandLogin(_ account: String, at kind: String?) throws(CommandError) {
    guard kind == self.kind else { return }
    throw .usage(
      "\(account) keeps a secret, and has no login",
      hint:
        "to replace the secret: thumblatch store \(account); to sign in: choose another name, or"
        + " first thumblatch account remove \(account)"
    )
  }

  /// Refuses an account that signs in, or that the Secret Service keeps.
  static func demandStatic(_ account: VaultAccount?) throws(CommandError) {
    guard let account else { return }
    if SecretAccount.isItem(account) {
      throw CommandError(
        .refused,
        "\(account.name) is an item of the Secret Service",
        hint: "to replace its secret: secret-tool store; or the program that keeps it"
      )
    }
    guard !account.isStatic else { return }
    throw CommandError(
      .refused,
      "\(account.name) signs in at \(account.provider), and keeps no secret",
      hint: "choose another name; or first: thumblatch account remove \(account.name)"
    )
  }

  private static func provider(
    of known: VaultAccount?,
    _ host: TokenHost?,
    _ session: Session
  ) throws(CommandError) -> VaultProvider {
    var provider: VaultProvider
    if let known, host?.isHome(of: known) ?? true {
      provider = try session.call(within: Session.localLimit) { _ in
        AccountProviderCall(account: known.name)
      }.provider
    } else if let host {
      provider = try self.provider(at: host)
    } else {
      throw .usage("--host is missing", hint: "such as: --host git.example.org")
    }
    let hosts = session.arguments.allValues("--api-host")
    if !hosts.isEmpty { provider.settings["api_hosts"] = hosts.joined(separator: ";") }
    return provider
  }

  /// The provider of accounts at a host, named after it.
  static func provider(at host: TokenHost) throws(CommandError) -> VaultProvider {
    do throws(ConfigurationError) {
      let name = try ProviderName(of: try Issuer(host.url))
      return VaultProvider(name: name.text, settings: ["kind": kind, "issuer": host.url])
    } catch {
      throw .usage("HOST \(error)")
    }
  }

  private static func end(_ session: Session) throws(CommandError) -> Int? {
    guard let word = session.arguments.value("--expires") else { return nil }
    guard let end = Timestamps.parse(word) ?? Timestamps.parseLocal(word),
      end > WallTime.now.seconds
    else {
      throw .usage(
        "--expires must be a date or a time in the future, as YYYY-MM-DD or in RFC 3339"
      )
    }
    return Int(clamping: end)
  }

  private static func told(_ account: VaultAccount, _ session: Session) throws(CommandError) {
    let now = WallTime.now.seconds
    let end = account.accessTokenExpiresAt.map {
      ", until \(Timestamps.localBrief(Int64($0), now: now))"
    }
    try session.report(
      ["account": .object(AccountText.object(account))],
      "\(account.name) keeps a secret for \(account.issuer)\(end ?? "")"
    )
  }

  /// The changes in `hosts.conf`, unless another account serves the host.
  ///
  /// A new user name applies to all hosts of the account.
  private static func changes(
    of hosts: HostAccounts,
    _ file: HostFile,
    _ account: String,
    _ host: TokenHost?,
    username: String?,
    _ session: Session
  ) throws(CommandError) -> [HostChange] {
    let given = session.arguments.value("--username")
    var changes: [HostChange] = []
    for entry in file.entries where entry.account.text == account {
      let change = try hosts.serving(entry.host, account: account, in: file, username: given)
      if let change { changes.append(change) }
    }
    if let host, file[host] == nil,
      let change = try hosts.serving(host, account: account, in: file, username: username)
    {
      changes.append(change)
    }
    return changes
  }

  /// Removes the hosts that the account's secret is not for any more.
  private static func endOthers(
    of account: String,
    besides host: TokenHost?,
    _ hosts: HostAccounts,
    _ session: Session
  ) throws(CommandError) {
    let file = try hosts.read()
    if let host {
      session.warnOfOtherAccount(at: host, in: file, than: account, "repeat this command")
    }
    let entries = file.entries.filter { $0.account.text == account && $0.host != host }
    guard !entries.isEmpty else { return }
    let terms = try session.requestTerms(of: account)
    for entry in entries where !terms.allows(entry.host) {
      try hosts.remove(entry.host)
      session.output.talk(
        "\(entry.host) no longer gets the secret of \(account), which is for \(terms.issuer)"
      )
    }
  }
}

extension VaultAccount {
  /// Whether it keeps a secret, and has no login.
  var isStatic: Bool { kind == StoreVerb.kind }
}
