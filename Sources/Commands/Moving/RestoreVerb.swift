internal import BackupClient
internal import BackupFormat
internal import Configuration
internal import JSON
internal import Providers
internal import VaultClient
internal import VaultInterface

/// `restore`: adds the accounts of a backup to the vault.
enum RestoreVerb {
  static let all = [verb]

  private static let skip = "--skip-existing"

  static let verb = Verb(
    "restore",
    [Verb.Operand("FILE", .one, offers: .files)],
    options: [
      BackupSecretInput.descriptor, RecoveryCodeInput.standardInput,
      Verb.Option(skip, "skip accounts that the vault already has"),
    ],
    summary: "restore accounts from a backup",
    details: """
      Asks for the passphrase or the recovery code of FILE, and for the system password if the \
      vault has accounts. Either all accounts of the backup are restored, or none. An existing \
      account is never replaced. Accounts whose refresh token is not in the backup are restored as \
      signed out, and are listed. If a provider has no file here, the command writes one, unless \
      accounts of the backup have different settings for it. In that case each account keeps its \
      own settings. If your own provider file differs from the backup, the restore is refused, \
      because a later login would use that file.
      """
  ) { session throws(CommandError) in
    let path = session.arguments.operands[0]
    let bytes = try BackupVerb.checked { () throws(BackupFileError) in try BackupFile.read(path) }
    let header: BackupHeader
    do throws(BackupHeader.Flaw) {
      header = try BackupHeader(parsing: bytes)
    } catch {
      throw .usage("\(path): \(error)")
    }
    let secret = try BackupSecretInput.known(header, session)
    try send(bytes, session)
    let found = try restore(secret, examine: true, session)
    let files = try ProviderFiles(environment: session.environment)
    let skips = session.arguments.has(skip)
    // A run that was interrupted may have restored accounts without the files of their providers.
    let missing = try files.missing(
      for: try found.map { account throws(CommandError) in
        BackedUpAccount(
          name: account.name,
          provider: try account.provider.bound,
          staysAsItIs: skips && account.exists
        )
      }
    )
    let restored = try restore(secret, examine: false, session)
    var written: [String] = []
    for file in missing {
      do throws(CommandError) {
        if let problem = file.problem { throw .usage(problem) }
        try files.put(file.provider, replacing: false)
        written.append(file.provider.name.text)
      } catch {
        session.output.warn(
          "warning: the accounts are restored, but the provider file of \(file.provider.name) was not"
            + " written: \(error.message)"
        )
      }
    }
    try told(restored, written, session)
  }

  // MARK: - Calls

  private static func send(_ bytes: [UInt8], _ session: Session) throws(CommandError) {
    for part in SendBackupCall.parts(of: bytes) {
      // Another engine does not have the parts before.
      _ = try session.call(
        within: Session.localLimit,
        again: part.offset == 0 ? .always : .never
      ) { _ in part }
    }
  }

  private static func restore(
    _ secret: BackupKey,
    examine: Bool,
    _ session: Session
  ) throws(CommandError) -> [VaultRestoredAccount] {
    var accounts: [VaultRestoredAccount] = []
    try session.stream(within: Session.localLimit, again: .never) { prompt in
      RestoreCall(
        backupKey: secret.key,
        code: secret.code,
        examine: examine,
        skipExisting: session.arguments.has(skip),
        prompt: prompt
      )
    } each: { reply throws(VaultClientError) in
      if let account = reply.account { accounts.append(account) }
    }
    return accounts
  }

  // MARK: - Text

  private static func told(
    _ accounts: [VaultRestoredAccount],
    _ providers: [String],
    _ session: Session
  ) throws(CommandError) {
    let new = accounts.filter { !$0.exists }
    try session.report(
      [
        "accounts": .array(
          accounts.map { account in
            .object([
              "name": .string(account.name), "provider": .string(account.provider.name),
              "restored": .boolean(!account.exists), "signed_in": .boolean(account.signedIn),
            ])
          }
        ),
        "providers": .array(providers.map { .string($0) }),
      ],
      "restored \(AccountText.counted(new.count, "account"))"
    )
    guard !session.output.json else { return }
    for account in accounts where account.exists {
      session.output.talk("\(account.name) was there, and stays as it is")
    }
    for account in new where !account.signedIn {
      session.output.talk("\(account.name) is signed out: \(remedy(for: account))")
    }
    if !providers.isEmpty {
      session.output.talk("added the provider files: \(providers.joined(separator: ", "))")
    }
  }

  private static func remedy(for account: VaultRestoredAccount) -> String {
    guard account.provider.name != Provider.secretServiceName else {
      return "the program that uses it stores it again"
    }
    let isStatic = account.provider.settings["kind"] == StoreVerb.kind
    return "thumblatch \(isStatic ? "store" : "login") \(account.name)"
  }
}
