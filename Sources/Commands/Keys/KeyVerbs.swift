internal import JSON
internal import SecretMemory
internal import VaultInterface

/// `rekey`, `recover`, `release`.
enum KeyVerbs {
  static let all = [release, rekey, recover]

  static let release = Verb(
    "release",
    [.account],
    options: [
      Verb.Option("--keep", "stay signed in here; refused if the provider replaces refresh tokens")
    ],
    summary: "print the refresh token of an exportable account",
    details: """
      Always needs a presence check, even while the account is unlocked. Prints only the token on \
      standard output. The account is then signed out here, so that the token has one holder. \
      With --keep there are two. That is refused until a refresh since the last login has shown \
      that the provider does not replace refresh tokens. An account is exportable if it was \
      signed in with --exportable.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let keep = session.arguments.has("--keep")
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      ReleaseCall(account: account, keep: keep, prompt: prompt)
    }
    if session.output.columns != nil {
      session.output.talk("warning: the refresh token is on this terminal, and in its history")
    }
    do throws(CommandError) {
      try show(reply, session)
    } catch {
      guard reply.signedOut else { throw error }
      throw CommandError(
        error.code,
        error.message,
        hint: "the account is signed out, and its token is lost: thumblatch login"
      )
    }
    if reply.signedOut && !session.output.json {
      session.output.talk("signed out here; the provider was not told, so the token stays valid")
    }
  }

  static let rekey = Verb(
    "rekey",
    summary: "replace the device secret and re-encrypt everything",
    details: """
      Needs the system password. Every refresh token and print is encrypted again, every record of \
      the audit log is authenticated again, and nothing stays under the old secret. A damaged \
      audit log stays damaged, and a warning says so. Safe to interrupt. Earlier copies of the \
      vault need the device secret that belongs to them.
      """
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      RekeyCall(prompt: prompt)
    }
    let (isWhole, warning) = auditLog(session)
    if let warning { session.output.warn(warning) }
    try session.report(
      [
        "accounts": .integer(Int64(reply.accounts)), "prints": .integer(Int64(reply.prints)),
        "records": .integer(Int64(reply.records)),
        "audit_whole": isWhole.map { .boolean($0) } ?? .null,
      ],
      "replaced the device secret; re-encrypted "
        + AccountText.counted(reply.accounts, "refresh token") + ", "
        + AccountText.counted(reply.prints, "print") + " and "
        + AccountText.counted(reply.records, "audit record")
    )
  }

  /// Whether the audit log is intact after a rekey, and the warning if it is not.
  ///
  /// The rekey has succeeded before, so a check that is not possible is only a warning.
  private static func auditLog(_ session: Session) -> (isWhole: Bool?, warning: String?) {
    do throws(CommandError) {
      let facts = try session.call(within: AuditVerbs.limit) { _ in VerifyAuditCall() }
      guard !facts.whole else { return (true, nil) }
      return (
        false,
        "warning: the audit log is not intact, and stays so: \(AuditVerbs.problem(facts))"
          + " (thumblatch audit verify)"
      )
    } catch {
      return (nil, "warning: the audit log could not be checked: \(error.message)")
    }
  }

  static let recover = Verb(
    "recover",
    options: [
      Verb.Option("--yes", "do not ask, even if the vault looks current"),
      RecoveryCodeInput.ask, RecoveryCodeInput.standardInput,
    ],
    summary: "accept a restored vault; with --code, open the machine key with the recovery code",
    details: """
      Needs the system password. Run it also after the rollback counter was lost, and after you \
      restored a copy of the whole state directory: that copy has its own rollback counter, and \
      looks current unless the TPM has a counter. Every account that is signed in needs a login \
      afterwards: its refresh token may have been replaced since, and a provider may treat the use \
      of an old one as theft. Static secrets are those of the restored vault. Your own rules are, \
      too: look at them with thumblatch policy.
      With --code or --code-stdin, no restored vault is accepted. The recovery code opens the \
      machine key. If the TPM of this machine opens no slot, it seals a new one. The slots that this TPM \
      refuses, such as those of another machine, are then removed. Use it after the TPM was \
      cleared, replaced or left behind. It needs no password. In the service only root may do it.
      """
  ) { session throws(CommandError) in
    if let code = try RecoveryCodeInput.given(session) { return try recover(by: code, session) }
    if !session.arguments.has("--yes") { try confirmRecovery(session) }
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      RecoverCall(prompt: prompt)
    }
    let names = reply.loginRequired
    try session.report(
      ["login_required": .array(names.map { .string($0) })],
      names.isEmpty
        ? "the vault is accepted; no account has to sign in again"
        : "the vault is accepted; accounts to sign in again: \(names.joined(separator: ", "))"
    )
  }

  /// Opens the machine key with the recovery code.
  private static func recover(
    by code: SharedSecret,
    _ session: Session
  ) throws(CommandError) {
    let reply = try session.call(within: DeviceSecretVerbs.limit) { _ in
      RecoverWithCodeCall(code: code)
    }
    if let problem = reply.problem {
      session.output.warn(
        "warning: until the TPM or a security key opens the vault, you need the code again at each"
          + " start of the engine. No slot was added: \(problem)"
      )
    }
    if let problem = reply.counterProblem {
      session.output.warn(DeviceSecretVerbs.warning(problem))
    }
    let removed = reply.removed.joined(separator: ", ")
    try session.report(
      [
        "added": AccountText.optional(reply.added),
        "removed": .array(reply.removed.map { .string($0) }),
        "problem": AccountText.optional(reply.problem),
        "counter_problem": AccountText.optional(reply.counterProblem),
      ],
      "the vault is open"
        + (reply.added.map { "; the TPM of this machine opens it from now on (slot \($0))" } ?? "")
        + (removed.isEmpty ? "" : "; slots that this TPM refuses were removed: \(removed)")
    )
  }

  /// Asks if the vault looks current.
  private static func confirmRecovery(_ session: Session) throws(CommandError) {
    let status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
    guard status.problem == nil else { return }
    try session.confirm(
      "The vault looks current. Every account that is signed in will need a login. Go on?",
      for: "a confirmation (the vault looks current)",
      otherwise: "nothing was changed"
    )
  }

  private static func show(_ reply: ReleaseReply, _ session: Session) throws(CommandError) {
    guard session.output.json else { return try session.output.data(reply.refreshToken.bytes) }
    try session.output.secret([
      "refresh_token": .secret(reply.refreshToken), "signed_out": .boolean(reply.signedOut),
    ])
  }
}
