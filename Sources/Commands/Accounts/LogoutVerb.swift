internal import JSON
internal import PresenceTerms
internal import VaultClient
internal import VaultInterface

enum LogoutVerb {
  private static let all = Verb.Option(
    "--all",
    "sign out of every account, after one question and at most one presence check"
  )

  static let logout = Verb(
    "logout",
    [.account],
    options: [
      Verb.Option("--local", "erase only here: needs no check, and the provider is not notified"),
      all,
      AccountEnd.yes,
      .reason,
    ],
    summary: "sign out: end the login at the provider, and erase it here",
    details: """
      Asks for confirmation at the terminal. Without a terminal, or with --no-input, naming the \
      account is enough, but --all needs --yes. Ending the login at the provider needs the refresh \
      token, and therefore a presence check if the account is protected and locked. If the check \
      fails, nothing is erased; --local erases only here. A protected account that keeps a static \
      secret always needs that check, because there is no other copy. Exit 12 says that the \
      refresh token stays valid at the provider, or may. A protected account stays protected and \
      bound to its person: a login as another person needs a check.
      """
  ) { session throws(CommandError) in
    if session.arguments.has(all.name) { return try everything(session) }
    guard let account = try session.account() else {
      throw .usage("ACCOUNT is missing", hint: "--all signs out of every account")
    }
    try one(account, session)
  }

  private static func one(_ account: String, _ session: Session) throws(CommandError) {
    let local = session.arguments.has("--local")
    let before = try StatusVerbs.accounts(session, named: account).first
    try AccountEnd.signOut.confirm(before, local: local, session)
    let reply = try session.call(within: Session.remoteLimit, again: .never) { prompt in
      LogoutCall(account: account, local: local, prompt: prompt)
    }
    let ending = AccountEnding(reply, of: account, before, local: local)
    try session.report(
      ending.members,
      before?.state == .signedOut
        ? "\(account) was not signed in" : line(ending, protected: before?.presenceProtection)
    )
    try ending.check()
  }

  private static func line(_ ending: AccountEnding, protected: Bool?) -> String {
    "Signed out of \(ending.account) here. \(ending.sentence)"
      + (protected == true ? " \(ending.account) stays protected." : "")
  }

  /// Signs out of every account, and prints a line for each.
  ///
  /// The exit status is that of the worst result.
  private static func everything(_ session: Session) throws(CommandError) {
    guard session.arguments.operands.isEmpty else { throw .usage("--all takes no account") }
    let local = session.arguments.has("--local")
    let accounts = try StatusVerbs.accounts(session, named: nil)
    guard !accounts.isEmpty else {
      return try session.report(
        ["accounts": .array([])],
        "no accounts yet: there is nothing to sign out of"
      )
    }
    if !session.arguments.has("--yes") {
      try session.confirm(
        question(accounts, local: local),
        for: "a confirmation to sign out of every account",
        otherwise: "nothing was changed"
      )
    }
    let secrets = Set(accounts.filter(\.isStatic).map(\.name))
    let protected = Set(accounts.filter(\.presenceProtection).map(\.name))
    let signedOut = Set(accounts.filter { $0.state == .signedOut }.map(\.name))
    var objects: [JSONValue] = []
    var worst = ExitCode.done
    try session.stream(within: Session.remoteLimit, again: .never) { prompt in
      LogoutAllCall(local: local, prompt: prompt)
    } each: { reply throws(VaultClientError) in
      guard let ended = reply.ended else { return }
      let isStatic = secrets.contains(ended.account)
      let ending = AccountEnding(ended, isStatic: isStatic, local: local)
      let code = ended.error.map(ExitCode.init(errorNamed:)) ?? ending.code
      if code.isWorse(than: worst) { worst = code }
      var members = ending.members
      members["erased"] = .boolean(ended.erased)
      members["error"] = ended.error.map { _ in .string(code.name) } ?? .null
      objects.append(.object(members))
      session.output.talk(
        ended.erased
          ? signedOut.contains(ended.account)
            ? "\(ended.account) was not signed in"
            : line(ending, protected: protected.contains(ended.account))
          : "\(ended.account) stays signed in: \(ended.reason ?? "it could not be erased")"
      )
    }
    if session.output.json { try session.output.data(["accounts": .array(objects)]) }
    guard worst == .done else {
      throw CommandError(worst, "not every login is ended", isSaid: true)
    }
  }

  private static func question(_ accounts: [VaultAccount], local: Bool) -> String {
    let isOne = accounts.count == 1
    let count = isOne ? "the only account" : "all \(accounts.count) accounts"
    let names = accounts.prefix(8).map(\.name).joined(separator: ", ")
    let rest =
      (isOne ? "Its" : "Their") + " tokens are erased here"
      + (local ? ", and no provider is notified." : ".")
    return "Sign out of \(count) (\(names)\(accounts.count > 8 ? ", ..." : ""))? \(rest)"
  }
}
