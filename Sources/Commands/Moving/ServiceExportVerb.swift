internal import JSON
internal import VaultClient
internal import VaultInterface

/// `service export`: moves accounts of the service into the person's own vault.
enum ServiceExportVerb {
  static let all = [verb]

  private static let cancel = "--cancel"

  static let verb = Verb(
    "service export",
    [Verb.Operand("ACCOUNT", .any, offers: .accounts)],
    options: [
      .reason,
      Verb.Option(
        cancel,
        "undo an interrupted move, if your own vault has none of its accounts"
      ),
    ],
    summary: "move exportable accounts of the service into your own vault",
    details: """
      Moves these accounts, or without ACCOUNT all exportable ones, from the service of this \
      machine into your private vault, with their provider settings and their protection. Needs \
      the system password. An account is exportable if it was signed in with --exportable. All \
      others stay in the service and are listed with the reason. If you name such an ACCOUNT, the \
      command is refused. If your private vault has an account of the same name, nothing is moved. \
      If the command is interrupted, run it again, or undo the move with --cancel. Until then the \
      service uses none of these accounts, because your private vault may have them.
      Afterwards, each account is refreshed once, so that a copy of the service's vault is useless \
      at a provider that replaces refresh tokens. For a protected account, this needs a presence \
      check. The command names each account whose refresh fails; the account stays in your private \
      vault. That vault is only as safe as its device secret: "thumblatch device-secret status \
      --private" shows what opens it. Fingers, security keys, your own rules, rules of the \
      administrator and the audit log are not moved.
      """
  ) { session throws(CommandError) in
    let socket = try MovedAccounts.socket(session, for: "to move accounts out of")
    var names: [String] = []
    for word in session.arguments.operands {
      let name = try session.accountName(word)
      if !names.contains(name) { names.append(name) }
    }
    if session.arguments.has(cancel) {
      guard names.isEmpty else { throw .usage("--cancel takes no account") }
      return try cancelMove(socket, session)
    }
    var (moved, _) = try end(socket, cancel: false, session)
    var staying: [VaultExportableAccount] = []
    let wasNamed = !names.isEmpty
    names.removeAll { name in moved.contains { $0.name == name } }
    if !wasNamed || !names.isEmpty {
      // The service refuses before the private vault is opened.
      let listed = try exportable(session)
      if wasNamed {
        try demandInService(names, listed)
        try demandAllMayMove(names, listed)
      } else {
        staying = listed.filter { $0.reason != nil }
        names = listed.filter { $0.reason == nil }.map(\.name)
      }
      if !names.isEmpty { moved += try move(names, socket, session) }
    }
    let problems = try MovedAccounts.refresh(moved, on: session.privateCalls, session)
    try MovedAccounts.told(
      moved,
      problems,
      staying: staying,
      to: "into your own vault",
      token: "thumblatch --private token ACCOUNT",
      session
    )
  }

  private static func demandAllMayMove(
    _ names: [String],
    _ listed: [VaultExportableAccount]
  ) throws(CommandError) {
    for account in listed where names.contains(account.name) {
      guard let reason = account.reason else { continue }
      throw CommandError(.refused, "\(account.name) stays in the service: \(reason)")
    }
  }

  /// Refuses a name that the service does not have, which an earlier call may have moved.
  private static func demandInService(
    _ names: [String],
    _ listed: [VaultExportableAccount]
  ) throws(CommandError) {
    guard let gone = names.first(where: { name in !listed.contains { $0.name == name } }) else {
      return
    }
    throw CommandError(
      .notFound,
      "the service has no account \(gone)",
      hint: "an earlier call may have moved it: thumblatch --private account list"
    )
  }

  private static func cancelMove(_ socket: String?, _ session: Session) throws(CommandError) {
    let (_, freed) = try end(socket, cancel: true, session)
    try session.report(
      ["cancelled": .boolean(freed)],
      freed
        ? "the service has its accounts as before" : "no move into your own vault was interrupted"
    )
  }

  /// Ends a move that was interrupted.
  ///
  /// The person's own vault is opened only for that, because a policy may forbid it.
  private static func end(
    _ socket: String?,
    cancel: Bool,
    _ session: Session
  ) throws(CommandError) -> (moved: [VaultMovedAccount], freed: Bool) {
    let open = try session.call(within: Session.localLimit) { _ in OpenHandOverCall() }
    guard open.transfer != nil else { return ([], false) }
    var moved: [VaultMovedAccount] = []
    var freed = false
    try session.stream(
      on: session.privateCalls,
      within: Session.remoteLimit,
      again: .always,
      { _ in EndServiceExportCall(socket: socket, cancel: cancel) },
      each: { reply in
        if let account = reply.account { moved.append(account) }
        freed = reply.freed
      }
    )
    return (moved, freed)
  }

  private static func exportable(
    _ session: Session
  ) throws(CommandError) -> [VaultExportableAccount] {
    var accounts: [VaultExportableAccount] = []
    try session.stream(
      within: Session.localLimit,
      { _ in ListExportableCall() },
      each: { reply in if let account = reply.account { accounts.append(account) } }
    )
    return accounts
  }

  /// Moves accounts after the check by password, which the service asks for.
  private static func move(
    _ names: [String],
    _ socket: String?,
    _ session: Session
  ) throws(CommandError) -> [VaultMovedAccount] {
    let prepared = try session.call(
      on: session.privateCalls,
      within: Session.localLimit
    ) { _ in PrepareExportCall(accounts: names) }
    _ = try session.call(within: Session.remoteLimit) { prompt in
      AllowExportCall(accounts: names, commitment: prepared.commitment, prompt: prompt)
    }
    var moved: [VaultMovedAccount] = []
    try session.stream(
      on: session.privateCalls,
      within: Session.remoteLimit,
      again: .never,
      { _ in ExportFromServiceCall(socket: socket) },
      each: { reply in if let account = reply.account { moved.append(account) } }
    )
    return moved
  }
}
