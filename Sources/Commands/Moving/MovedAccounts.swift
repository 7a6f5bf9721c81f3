internal import JSON
internal import PlainText
internal import VaultClient
internal import VaultInterface

/// The common steps of both directions of a move: the service's socket, the first refresh, and the
/// report.
enum MovedAccounts {
  /// The socket of the service; `nil` for the usual one.
  static func socket(
    _ session: Session,
    for purpose: String
  ) throws(CommandError) -> String? {
    switch try session.knownLocation() {
    case .service: return nil
    case .socket(let path): return path
    case .privateVault:
      throw CommandError(
        .usage,
        "there is no service \(purpose)",
        hint: session.arguments.has("--private")
          ? "leave out --private" : "install the Debian package for the service"
      )
    }
  }

  /// Refreshes each account once in the vault that has it now.
  ///
  /// - Returns: why an account was not refreshed, by its name.
  static func refresh(
    _ moved: [VaultMovedAccount],
    on calls: VaultCalls,
    _ session: Session
  ) throws(CommandError) -> [String: String] {
    var problems: [String: String] = [:]
    for account in try refreshable(moved, on: calls, session) {
      do throws(CommandError) {
        _ = try session.accessToken(of: account, rejected: nil, on: calls)
      } catch {
        if error == .interrupted { throw error }
        problems[account] = error.message
      }
    }
    return problems
  }

  /// The names of the accounts whose refresh token was moved.
  private static func refreshable(
    _ moved: [VaultMovedAccount],
    on calls: VaultCalls,
    _ session: Session
  ) throws(CommandError) -> [String] {
    guard moved.contains(where: \.signedIn) else { return [] }
    let known = try StatusVerbs.accounts(session, named: nil, on: calls)
    return moved.filter { account in
      account.signedIn && known.contains { $0.name == account.name && !$0.isStatic }
    }.map(\.name)
  }

  /// Reports the accounts that have moved, and those that have stayed with the reason.
  ///
  /// `token` is the command that refreshes an account in the vault that the accounts have moved to.
  static func told(
    _ moved: [VaultMovedAccount],
    _ problems: [String: String],
    staying: [VaultExportableAccount]? = nil,
    to place: String,
    token: String,
    _ session: Session
  ) throws(CommandError) {
    var object: JSONObject = [
      "accounts": .array(
        moved.map { account in
          .object([
            "name": .string(account.name), "provider": .string(account.provider),
            "signed_in": .boolean(account.signedIn),
            "problem": AccountText.optional(problems[account.name]),
          ])
        }
      )
    ]
    object["staying"] = staying.map { accounts in
      .array(
        accounts.map { account in
          .object([
            "name": .string(account.name), "provider": .string(account.provider),
            "reason": AccountText.optional(account.reason),
          ])
        }
      )
    }
    try session.report(object, "moved \(AccountText.counted(moved.count, "account")) \(place)")
    guard !session.output.json else { return }
    if moved.isEmpty {
      // An earlier call whose reply was lost may have moved accounts without refreshing them.
      session.output.talk(
        "if an earlier call was interrupted after the move, refresh each account that it moved: \(token)"
      )
    }
    for account in moved {
      if let problem = problems[account.name] {
        session.output.talk("\(account.name) was not refreshed: \(PlainText.line(problem))")
      } else if !account.signedIn {
        session.output.talk("\(account.name) is signed out, as it was before")
      }
    }
    for account in staying ?? [] {
      guard let reason = account.reason else { continue }
      session.output.talk("\(account.name) stays in the service: \(PlainText.line(reason))")
    }
  }
}
