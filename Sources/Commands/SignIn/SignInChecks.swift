internal import Configuration
internal import PlainText
internal import PresenceTerms
internal import VaultClient
internal import VaultInterface

/// The checks before a sign-in, and the messages after it.
extension SignInVerbs {
  /// The account as the vault knows it; `nil` if there is none of this name.
  static func knownAccount(
    _ session: Session,
    _ name: String
  ) throws(CommandError) -> VaultAccount? {
    do throws(CommandError) {
      return try StatusVerbs.accounts(session, named: name).first
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  static let firstProvider =
    "add a provider first: thumblatch provider add NAME with --template T (--template without a "
    + "name lists them), with --issuer URL --client-id ID, or with --kind password-backend"
    + " --issuer URL"

  /// The hint for an unknown account: how to sign in for the first time.
  static func firstLogin(_ session: Session, _ account: String) -> String {
    guard let files = try? ProviderFiles(environment: session.environment),
      let names = try? files.names(), let first = names.first
    else { return firstProvider }
    guard names.count == 1 else {
      let listed = names.prefix(8).map(\.name.text).joined(separator: ", ")
      return "thumblatch login \(account) --provider P, where P is one of "
        + "\(listed)\(names.count > 8 ? " and others" : "")"
    }
    // Its file cannot be read, and the login reports why.
    return "thumblatch login \(account) --provider \(first.name)"
  }

  /// Names a new account and its provider, which the words do not name.
  static func tellOfNew(_ account: String, at provider: VaultProvider, _ session: Session) {
    let register =
      registers(provider)
      ? "; to register a new user: thumblatch register \(account) --provider \(provider.name)" : ""
    session.output.talk("\(account) is a new account at \(provider.name)\(register)")
  }

  /// The only provider; `nil` if there are several, none, or its file cannot be read.
  static func onlyProvider(_ session: Session) -> VaultProvider? {
    guard let files = try? ProviderFiles(environment: session.environment),
      let names = try? files.names(), names.count == 1,
      let (provider, _) = try? files.read(names[0].name)
    else { return nil }
    return VaultProvider(provider)
  }

  /// Asks before an account changes from one person to another.
  static func confirmChange(
    of account: VaultAccount,
    to email: String,
    _ session: Session
  ) throws(CommandError) {
    // For a protected account, the engine asks with a presence check.
    guard !session.arguments.has("--yes"), account.state != .signedOut, !account.presenceProtection,
      let present = account.email, present.lowercased() != email.lowercased()
    else { return }
    // A longer name could truncate the question.
    let (old, new) = (PlainText.line(present, limit: 40), PlainText.line(email, limit: 40))
    try session.confirm(
      "\(account.name) is signed in as \(old). Sign in as \(new) instead? "
        + "The vault ends the earlier session at the provider if it can.",
      for: "a confirmation that another person signs in to \(account.name)",
      otherwise: "\(account.name) stays signed in as \(old)"
    )
  }

  /// Refuses to register over an account that is signed in.
  ///
  /// Its session would stay at the provider, without a way to end it.
  static func demandNobody(_ session: Session, _ account: String) throws(CommandError) {
    guard let known = try knownLogin(session, account), known.state != .signedOut else { return }
    let person = known.email ?? known.displayName
    throw CommandError(
      .refused,
      "\(account) is already signed in\(person.map { " as \($0)" } ?? "") at \(known.provider)",
      hint: "choose another name for the new user, or sign out first: thumblatch logout \(account)"
    )
  }

  /// Names the signed-in person, because only the provider's page decides about the next one.
  static func tellOfPresent(_ account: VaultAccount?, _ session: Session) {
    guard let account, account.state != .signedOut,
      let person = account.email ?? account.displayName, !session.arguments.has("--yes")
    else { return }
    session.output.talk(
      account.presenceProtection
        ? "\(account.name) is signed in as \(person); another person needs a presence check"
        : "\(account.name) is signed in as \(person); a new sign-in replaces that person here"
    )
  }

  /// The provider of a login; for a known password backend, only its name and kind.
  static func target(
    _ session: Session,
    _ provider: VaultProvider?,
    _ known: VaultAccount?
  ) throws(CommandError) -> VaultProvider {
    if let provider { return provider }
    let kind = known?.kind ?? ""
    guard kind != passwordBackend, let known else {
      return VaultProvider(name: known?.provider ?? "", settings: ["kind": kind])
    }
    let reply = try session.call(within: Session.localLimit) { _ in
      AccountProviderCall(account: known.name)
    }
    return reply.provider
  }

  private static let passwordBackend = "password-backend"

  /// Whether new users can register at a provider here.
  static func registers(_ provider: VaultProvider) -> Bool {
    provider.settings["kind"] == passwordBackend
  }

  /// Whether the login is by e-mail and password; throws if the provider does not support the
  /// options.
  static func wantsPassword(
    _ asked: SignInWay?,
    _ settings: [String: String],
    _ providerName: String,
    _ session: Session
  ) throws(CommandError) -> Bool {
    if settings["kind"] == passwordBackend {
      guard let asked, asked != .password else { return true }
      throw .usage(
        "\(providerName) is a password backend, which has no \(asked.option)",
        hint: "leave \(asked.option) out"
      )
    }
    if asked == .password {
      guard settings["password_grant"] != "true" else { return true }
      throw .usage(
        "\(providerName) does not take passwords here",
        hint: "leave --password out; or, if it takes them: password_grant = true in its file"
      )
    }
    guard let option = ["--email", "--password-stdin"].first(where: session.arguments.has) else {
      return false
    }
    throw .usage(
      "\(option) needs --password: e-mail and password are typed on the page of \(providerName)"
    )
  }

  /// Signs in by e-mail and password.
  static func passwordLogin(
    _ session: Session,
    _ account: String,
    _ provider: VaultProvider?,
    _ known: VaultAccount?,
    _ providerName: String
  ) throws(CommandError) -> VaultAccount {
    if session.arguments.has("--scope") {
      throw .usage("--scope does not work with a password login")
    }
    let email = try session.answer(option: "--email", question: "E-mail")
    if let known { try confirmChange(of: known, to: email, session) }
    let password = try session.password("\(email) at \(providerName)", twice: false)
    let exportable = session.arguments.has("--exportable") ? true : nil
    do throws(CommandError) {
      return try session.call(within: Session.remoteLimit, again: .never) { prompt in
        LoginCall(
          account: account,
          provider: provider,
          email: email,
          password: password,
          exportable: exportable,
          prompt: prompt
        )
      }.account
    } catch {
      throw error.refused("check the e-mail and the password")
    }
  }

  /// Explains the default account once, when a second account appears.
  static func tellOfDefault(_ session: Session) {
    // The sign-in has succeeded, even if the accounts cannot be listed.
    guard !session.output.json, let accounts = try? StatusVerbs.accounts(session, named: nil),
      accounts.count(where: { !$0.isStatic }) == 2,
      !accounts.contains(where: \.isDefault)
    else { return }
    session.output.talk("you have several accounts now: \(AccountText.chooseDefault)")
  }
}

extension CommandError {
  /// The same error with a hint, if the provider refused.
  ///
  /// The provider's message about a field is the better hint.
  func refused(_ hint: String) -> CommandError {
    guard code == .serverError, self.hint == nil else { return self }
    let problems = fields.map { "\($0.field): \($0.message)" }.joined(separator: "; ")
    return CommandError(
      code,
      message,
      hint: reason == .invalidInput && !message.contains(problems) ? problems : hint,
      reason: reason,
      status: status,
      fields: fields,
      facts: facts
    )
  }
}
