internal import JSON
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

/// What a sign-out or a removal came to, as it is told.
struct AccountEnding {
  let account: String
  let provider: String
  let grant: GrantState
  let reason: String?
  let isOffline: Bool
  /// Whether the provider was not to be told.
  let isLocal: Bool

  init(_ reply: LogoutReply, of account: String, at provider: String, local: Bool) {
    self.account = account
    self.provider = provider
    // An engine that does not say what became of the token says whether the provider confirmed.
    grant = reply.grant ?? (reply.revoked ? .ended : .unknown)
    reason = reply.reason
    isOffline = reply.offline ?? false
    isLocal = local
  }

  init(_ ended: EndedAccount, local: Bool) {
    account = ended.account
    provider = ended.provider
    grant = ended.grant
    reason = ended.reason
    isOffline = ended.offline ?? false
    isLocal = local
  }

  /// What became of the refresh token, as one or two sentences behind what was done here.
  var sentence: String {
    switch grant {
    case .ended: "\(provider) confirmed that the login has ended."
    case .none: "\(provider) had no login to end\(because)."
    case .valid where isLocal:
      "The refresh token was not revoked and stays valid at \(provider), which was not told."
    case .valid: "The refresh token was NOT revoked and stays valid at \(provider)\(because)."
    case .unknown:
      "The refresh token may stay valid at \(provider)\(because)."
    }
  }

  private var because: String { reason.map { ": \($0)" } ?? "" }

  /// The members that every sign-out has in JSON.
  var members: JSONObject {
    [
      "account": .string(account), "erased": true, "revoked": .boolean(grant == .ended),
      "grant": .string(grant.rawValue), "reason": AccountText.optional(reason),
      "offline": .boolean(isOffline),
    ]
  }

  /// How the verb ends: a token that may be used still is no success, unless that was asked for.
  var code: ExitCode {
    switch grant {
    case .ended, .none: .done
    case .valid, .unknown: isLocal ? .done : .notRevoked
    }
  }

  /// Fails where the verb does not end well; all of it is said.
  func check() throws(CommandError) {
    guard code != .done else { return }
    throw CommandError(code, sentence, isSaid: true)
  }
}
