internal import PlainText
internal import VaultInterface

/// How an account ends here: its tokens are erased, whatever the provider answers.
enum AccountEnd {
  /// The account stays, to be signed in again.
  case signOut
  /// The account is forgotten as well.
  case removal

  /// The option that goes on without asking.
  static let yes = Verb.Option("--yes", "do not ask")

  /// Asks at the terminal, where there is something to lose and `--yes` is not given.
  ///
  /// Where nobody can be asked, who signs an account out has named it, which is enough; what forgets
  /// it as well is not done without `--yes`.
  ///
  /// - Throws: exit 130 after a no, exit 7 where nobody can be asked about a removal.
  func confirm(
    _ account: VaultAccount?,
    local: Bool,
    _ session: Session
  ) throws(CommandError) {
    guard let account, account.state != .signedOut, !session.arguments.has("--yes") else { return }
    let name = account.name
    switch self {
    case .signOut:
      guard !session.arguments.has("--no-input"), session.findTerminal() != nil else { return }
      try session.confirm(
        question("Sign out of", account, local: local),
        for: "a confirmation that \(name) is signed out",
        otherwise: "\(name) stays signed in"
      )
    case .removal:
      try session.confirm(
        question("Remove", account, local: local),
        for: "a confirmation that \(name) is removed",
        otherwise: "\(name) was not removed"
      )
    }
  }

  private func question(_ what: String, _ account: VaultAccount, local: Bool) -> String {
    let person = account.email ?? account.displayName ?? account.subject
    // A line that is too long is cut, and with it what is asked.
    let shown = person.map { ", signed in as \(PlainText.line($0, limit: 40))" } ?? ""
    let rest =
      local
      ? "Its tokens are erased here; \(account.provider) is not told."
      : "Its tokens are erased here, whatever \(account.provider) answers."
    return "\(what) \(account.name)\(shown)? \(rest)"
  }
}
