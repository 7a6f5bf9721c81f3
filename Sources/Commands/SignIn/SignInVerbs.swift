internal import Configuration
internal import JSON
internal import PresenceTerms
internal import System
internal import VaultClient
internal import VaultInterface

/// `register`, `login`, `logout`.
enum SignInVerbs {
  static let all = [register, login, LogoutVerb.logout]

  private static let email = Verb.Option("--email", "ADDRESS", "the e-mail address")
  private static let exportable = Verb.Option(
    "--exportable",
    "allow a later release of the refresh token; needs the system password"
  )
  private static let standardInput = Verb.Option(
    "--password-stdin",
    "read the password from a line of standard input"
  )

  static let register = Verb(
    "register",
    [Verb.Operand("ACCOUNT", .one)],
    options: [
      Verb.Option("--provider", "NAME", offers: .providers, "the provider, if there are several"),
      email,
      Verb.Option("--name", "NAME", "the name of the user"),
      standardInput,
      exportable,
    ],
    summary: "register a new user at a provider, and sign in",
    details: """
      Asks for e-mail, name and password unless they are given. You type the password twice, and \
      it is not shown. ACCOUNT is the name of the account in the vault.
      """
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    guard let provider = try provider(session) ?? onlyProvider(session) else {
      throw .usage("--provider is missing", hint: "thumblatch provider list shows the providers")
    }
    try demandNobody(session, account)
    let email = try session.answer(option: "--email", question: "E-mail")
    let name =
      session.arguments.has("--password-stdin") && !session.arguments.has("--name")
      ? ""
      : try session.answer(option: "--name", question: "Name (may be empty)", mayBeEmpty: true)
    let password = try session.password("\(email) at \(provider.name)", twice: true)
    let exportable = session.arguments.has("--exportable") ? true : nil
    let reply: AccountReply
    do throws(CommandError) {
      reply = try session.call(within: Session.remoteLimit, again: .never) { prompt in
        RegisterCall(
          account: account,
          provider: provider,
          email: email,
          name: name.isEmpty ? nil : name,
          password: password,
          exportable: exportable,
          prompt: prompt
        )
      }
    } catch {
      let login = "thumblatch login \(account) --provider \(provider.name)"
      throw error.refused("if that user already exists: \(login)")
    }
    try told(session, reply.account, "registered and signed in")
    tellOfDefault(session)
  }

  static let login = Verb(
    "login",
    [.account],
    options: [
      Verb.Option(
        "--provider",
        "NAME",
        offers: .providers,
        "where to sign in; not needed for a known account, or if there is only one provider"
      ),
      Verb.Option("--browser", "use a browser on this machine ($BROWSER, if it is set)"),
      Verb.Option("--device", "show a code to enter in a browser on any machine"),
      Verb.Option("--paste", "use any browser, and paste the address of its final page here"),
      Verb.Option("--password", "use e-mail and password, if the provider accepts them here"),
      Verb.Option(
        "--scope",
        "SCOPES",
        "the scopes to request, separated by spaces; not with a password"
      ),
      email,
      standardInput,
      exportable,
      Verb.Option("--yes", "do not ask before another person or issuer replaces the current one"),
    ] + MCPLogin.options,
    summary: "sign in",
    details: """
      Without ACCOUNT, the account is named after the provider. If there are several providers, \
      you choose one from a list at the terminal.
      A password backend asks for e-mail and password. For any other provider, a browser opens if \
      there is a screen and no SSH session. Otherwise the command shows a code, with a QR code for \
      a phone, or you paste an address.
      With --provider, the provider's current settings are bound to the account; without it, an \
      existing account keeps its settings. Without --exportable, the refresh token never leaves \
      the vault, even if an earlier login allowed that. Asks before another person replaces the \
      account's current one, if that is known in advance.
      With --mcp, the metadata of an MCP server says where to sign in (RFC 9728). If no client is \
      named, one is registered there (RFC 7591). The result is a provider named ACCOUNT, whose \
      tokens go only to that MCP server, or to its whole origin if the metadata at the origin's \
      root says so. --scope adds to the account's scopes, and replaces those that only the \
      server's metadata names. Asks before the server's accounts switch to another issuer.
      Revoking the refresh token of a protected login needs a presence check. If you sign in to \
      such an account again while it is locked, exit 12 says that the earlier token stays valid at \
      the provider. To have it revoked, unlock the account first.
      """
  ) { session throws(CommandError) in
    let asked = try SignInWay.asked(session.arguments)
    let choice = try choice(session)
    let (account, provider, known) = (choice.account, choice.provider, choice.known)
    guard let providerName = provider?.name ?? known?.provider else {
      throw CommandError(
        .notFound,
        "no such account: \(account)",
        hint: firstLogin(session, account)
      )
    }
    try StoreVerb.demandLogin(account, at: provider?.settings["kind"])
    let target = try target(session, provider, known)
    if known?.state == .locked {
      session.output.talk(
        "\(account) is locked: to have its present login revoked too, first run thumblatch unlock"
          + " \(account)"
      )
    }
    let signedIn: VaultAccount
    if try wantsPassword(asked, target.settings, providerName, session) {
      signedIn = try passwordLogin(session, account, provider, known, providerName)
    } else {
      let signIn = WebSignIn(
        session: session,
        account: account,
        provider: provider,
        providerName: providerName,
        target: target,
        scope: try ScopeUnion.asked(session, of: target, known)
      )
      tellOfPresent(known, session)
      do throws(CommandError) {
        signedIn = try signIn.run(try signIn.way(asked), isAsked: asked != nil)
      } catch {
        choice.found?.keep(after: error, session)
        throw error
      }
    }
    try choice.found?.write()
    try told(session, signedIn, "signed in", overProtected: known?.presenceProtection ?? false)
    if known == nil { tellOfDefault(session) }
  }

  static func provider(_ session: Session) throws(CommandError) -> VaultProvider? {
    guard let word = session.arguments.value("--provider") else { return nil }
    let files = try ProviderFiles(environment: session.environment)
    let (provider, _) = try files.read(try session.providerName(word))
    return VaultProvider(provider)
  }

  /// Reports a sign-in, and the fate of the login that it replaced.
  ///
  /// - Throws: exit 12 if that login was protected and stays valid. Without an open unlock window
  ///   the vault did not use its refresh token, not even to revoke it.
  private static func told(
    _ session: Session,
    _ account: VaultAccount,
    _ what: String,
    overProtected: Bool = false
  ) throws(CommandError) {
    let person = account.email ?? account.displayName
    try session.report(
      [
        "account": .object(AccountText.object(account)),
        "replaced": account.replacedRevoked.map {
          ["revoked": .boolean($0), "reason": AccountText.optional(account.replacedReason)]
        } ?? .null,
      ],
      "\(what): \(account.name)\(person.map { " is \($0)" } ?? "") at \(account.provider)"
    )
    guard let revoked = account.replacedRevoked else { return }
    let token = "the refresh token of the earlier login was"
    let why = account.replacedReason ?? "the provider was not asked"
    guard revoked || !overProtected else {
      let sentence = "\(token) NOT revoked and stays valid at its provider (\(why))"
      session.output.talk(sentence)
      throw CommandError(.notRevoked, sentence, isSaid: true)
    }
    session.output.talk(
      revoked
        ? "\(token) revoked"
        : "\(token) not revoked and may still be valid at its provider (\(why))"
    )
  }
}
