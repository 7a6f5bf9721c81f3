internal import BackupClient
internal import BackupFormat
internal import JSON
internal import PlainText
internal import VaultClient
internal import VaultInterface

/// `backup`: writes an encrypted copy of the accounts.
enum BackupVerb {
  static let all = [verb]

  private static let force = "--force"

  static let verb = Verb(
    "backup",
    [Verb.Operand("FILE", .one, offers: .files)],
    options: [
      BackupSecretInput.descriptor, RecoveryCodeInput.ask, RecoveryCodeInput.standardInput,
      Verb.Option(force, "replace FILE if it exists"),
    ],
    summary: "write an encrypted backup of the accounts",
    details: """
      Needs the system password. FILE is encrypted with a passphrase, which you type twice, or \
      with --code or --code-stdin with the recovery code of the machine key. It holds each account \
      with its provider, its settings and its protection. It holds a refresh token only if the \
      account is exportable and a refresh since the last login has shown that the provider does \
      not replace refresh tokens. Otherwise a restore could use a replaced token, which the \
      provider would treat as theft. All other accounts are listed, and need a login after a \
      restore. Access tokens, static secrets, fingers, security keys, own rules and the device \
      secret are never in a backup.
      Anyone with the passphrase can open FILE: keep them apart. A lost passphrase cannot be \
      recovered. "thumblatch restore" restores the accounts on this or another machine.
      """
  ) { session throws(CommandError) in
    let path = session.arguments.operands[0]
    let replaces = session.arguments.has(force)
    let file = try checked { () throws(BackupFileError) in
      try BackupFile(new: path, replacing: replaces)
    }
    let (header, secret) = try BackupSecretInput.new(session)
    var bytes: [UInt8] = []
    var accounts: [VaultBackupAccount] = []
    try session.stream(within: Session.remoteLimit) { prompt in
      (bytes, accounts) = ([], [])
      return BackupCall(
        header: header.encoded,
        backupKey: secret.key,
        code: secret.code,
        prompt: prompt
      )
    } each: { reply throws(VaultClientError) in
      bytes += reply.bytes
      if let account = reply.account { accounts.append(account) }
    }
    try checked { () throws(BackupFileError) in try file.write(bytes) }
    try told(accounts, session)
  }

  /// Does something with a backup file.
  static func checked<Value>(
    _ body: () throws(BackupFileError) -> Value
  ) throws(CommandError) -> Value {
    do throws(BackupFileError) {
      return try body()
    } catch {
      let isThere = if case .exists = error { true } else { false }
      throw .usage("\(error)", hint: isThere ? "take another name, or --force to replace it" : nil)
    }
  }

  private static func told(
    _ accounts: [VaultBackupAccount],
    _ session: Session
  ) throws(CommandError) {
    let path = session.arguments.operands[0]
    try session.report(
      [
        "file": .string(path),
        "accounts": .array(
          accounts.map { account in
            .object([
              "name": .string(account.name), "provider": .string(account.provider),
              "refresh_token": .boolean(account.reason == nil),
              "reason": AccountText.optional(account.reason),
            ])
          }
        ),
      ],
      "wrote \(path): \(AccountText.counted(accounts.count, "account")), "
        + AccountText.counted(accounts.count { $0.reason == nil }, "refresh token")
    )
    guard !session.output.json else { return }
    for account in accounts {
      guard let reason = account.reason else { continue }
      session.output.talk(
        "\(account.name) has to sign in again after a restore: \(PlainText.line(reason))"
      )
    }
  }
}
