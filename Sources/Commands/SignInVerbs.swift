internal import Configuration
internal import JSON
internal import System
internal import VaultInterface

/// `register`, `login`, `logout`.
enum SignInVerbs {
  static let all = [register, login, logout]

  private static let email = Verb.Option("--email", "ADDRESS", "the e-mail address")
  private static let exportable = Verb.Option(
    "--exportable",
    "its refresh token may be released later; needs the system password"
  )
  private static let standardInput = Verb.Option(
    "--password-stdin",
    "read the password from a line of standard input"
  )

  static let register = Verb(
    "register",
    [.namedAccount],
    options: [
      Verb.Option("--provider", "NAME", "where the new user is made"),
      email,
      Verb.Option("--name", "NAME", "the name to be known by"),
      standardInput,
      exportable,
    ],
    summary: "make a new user at a provider, and sign in",
    details: """
      E-mail, name and password are asked unless given; the password is asked twice and never \
      shown. ACCOUNT is the name that you will use for it here.
      """
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    guard let provider = try provider(session) else {
      throw CommandError(
        .usage,
        "--provider is missing",
        hint: "thumblatch provider list names those that can be used"
      )
    }
    let email = try session.answer(option: "--email", question: "E-mail")
    let name =
      session.arguments.has("--password-stdin") && !session.arguments.has("--name")
      ? ""
      : try session.answer(
        option: "--name",
        question: "Name (may be empty)",
        mayBeEmpty: true
      )
    let password = try session.password("\(email) at \(provider.name)", twice: true)
    let exportable = session.arguments.has("--exportable") ? true : nil
    let reply: AccountReply
    do throws(CommandError) {
      reply = try session.call(within: Session.remoteLimit, repeatable: false) { prompt in
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
      throw error.refused("where that user exists already: \(login)")
    }
    try told(session, reply.account, "registered and signed in")
    tellOfDefault(session)
  }

  static let login = Verb(
    "login",
    [.namedAccount],
    options: [
      Verb.Option("--provider", "NAME", "where to sign in; not needed for a known account"),
      Verb.Option("--password", "sign in by e-mail and password (the only way so far)"),
      email,
      standardInput,
      exportable,
      Verb.Option("--yes", "do not ask where somebody else is signed in"),
    ],
    summary: "sign in",
    details: """
      With --provider the provider's file as it is now is bound to the account; without it a known \
      account keeps the provider that it has. Without --exportable the refresh token never \
      leaves the vault, whatever was said before. Asks before an account is signed in as \
      another person.
      """
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    let provider = try provider(session)
    let known = try knownAccount(session, account)
    guard let place = provider?.name ?? known?.provider else {
      throw CommandError(
        .notFound,
        "no such account: \(account)",
        hint: firstLogin(session, account)
      )
    }
    let email = try session.answer(option: "--email", question: "E-mail")
    if let known { try confirmChange(of: known, to: email, session) }
    let password = try session.password("\(email) at \(place)", twice: false)
    let exportable = session.arguments.has("--exportable") ? true : nil
    let reply: AccountReply
    do throws(CommandError) {
      reply = try session.call(within: Session.remoteLimit, repeatable: false) { prompt in
        LoginCall(
          account: account,
          provider: provider,
          email: email,
          password: password,
          exportable: exportable,
          prompt: prompt
        )
      }
    } catch {
      throw error.refused("check the e-mail and the password")
    }
    try told(session, reply.account, "signed in")
    if known == nil { tellOfDefault(session) }
  }

  static let logout = Verb(
    "logout",
    [.namedAccount],
    options: [Verb.Option("--local", "erase here only; the provider is not told")],
    summary: "sign out: tell the provider, erase here"
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    let local = session.arguments.has("--local")
    let before = try StatusVerbs.accounts(session, named: account).first
    let reply = try session.call(within: Session.remoteLimit) { _ in
      LogoutCall(account: account, local: local)
    }
    try session.report(
      [
        "account": .string(account), "erased": true, "revoked": .boolean(reply.revoked),
        "reason": AccountText.optional(reply.reason),
      ],
      before?.state == .signedOut
        ? "\(account) was not signed in"
        : reply.revoked
          ? "signed out of \(account): the provider confirmed, and the tokens are erased here"
          : "signed out of \(account) here: the tokens are erased; "
            + AccountText.unconfirmed(reply, local: local)
    )
  }

  private static func provider(_ session: Session) throws(CommandError) -> VaultProvider? {
    guard let word = session.arguments.value("--provider") else { return nil }
    let files = try ProviderFiles(environment: session.environment)
    let (provider, _) = try files.read(try session.providerName(word))
    return VaultProvider(name: provider.name.text, settings: provider.settings)
  }

  private static func told(
    _ session: Session,
    _ account: VaultAccount,
    _ what: String
  ) throws(CommandError) {
    let person = account.email ?? account.displayName
    try session.report(
      ["account": .object(AccountText.object(account))],
      "\(what): \(account.name)\(person.map { " is \($0)" } ?? "") at \(account.provider)"
    )
  }
}
