internal import JSON
internal import SecretMemory
internal import VaultInterface

/// `rekey`, `recover`, `release`.
enum KeyVerbs {
  static let all = [release, rekey, recover]

  static let release = Verb(
    "release",
    [.account],
    options: [Verb.Option("--keep", "stay signed in here; refused unless nothing rotates")],
    summary: "print the refresh token itself, of an exportable account",
    details: """
      Always asks for a presence check, whatever the unlock window. Nothing but the token stands \
      on standard output. The account is then signed out here, so that the token has one holder. \
      With --keep there are two: it is refused until a refresh since the last sign-in has shown \
      that the provider does not replace refresh tokens. \
      An account is exportable if it was signed in with --exportable.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let keep = session.arguments.has("--keep")
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      ReleaseCall(account: account, keep: keep, prompt: prompt)
    }
    if session.output.columns != nil {
      session.output.talk("warning: the refresh token stands on this terminal, and in its history")
    }
    do throws(CommandError) {
      try show(reply, session)
    } catch {
      guard reply.signedOut else { throw error }
      throw CommandError(
        error.code,
        error.message,
        hint: "the account is signed out and its token is lost: thumblatch login"
      )
    }
    if reply.signedOut && !session.output.json {
      session.output.talk("signed out here; the provider was not told, and the token is good")
    }
  }

  static let rekey = Verb(
    "rekey",
    summary: "make a new device secret and bring everything under it",
    details: """
      Needs the system password. Every refresh token and print is sealed anew, every record of \
      the trail is authenticated anew, and nothing stays under the old secret. A trail that was \
      not whole is brought along and stays so; that is told. It is safe to \
      interrupt. Copies of the vault made before need the device secret of their time.
      """
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      RekeyCall(prompt: prompt)
    }
    let (isWhole, warning) = trail(session)
    if let warning { session.output.warn(warning) }
    try session.report(
      [
        "accounts": .integer(Int64(reply.accounts)), "prints": .integer(Int64(reply.prints)),
        "records": .integer(Int64(reply.records)),
        "trail_whole": isWhole.map { .boolean($0) } ?? .null,
      ],
      "a new device secret guards \(counted(reply.accounts, "refresh token")), "
        + "\(counted(reply.prints, "print")) and \(counted(reply.records, "record")) of the trail"
    )
  }

  /// Whether the audit log was whole that was brought along, and what is to be said about it.
  ///
  /// The rekey is done by now, so that what keeps the audit log from being checked is no failure of
  /// it.
  private static func trail(_ session: Session) -> (isWhole: Bool?, warning: String?) {
    do throws(CommandError) {
      let facts = try session.call(within: AuditVerbs.limit) { _ in VerifyAuditCall() }
      guard !facts.whole else { return (true, nil) }
      return (
        false,
        "warning: the trail was not whole, and stays so: \(AuditVerbs.problem(facts))"
          + " (thumblatch audit verify)"
      )
    } catch {
      return (nil, "warning: whether the trail is whole could not be checked: \(error.message)")
    }
  }

  static let recover = Verb(
    "recover",
    options: [Verb.Option("--yes", "do not ask where the store looks current")],
    summary: "accept a store that was put back, or whose mark is lost",
    details: """
      Needs the system password. Run it after you have put back a copy of the whole state \
      directory, too: that brings its own mark along, and nothing tells it from the present. \
      Every account that is signed in needs a login afterwards: its \
      refresh token may have been replaced since, and a provider may take the use of an old one \
      for theft. Your own rules are those of the store that was put back: look at them with \
      thumblatch policy.
      """
  ) { session throws(CommandError) in
    if !session.arguments.has("--yes") { try confirmRecovery(session) }
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      RecoverCall(prompt: prompt)
    }
    let names = reply.loginRequired
    try session.report(
      ["login_required": .array(names.map { .string($0) })],
      names.isEmpty
        ? "the store is accepted; no account has to sign in again"
        : "the store is accepted; to be signed in again: \(names.joined(separator: ", "))"
    )
  }

  /// Asks, where nothing shows that anything was put back.
  private static func confirmRecovery(_ session: Session) throws(CommandError) {
    let status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
    guard status.problem == nil else { return }
    try session.confirm(
      "The store looks current. Every account that is signed in will need a login. Go on?",
      for: "a confirmation, because the store looks current,",
      otherwise: "nothing was changed"
    )
  }

  private static func show(
    _ reply: ReleaseReply,
    _ session: Session
  ) throws(CommandError) {
    guard session.output.json else { return try session.output.data(reply.refreshToken.bytes) }
    try session.output.secret([
      "refresh_token": .secret(reply.refreshToken), "signed_out": .boolean(reply.signedOut),
    ])
  }

  private static func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }
}
