internal import Configuration
internal import SecretMemory
internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods that move accounts to another vault.
extension Dispatcher {
  /// The most bytes of a file in one message: base64 makes 44 KiB of them.
  private static let mostBytes = 32 << 10

  /// Sends the parts of a backup, each before the next one is encoded.
  func backup(_ call: BackupCall) async throws(VaultFailure) -> BackupReply {
    guard context.more else { throw .invalidArgument("a backup comes in parts: call with `more`") }
    let parts = try await vault.backup(
      header: call.header,
      try secret(call.backupKey, call.code),
      prompt: call.prompt,
      caller: caller
    )
    var last: BackupReply?
    for reply in parts.flatMap(replies) {
      if let last {
        context.reply(try .made(last, continues: true))
        guard await context.whenSent() else { break }
      }
      last = reply
    }
    guard let last else { throw .unexpected("the backup has no part") }
    return last
  }

  func sendBackup(_ call: SendBackupCall) async throws(VaultFailure) -> EmptyReply {
    try await vault.addToBackup(call.bytes, at: call.offset, caller: caller)
    return EmptyReply()
  }

  /// Sends a reply for each account.
  func restore(_ call: RestoreCall) async throws(VaultFailure) -> RestoreReply {
    try demandMore()
    let secret = try secret(call.backupKey, call.code)
    let accounts =
      if call.examine {
        try await vault.examineBackup(secret, caller: caller)
      } else {
        try await vault.restore(
          secret,
          skipExisting: call.skipExisting,
          prompt: call.prompt,
          caller: caller
        )
      }
    return try await oneByOne(accounts) { account in
      RestoreReply(account: account.map { wire($0, call) })
    }
  }

  /// Sends a reply for each account.
  func importIntoService(
    _ call: ImportIntoServiceCall
  ) async throws(VaultFailure) -> ImportIntoServiceReply {
    try demandMore()
    let accounts = try await vault.moveToService(
      socket: call.socket,
      prompt: call.prompt,
      caller: caller
    )
    return try await oneByOne(accounts) { account in
      ImportIntoServiceReply(account: account.map { VaultMovedAccount($0) })
    }
  }

  func cancelServiceImport(
    _ call: CancelServiceImportCall
  ) async throws(VaultFailure) -> CancelServiceImportReply {
    CancelServiceImportReply(cancelled: try await vault.cancelTransfer(caller: caller))
  }

  func takeOver(_ call: TakeOverCall) async throws(VaultFailure) -> EmptyReply {
    try demandService()
    try await vault.takeOver(call.transfer, call.backupKey, caller: caller)
    return EmptyReply()
  }

  func dropTransfer(_ call: DropTransferCall) async throws(VaultFailure) -> DropTransferReply {
    try demandService()
    return DropTransferReply(taken: try await vault.dropTransfer(call.transfer))
  }

  // MARK: - Exports

  /// Sends a reply for each account.
  func listExportable(
    _ call: ListExportableCall
  ) async throws(VaultFailure) -> ListExportableReply {
    try demandMore()
    return try await oneByOne(try await vault.exportableAccounts()) { account in
      ListExportableReply(
        account: account.map {
          VaultExportableAccount(name: $0.name, provider: $0.provider, reason: $0.reason)
        }
      )
    }
  }

  func allowExport(_ call: AllowExportCall) async throws(VaultFailure) -> EmptyReply {
    try await vault.allowExport(
      call.accounts,
      commitment: call.commitment,
      prompt: call.prompt,
      caller: caller
    )
    return EmptyReply()
  }

  /// Sends the accounts in parts.
  func handOver(_ call: HandOverCall) async throws(VaultFailure) -> HandOverReply {
    guard context.more else { throw .invalidArgument("accounts come in parts: call with `more`") }
    var rest = try await vault.handOver(call.backupKey, to: call.vault)[...]
    while rest.count > Self.mostBytes {
      let part = HandOverReply(bytes: Array(rest.prefix(Self.mostBytes)))
      context.reply(try .made(part, continues: true))
      rest = rest.dropFirst(Self.mostBytes)
      guard await context.whenSent() else { break }
    }
    return HandOverReply(bytes: Array(rest.prefix(Self.mostBytes)))
  }

  func openHandOver(_ call: OpenHandOverCall) async throws(VaultFailure) -> OpenHandOverReply {
    let open = try await vault.openHandOver()
    return OpenHandOverReply(transfer: open?.transfer, vault: open?.vault)
  }

  func endHandOver(_ call: EndHandOverCall) async throws(VaultFailure) -> EndHandOverReply {
    EndHandOverReply(
      ended: try await vault.endHandOver(call.transfer, receipt: call.receipt, caller: caller)
    )
  }

  func prepareExport(_ call: PrepareExportCall) async throws(VaultFailure) -> PrepareExportReply {
    PrepareExportReply(
      commitment: try await vault.prepareExport(call.accounts, caller: caller)
    )
  }

  /// Sends a reply for each account.
  func exportFromService(
    _ call: ExportFromServiceCall
  ) async throws(VaultFailure) -> ExportFromServiceCall.Reply {
    try demandMore()
    let accounts = try await vault.exportFromService(socket: call.socket, caller: caller)
    return try await oneByOne(accounts) { account in
      ExportFromServiceCall.Reply(account: account.map { VaultMovedAccount($0) })
    }
  }

  /// Sends a reply for each account.
  func endServiceExport(
    _ call: EndServiceExportCall
  ) async throws(VaultFailure) -> EndServiceExportReply {
    try demandMore()
    let (accounts, freed) = try await vault.endExport(socket: call.socket, cancel: call.cancel)
    return try await oneByOne(accounts) { account in
      EndServiceExportReply(account: account.map { VaultMovedAccount($0) }, freed: freed)
    }
  }

  /// Refuses a caller that takes only one reply.
  private func demandMore() throws(VaultFailure) {
    guard context.more else { throw .invalidArgument("accounts come one by one: call with `more`") }
  }

  /// Sends a reply for each account but the last, and returns that one; without an account, one for
  /// `nil`.
  private func oneByOne<Account, Reply: VarlinkRecord>(
    _ accounts: [Account],
    _ reply: (Account?) -> Reply
  ) async throws(VaultFailure) -> Reply {
    for account in accounts.dropLast() {
      context.reply(try .made(reply(account), continues: true))
      guard await context.whenSent() else { break }
    }
    return reply(accounts.last)
  }

  private func demandService() throws(VaultFailure) {
    guard form == .service else { throw .refused("only the service can receive accounts") }
  }

  // MARK: - Parts

  private func secret(
    _ key: SharedSecret?,
    _ code: SharedSecret?
  ) throws(VaultFailure) -> BackupSecret {
    switch (key, code) {
    case (let key?, nil): return .key(key)
    case (nil, let code?): return .code(code)
    default: throw .invalidArgument("a backup needs either a key or a recovery code")
    }
  }

  private func replies(_ part: BackupPart) -> [BackupReply] {
    let account = part.account.map {
      VaultBackupAccount(name: $0.name, provider: $0.provider, reason: $0.reason)
    }
    return stride(from: 0, to: part.bytes.count, by: Self.mostBytes).map { start in
      let end = min(start + Self.mostBytes, part.bytes.count)
      return BackupReply(
        account: end == part.bytes.count ? account : nil,
        bytes: Array(part.bytes[start..<end])
      )
    }
  }

  private func wire(
    _ account: RestoredAccount,
    _ call: RestoreCall
  ) -> VaultRestoredAccount {
    let provider = account.provider
    return VaultRestoredAccount(
      name: account.name,
      provider: VaultProvider(
        name: provider.name.text,
        settings: provider.settings,
        clientSecret: call.examine ? provider.oauth?.clientSecret?.secret : nil
      ),
      signedIn: account.isSignedIn,
      exists: account.exists
    )
  }
}

extension VaultMovedAccount {
  init(_ account: MovedAccount) {
    self.init(name: account.name, provider: account.provider, signedIn: account.isSignedIn)
  }
}
