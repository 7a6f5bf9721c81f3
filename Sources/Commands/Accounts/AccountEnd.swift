internal import JSON
internal import PlainText
internal import PresenceTerms
internal import VaultInterface

/// The way in which an account ends: its tokens are erased, whatever the provider answers.
enum AccountEnd {
  /// The account stays, and can be signed in again.
  case signOut
  /// The account is forgotten as well.
  case removal

  /// The option that continues without asking.
  static let yes = Verb.Option("--yes", "do not ask")

  /// Asks at the terminal if the account is signed in and `--yes` is not given.
  ///
  /// If the person cannot be asked, naming the account is enough to sign out. A removal then needs
  /// `--yes`.
  ///
  /// - Throws: exit 130 after a no, exit 7 if the person cannot be asked about a removal.
  func confirm(_ account: VaultAccount?, local: Bool, _ session: Session) throws(CommandError) {
    guard let account, account.state != .signedOut, !session.arguments.has("--yes") else { return }
    let name = account.name
    switch self {
    case .signOut:
      guard !session.arguments.has("--no-input"), session.findTerminal() != nil else { return }
      try session.confirm(
        question("Sign out of", account, local: local),
        for: "a confirmation to sign out of \(name)",
        otherwise: "\(name) stays signed in"
      )
    case .removal:
      try session.confirm(
        question("Remove", account, local: local),
        for: "a confirmation to remove \(name)",
        otherwise: "\(name) was not removed"
      )
    }
  }

  private func question(_ what: String, _ account: VaultAccount, local: Bool) -> String {
    let person = account.email ?? account.displayName ?? account.subject
    // A longer name could truncate the question.
    let shown = person.map { ", signed in as \(PlainText.line($0, limit: 40))" } ?? ""
    let rest =
      if SecretAccount.isItem(account) {
        "Its secret is erased here."
      } else if account.isStatic {
        "Its secret is erased here, and stays valid at \(account.provider) until you revoke it there."
      } else if local {
        "Its tokens are erased here; \(account.provider) is not notified."
      } else {
        "Its tokens are erased here, whatever \(account.provider) answers."
      }
    return "\(what) \(account.name)\(shown)? \(rest)"
  }
}

/// The result of a sign-out or a removal.
struct AccountEnding {
  let account: String
  let provider: String
  let grant: GrantState
  let reason: String?
  let isOffline: Bool
  /// Whether the caller asked not to notify the provider.
  let isLocal: Bool
  /// Whether the account kept a secret without a login.
  let isStatic: Bool
  /// Whether that secret is an item of a desktop program, which is valid nowhere else.
  private var isItem: Bool { isStatic && provider == SecretAccount.provider.name }

  /// `known` is the account as it was before; `nil` if that is not known.
  init(_ reply: LogoutReply, of account: String, _ known: VaultAccount?, local: Bool) {
    self.account = account
    provider = known?.provider ?? "the provider"
    isStatic = known?.isStatic ?? false
    // An older engine only says whether the provider confirmed.
    grant = reply.grant ?? (reply.revoked ? .ended : .unknown)
    reason = reply.reason
    isOffline = reply.offline ?? false
    isLocal = local
  }

  init(_ ended: EndedAccount, isStatic: Bool, local: Bool) {
    account = ended.account
    self.isStatic = isStatic
    provider = ended.provider
    grant = ended.grant
    reason = ended.reason
    isOffline = ended.offline ?? false
    isLocal = local
  }

  /// The sentence about the refresh token.
  var sentence: String {
    if isStatic, grant != .none {
      // A secret that a desktop program has stored may be an encryption key of that program.
      guard !isItem else { return "The secret is erased here." }
      return "The secret is erased here, and stays valid at \(provider) until you revoke it there."
    }
    return switch grant {
    case .ended: "\(provider) confirmed that the login has ended."
    case .none: "\(provider) had no login to end\(because)."
    case .valid where isLocal:
      "The refresh token was not revoked and stays valid at \(provider), which was not notified."
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
      "grant": .string((isItem ? .none : grant).rawValue), "reason": AccountText.optional(reason),
      "offline": .boolean(isOffline),
    ]
  }

  /// The exit status: a token that may still be used is a failure, unless `--local` was given.
  var code: ExitCode {
    switch grant {
    case .ended, .none: .done
    case .valid, .unknown: isLocal || isItem ? .done : .notRevoked
    }
  }

  /// Throws if the exit status is not 0; the message was printed before.
  func check() throws(CommandError) {
    guard code != .done else { return }
    throw CommandError(code, sentence, isSaid: true)
  }
}
