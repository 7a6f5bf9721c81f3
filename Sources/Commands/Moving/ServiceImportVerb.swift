internal import JSON
internal import VaultInterface

/// `service import`: moves the accounts of the person's own vault into the service.
enum ServiceImportVerb {
  static let all = [verb]

  private static let cancel = "--cancel"

  static let verb = Verb(
    "service import",
    options: [
      .reason,
      Verb.Option(cancel, "undo an interrupted move, if the service has none of its accounts"),
    ],
    summary: "move your own vault into the service",
    details: """
      Moves all accounts of your private vault into the service of this machine, with their \
      protection. Needs one presence check. The private vault's engine sends the refresh tokens \
      directly to the service, and erases them once the service has all of them. If the service \
      has an account of the same name, nothing is moved. If the command is interrupted, run it \
      again, or undo the move with --cancel. Until then the private vault uses none of its \
      accounts, because the service may have them.
      Afterwards, each account is refreshed once, so that a copy of the private vault is useless \
      at a provider that replaces refresh tokens. For a protected account, this needs a presence \
      check. The command names each account whose refresh fails; the account stays in the service. \
      Fingers, security keys, your own rules and the audit log are not moved.
      """
  ) { session throws(CommandError) in
    if session.arguments.has(cancel) { return try cancelMove(session) }
    let socket = try MovedAccounts.socket(session, for: "to move the accounts into")
    let moved = try move(to: socket, session)
    let problems = try MovedAccounts.refresh(moved, on: session.calls, session)
    try MovedAccounts.told(
      moved,
      problems,
      to: "into the service",
      token: "thumblatch token ACCOUNT",
      session
    )
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
}
