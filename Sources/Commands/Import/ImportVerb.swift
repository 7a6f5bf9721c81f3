internal import Configuration
internal import JSON
internal import PlainText
internal import System
internal import VaultClient
internal import VaultInterface

/// `import`: moves a login that another program keeps in a file.
enum ImportVerb {
  static let all = [verb]

  static let from = Verb.Option(
    "--from",
    "PROGRAM",
    offers: .words(ImportSource.allCases.map(\.rawValue)),
    "the program that keeps the login"
  )
  static let entry = Verb.Option(
    "--entry",
    "NAME",
    "which login, if the program keeps several"
  )
  static let file = Verb.Option(
    "--file",
    "PATH",
    offers: .files,
    "the program's file, instead of the usual one"
  )
  static let clientSecret = "--client-secret-stdin"
  private static let provider = Verb.Option(
    "--provider",
    "NAME",
    offers: .providers,
    "a provider with the program's client, instead of one made from the login"
  )
  static let keep = Verb.Option("--keep", "do not remove the entry from the file")

  static let verb = Verb(
    "import",
    [Verb.Operand("NAME", .optional)],
    options: [
      from, entry, file, provider, keep,
      Verb.Option(
        clientSecret,
        "read the client secret from a line of standard input, if the provider demands one"
      ),
      Verb.Option("--yes", "do not ask before the login is moved"),
    ],
    summary: "move another program's login into the vault",
    details: """
      Shows the logins in PROGRAM's files, but no token. The one that you choose becomes the \
      account NAME. The vault uses the refresh token once. A provider that rotates tokens then \
      refuses the program's copy. The command removes the entry from the file, and does not change \
      any other byte. If the provider refuses, or its answer is lost, the command removes nothing \
      and creates no account. If you repeat the import of a token, the vault sends nothing, and \
      the command finishes the removal. It never replaces an account that is signed in, or a \
      usable secret. End PROGRAM first: if it changes its file before the vault uses the token, \
      the command stops. Files may have at most 128 KiB.
      A login for an MCP server includes the program's client, which becomes the provider NAME, as \
      with login --mcp. If the file names neither the issuer nor the token endpoint, only the \
      server decides where the token goes. The command then refuses --yes, unless --provider names \
      both. PROGRAM is claude, codex, gemini, opencode, gh, git-credential-store or oidc-agent. \
      Tokens of gh and passwords of git become accounts of the kind static, named after host and \
      user. oidc-agent encrypts its logins: oidc-gen --print NAME asks for the password, \
      and import reads its output on standard input. A login in a keyring cannot be imported.
      After the import, the program is signed out. thumblatch-recipes(7) says how it can get the \
      account's tokens.
      """
  ) { session throws(CommandError) in
    let found = try found(session)
    switch found.entry.content {
    case .unmovable(let why):
      throw .usage(
        "\(found.entry.name) of \(found.source.title) cannot be moved: \(why)",
        hint: found.source.keepsSecrets
          ? "to keep a secret here: thumblatch store NAME --host HOST"
          : "\(found.source.title) keeps its login; to sign in here: thumblatch login"
      )
    case .secret(let secret): try move(secret, found, session)
    case .login(let login): try move(login, found, session)
    }
  }

  // MARK: - Logins

  private static func move(
    _ login: ForeignLogin,
    _ found: Found,
    _ session: Session
  ) throws(CommandError) {
    let name =
      if let given = try session.account() { given } else { try proposed(found.entry.name) }
    // An obstacle to the removal is reported before the token is used.
    let folder = try found.file.lockedFolder(isForRemoval: !session.arguments.has(keep.name))
    let provider = try ImportedProvider(login, named: name, session)
    try agree(to: found, as: name, facts(of: login, provider), session)
    try demandPresent(found)
    let reply: ImportLoginReply
    do throws(CommandError) {
      reply = try session.call(within: Session.remoteLimit) { prompt in
        ImportLoginCall(
          account: name,
          provider: VaultProvider(provider.provider),
          refreshToken: login.refreshToken,
          prompt: prompt
        )
      }
    } catch {
      throw failed(error, found, name, session)
    }
    do throws(CommandError) {
      try provider.write()
      if !reply.rotated {
        session.output.talk(
          "\(provider.provider.issuer) does not rotate refresh tokens: other copies of this one stay"
            + " valid"
        )
      }
      try finish(found, reply.account.name, server: login.server, reply.rotated, folder, session)
    } catch {
      throw unfinished(error, reply.account.name)
    }
  }

  /// A name for the account, after that of the entry.
  private static func proposed(_ word: String) throws(CommandError) -> String {
    let name = AccountName.characters(of: word.lowercased()).drop { "-._".contains($0) }
    guard let checked = try? AccountName(String(name.prefix(AccountName.longest))) else {
      throw .usage("NAME is missing", hint: "usage: thumblatch import NAME --from PROGRAM")
    }
    return checked.text
  }

  private static func facts(of login: ForeignLogin, _ found: ImportedProvider) -> [String] {
    let provider = found.provider
    let scopes = login.scopes.isEmpty ? provider.oauth?.scopes ?? [] : login.scopes
    let lines: [(name: String, value: String?)] = [
      ("issuer", provider.issuer.text), ("token endpoint", found.tokenEndpoint),
      ("client", provider.clientID), ("certificates", found.certificateFile),
      ("for", login.server),
      ("scopes", scopes.isEmpty ? nil : scopes.joined(separator: " ")),
      (
        "access token until",
        login.expiresAt.map { Timestamps.localBrief($0, now: WallTime.now.seconds) }
      ),
    ]
    return lines.compactMap { line in line.value.map { "\(line.name): \($0)" } }
  }

  /// The error of an import, which says where a copy of the token is left.
  private static func failed(
    _ error: CommandError,
    _ found: Found,
    _ name: String,
    _ session: Session
  ) -> CommandError {
    let hint: String
    switch error.code {
    case _ where error.reason == .misconfigured && session.hasLogin(name):
      hint =
        "\(name) has the login, and the copy in \(found.file.path) is used up: repeat this command to"
        + " finish"
    case .serverError:
      hint = "\(found.source.title) keeps its login; to sign in here: thumblatch login"
    case .unavailable where error.reason == .uncertain:
      hint =
        "the provider may refuse the token in \(found.file.path) from now on: repeat this command;"
        + " if the provider refuses, sign in again"
    default: return error
    }
    return CommandError(
      error.code,
      error.message,
      hint: hint,
      reason: error.reason,
      status: error.status
    )
  }

  // MARK: - Parts

  /// Refuses an entry that its program has changed since it was shown, because a provider may treat
  /// an old token as stolen.
  static func demandPresent(_ found: Found) throws(CommandError) {
    guard try found.file.has(found.entry, of: found.source) else {
      throw CommandError(
        .busy,
        "\(found.source.title) has changed \(found.entry.name) in \(found.file.path) since: nothing"
          + " is moved",
        hint: "end \(found.source.title), then repeat this command"
      )
    }
  }

  /// The error of a step after the vault has got the login.
  static func unfinished(_ error: CommandError, _ account: String) -> CommandError {
    CommandError(
      error.code,
      error.message,
      hint: "\(account) has the login: correct this, then repeat the command to finish the move",
      reason: error.reason,
      status: error.status
    )
  }

  /// Shows the login to move, and asks.
  static func agree(
    to found: Found,
    as name: String?,
    _ facts: [String],
    _ session: Session
  ) throws(CommandError) {
    session.findTerminal()
    if !session.output.json {
      let heading = "\(found.entry.name) of \(found.source.title), in \(found.file.path):"
      session.output.announce(lines: [heading] + facts.map { "  \($0)" })
      if case .login = found.entry.content {
        let program = found.source.title
        session.output.announce(
          found.source.unloading(found.entry.name).map {
            "Run \($0) first: \(program) could use the login as well."
          } ?? "End \(program) first: it could use the login as well."
        )
      }
    }
    guard !session.arguments.has("--yes") else { return }
    let account = name.map { ", as the account \($0)" } ?? ""
    try session.confirm(
      session.arguments.has(keep.name)
        ? "Copy it into the vault\(account)?" : "Move it into the vault\(account)?",
      for: "a confirmation to move \(found.entry.name)",
      otherwise: "nothing was moved"
    )
  }

  /// Removes the entry, and says how the program can continue.
  static func finish(
    _ found: Found,
    _ account: String,
    server: String?,
    _ rotated: Bool?,
    _ folder: borrowing UserDirectory,
    _ session: Session
  ) throws(CommandError) {
    let keeps = session.arguments.has(keep.name)
    let isRemoved = keeps ? false : try found.file.remove(found.entry, of: found.source, in: folder)
    try session.report(
      [
        "account": .string(account), "from": .string(found.source.rawValue),
        "entry": .string(found.entry.name), "file": .string(found.file.path),
        "rotated": rotated.map { .boolean($0) } ?? .null, "removed": .boolean(isRemoved),
      ],
      "the account \(account) now has the login \(found.entry.name) of \(found.source.title)"
    )
    if isRemoved {
      session.output.talk("the login is removed from \(found.file.path)")
    } else if keeps {
      session.output.talk(
        "warning: \(found.file.path) still has a copy; if \(found.source.title) uses it, the provider"
          + " may end the login of both"
      )
    } else {
      session.output.talk(
        "warning: \(found.source.title) has changed its login in the file, so the new login"
          + " stays in \(found.file.path)"
      )
    }
    if let use = found.source.use(of: account, server: server, host: found.entry.host) {
      let user =
        switch found.source {
        case .gitCredentialStore: "git"
        case .oidcAgent: "clients of oidc-agent"
        default: found.source.title
        }
      session.output.talk("to give \(user) tokens of \(account): \(use)")
    }
  }
}
