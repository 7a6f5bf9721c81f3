internal import Configuration
internal import VaultClient
internal import VaultInterface

/// The account and the provider of a login, as far as the words name them.
struct LoginChoice {
  let account: String
  /// The provider whose current settings are bound; `nil` to keep those of a known account.
  let provider: VaultProvider?
  /// The account as the vault knows it; `nil` if it is new.
  let known: VaultAccount?
  /// The provider of an MCP server, whose file is written after the login.
  var found: MCPLogin.Found?
}

extension SignInVerbs {
  /// Finds the account and the provider; asks if there are several providers and no account is
  /// named.
  static func choice(_ session: Session) throws(CommandError) -> LoginChoice {
    if let login = try MCPLogin(session) {
      let account = try session.accountName(login.name.text)
      let known = try knownLogin(session, account)
      let found = try login.found()
      return LoginChoice(
        account: account,
        provider: VaultProvider(found.provider),
        known: known,
        found: found
      )
    }
    let named = try provider(session)
    guard let account = try session.account() else {
      guard let named else { return try newAccount(at: try chosenProvider(session), session) }
      return try newAccount(at: named, session)
    }
    let known = try knownLogin(session, account)
    guard named == nil, known == nil, let only = onlyProvider(session) else {
      return LoginChoice(account: account, provider: named, known: known)
    }
    tellOfNew(account, at: only, session)
    return LoginChoice(account: account, provider: only, known: nil)
  }

  /// The account as the vault knows it, which must not keep a secret: a login would replace that.
  static func knownLogin(
    _ session: Session,
    _ account: String
  ) throws(CommandError) -> VaultAccount? {
    let known = try knownAccount(session, account)
    try StoreVerb.demandLogin(account, at: known?.kind)
    return known
  }

  /// A new account with the name of its provider.
  private static func newAccount(
    at provider: VaultProvider,
    _ session: Session
  ) throws(CommandError) -> LoginChoice {
    let account = try session.accountName(provider.name)
    guard let known = try knownLogin(session, account) else {
      tellOfNew(account, at: provider, session)
      return LoginChoice(account: account, provider: provider, known: nil)
    }
    throw .usage(
      "the account \(account) already exists, at \(known.provider)",
      hint: "to sign in to it again: thumblatch login \(account); to add another account: "
        + "thumblatch login NAME --provider \(provider.name)"
    )
  }

  /// The only provider, or the one that the person chooses.
  private static func chosenProvider(_ session: Session) throws(CommandError) -> VaultProvider {
    let files = try ProviderFiles(environment: session.environment)
    let names = try files.names().map(\.name)
    guard let first = names.first else {
      throw CommandError(.notFound, "no provider yet", hint: firstProvider)
    }
    guard names.count > 1 else { return VaultProvider(try files.read(first).provider) }
    let name = try choose(among: names, of: files, session)
    return VaultProvider(try files.read(name).provider)
  }

  private static func choose(
    among names: [ProviderName],
    of files: ProviderFiles,
    _ session: Session
  ) throws(CommandError) -> ProviderName {
    let listed = names.prefix(8).map(\.text).joined(separator: ", ")
    let others = names.count > 8 ? " and others" : ""
    _ = try session.terminal(
      for: "the choice of a provider (\(listed)\(others))",
      instead: "thumblatch login NAME --provider P"
    )
    let choices = names.map { name in
      Choice(name: name.text, meaning: (try? files.read(name).provider.issuer.text) ?? "unreadable")
    }
    let index = try session.choose("Where do you want to sign in?", among: choices)
    return names[index]
  }
}
