internal import Configuration
internal import VaultInterface

/// What is looked at before and after somebody signs in.
extension SignInVerbs {
  /// The account as the vault knows it; nil if it knows none of this name.
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

  /// What to do where an account is not known: how to sign in for the first time.
  static func firstLogin(_ session: Session, _ account: String) -> String {
    let names = try? ProviderFiles(environment: session.environment).names()
    guard let first = names?.first else {
      return "thumblatch provider add NAME --kind password-backend --issuer URL"
    }
    let provider = names?.count == 1 ? first.name.text : "P"
    return "thumblatch login \(account) --provider \(provider)"
  }

  /// Asks before an account that one person is signed in with becomes another's.
  static func confirmChange(
    of account: VaultAccount,
    to email: String,
    _ session: Session
  ) throws(CommandError) {
    guard !session.arguments.has("--yes"), account.state != .signedOut,
      let present = account.email, present.lowercased() != email.lowercased()
    else { return }
    // A line that is too long is cut, and with it what is asked.
    let (old, new) = (PlainText.line(present, limit: 40), PlainText.line(email, limit: 40))
    try session.confirm(
      "\(account.name) is signed in as \(old). Sign in as \(new) instead? "
        + "The session of \(old) stays alive at the provider.",
      for: "a confirmation that \(account.name) is signed in as somebody else",
      otherwise: "\(account.name) stays signed in as \(old)"
    )
  }

  /// Says how to choose, once: when there are two accounts for the first time.
  static func tellOfDefault(_ session: Session) {
    // Whoever is signed in is so whether the others can be listed or not.
    guard !session.output.json, let accounts = try? StatusVerbs.accounts(session, named: nil),
      accounts.count == 2, !accounts.contains(where: \.isDefault)
    else { return }
    session.output.talk("several accounts now: \(AccountText.chooseDefault)")
  }
}

extension CommandError {
  /// The same error with a hint, if the provider refused.
  func refused(_ hint: String) -> CommandError {
    guard code == .serverError, self.hint == nil else { return self }
    return CommandError(code, message, hint: hint, facts: facts)
  }
}
