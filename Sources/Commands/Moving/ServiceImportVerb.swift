internal import JSON
internal import PlainText
internal import VaultClient
internal import VaultInterface

/// `service import`: moves the accounts of the person's own vault into the service.
enum ServiceImportVerb {
  static let all = [verb]

  private static let cancel = "--cancel"

  static let verb = Verb(
    "service import",
    options: [
      .reason,
      Verb.Option(cancel, "go back after an interrupted move, if the service has no account of it"),
    ],
    summary: "move your own vault into the service",
    details: """
      Moves all accounts of your private vault into the service of this machine, with their \
      protection. Needs one presence check. The engine of the private vault sends the refresh \
      tokens to the service itself, and erases them once the service has all of them. If the \
      service has an account of the same name, nothing is moved. If the command is interrupted, \
      run it again, or go back with --cancel. Until then the private vault uses none of its \
      accounts, because the service may have them.
      Afterwards each account is refreshed once. So a copy of the private vault is worth nothing \
      at a provider that replaces refresh tokens. A protected account asks for that. An account \
      whose refresh fails is named, and stays in the service. Fingers, security keys, your own \
      rules and the audit log are not moved.
      """
  ) { session throws(CommandError) in
    if session.arguments.has(cancel) { return try cancelMove(session) }
    let moved = try move(to: try socket(session), session)
    var problems: [String: String] = [:]
    for account in try refreshable(moved, session) {
      do throws(CommandError) {
        _ = try session.accessToken(of: account, rejected: nil)
      } catch {
        if error == .interrupted { throw error }
        problems[account] = error.message
      }
    }
    try told(moved, problems, session)
  }

  /// The socket of the service; `nil` for the usual one.
  private static func socket(_ session: Session) throws(CommandError) -> String? {
    switch try session.knownLocation() {
    case .service: return nil
    case .socket(let path): return path
    case .privateVault:
      throw CommandError(
        .usage,
        "there is no service to move the accounts into",
        hint: "leave out --private; thumblatchd(8) says how the service is installed"
      )
    }
  }

  private static func cancelMove(_ session: Session) throws(CommandError) {
    let reply = try session.call(
      on: session.privateCalls,
      within: Session.remoteLimit
    ) { _ in CancelServiceImportCall() }
    try session.report(
      ["cancelled": .boolean(reply.cancelled)],
      reply.cancelled
        ? "your own vault has its accounts as before" : "no move into the service was interrupted"
    )
  }

  private static func move(
    to socket: String?,
    _ session: Session
  ) throws(CommandError) -> [VaultMovedAccount] {
    var moved: [VaultMovedAccount] = []
    try session.stream(
      on: session.privateCalls,
      within: Session.remoteLimit,
      { prompt in ImportIntoServiceCall(socket: socket, prompt: prompt) },
      each: { reply in if let account = reply.account { moved.append(account) } }
    )
    return moved
  }

  /// The names of the accounts whose refresh token was moved.
  private static func refreshable(
    _ moved: [VaultMovedAccount],
    _ session: Session
  ) throws(CommandError) -> [String] {
    guard moved.contains(where: \.signedIn) else { return [] }
    let known = try StatusVerbs.accounts(session, named: nil)
    return moved.filter { account in
      account.signedIn && known.contains { $0.name == account.name && !$0.isStatic }
    }.map(\.name)
  }

  private static func told(
    _ moved: [VaultMovedAccount],
    _ problems: [String: String],
    _ session: Session
  ) throws(CommandError) {
    try session.report(
      [
        "accounts": .array(
          moved.map { account in
            .object([
              "name": .string(account.name), "provider": .string(account.provider),
              "signed_in": .boolean(account.signedIn),
              "problem": AccountText.optional(problems[account.name]),
            ])
          }
        )
      ],
      "moved \(AccountText.counted(moved.count, "account")) into the service"
    )
    guard !session.output.json else { return }
    for account in moved {
      if let problem = problems[account.name] {
        session.output.talk("\(account.name) was not refreshed: \(PlainText.line(problem))")
      } else if !account.signedIn {
        session.output.talk("\(account.name) is signed out, as it was before")
      }
    }
  }
}
