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
      standard output. The account is then signed out here, so that only you hold the token. With \
      --keep, the vault keeps it too. That is refused until a refresh since the last login has \
      shown that the provider does not replace refresh tokens. An account is exportable if it was \
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
      session.output.talk(
        "signed out here; the provider was not notified, so the token stays valid"
      )
    }
  }

  static let rekey = Verb(
    "rekey",
    summary: "replace the device secret and re-encrypt everything",
    details: """
      Needs the system password. Encrypts every refresh token and print again, and authenticates \
      every record of the audit log again, so that nothing depends on the old secret. A damaged \
      audit log stays damaged, and a warning says so. You can safely interrupt this command. \
      Earlier copies of the vault still need the old device secret.
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
      Needs the system password. Also run it if the rollback counter was lost, or after you \
      restored a copy of the whole state directory. Such a copy includes its own rollback counter, \
      and looks current unless the TPM has a counter. Every account that is signed in needs a \
      login afterwards: its refresh token may have been replaced since the copy, and a provider \
      may treat the use of an old token as theft. Static secrets and your own rules are those of \
      the restored vault. To check the rules, run thumblatch policy.
      With --code or --code-stdin, the command does not accept a restored vault. Instead, the \
      recovery code opens the machine key. If the TPM of this machine opens no slot, a new slot is \
      sealed with it. Slots that this TPM refuses, such as those of another machine, are then \
      removed. Use this after the TPM was cleared or replaced, or on a new machine. It needs no \
      password. In the service, only root may do it.
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
      "the machine key is open"
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
