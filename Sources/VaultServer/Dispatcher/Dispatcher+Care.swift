internal import Configuration
internal import Synchronization
internal import TokenVault
internal import VaultInterface

// Methods that maintain accounts and the vault.
extension Dispatcher {
  func renameAccount(_ call: RenameAccountCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.rename(
      account: call.account,
      to: call.name,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func setDefaultAccount(_ call: SetDefaultAccountCall) async throws(VaultFailure) -> AccountReply {
    AccountReply(
      try await vault.setDefault(account: call.account, prompt: call.prompt, caller: caller)
    )
  }

  func removeAccount(_ call: RemoveAccountCall) async throws(VaultFailure) -> LogoutReply {
    LogoutReply(
      try await vault.remove(
        account: call.account,
        local: call.local,
        prompt: call.prompt,
        caller: caller
      )
    )
  }

  func requestTerms(_ call: RequestTermsCall) async throws(VaultFailure) -> RequestTermsReply {
    let terms = try await vault.requestTerms(account: call.account, caller: caller)
    return RequestTermsReply(
      account: terms.account,
      issuer: terms.issuer,
      hosts: terms.hosts,
      ca: terms.exchange.certificateAuthority,
      pins: terms.exchange.pins,
      proxy: terms.exchange.proxy,
      listeners: terms.exchange.loopbackUsers.map { Int($0) },
      connectTimeout: terms.exchange.limits.connection,
      resource: terms.resource,
      anyHost: terms.isForAnyHost
    )
  }

  /// Sends a reply for each account as soon as it is done.
  ///
  /// The last one ends the stream.
  func logoutAll(_ call: LogoutAllCall) async throws(VaultFailure) -> LogoutAllReply {
    guard context.more else { throw .invalidArgument("accounts come one by one: call with `more`") }
    let last = Mutex<TokenVault.EndedAccount?>(nil)
    try await vault.signOutAll(local: call.local, prompt: call.prompt, caller: caller) { ended in
      let previous = last.withLock { last in
        defer { last = ended }
        return last
      }
      guard let previous else { return }
      context.send(LogoutAllReply(ended: VaultInterface.EndedAccount(previous)))
    }
    let ended = last.withLock { $0 }
    return LogoutAllReply(ended: ended.map(VaultInterface.EndedAccount.init))
  }

  func examine(_ call: ExamineCall) async throws(VaultFailure) -> ExamineReply {
    guard context.more else { throw .invalidArgument("findings come one by one: call with `more`") }
    let findings = await vault.examine()
    for finding in findings.dropLast() {
      context.reply(try .made(ExamineReply(finding), continues: true))
    }
    guard let last = findings.last else { throw .unexpected("nothing was looked at") }
    return ExamineReply(last)
  }

  func removeUser(_ call: RemoveUserCall) async throws(VaultFailure) -> RemoveUserReply {
    RemoveUserReply(
      try await vaults.remove(user: call.user, account: call.account, caller: caller)
    )
  }
}

extension VaultInterface.EndedAccount {
  init(_ ended: TokenVault.EndedAccount) {
    switch ended.result {
    case .success(let answer):
      self.init(
        account: ended.account,
        provider: ended.provider,
        erased: true,
        grant: GrantState(answer.grant),
        reason: answer.reason,
        offline: answer.isOffline ? true : nil
      )
    case .failure(let failure):
      let error = VaultError(failure)
      self.init(
        account: ended.account,
        provider: ended.provider,
        erased: false,
        grant: .valid,
        reason: error.message,
        error: error.name
      )
    }
  }
}

extension ExamineReply {
  init(_ finding: VaultFinding) {
    self.init(
      name: finding.name,
      level: FindingLevel(finding.level),
      message: finding.message,
      remedy: finding.remedy
    )
    switch finding.action {
    case .signIn(let account): signIn = account
    case .protect(let account): protect = account
    case .run(let line): command = line
    case nil: break
    }
  }
}

extension FindingLevel {
  init(_ level: VaultFinding.Level) {
    switch level {
    case .ok: self = .ok
    case .warning: self = .warning
    case .problem: self = .problem
    }
  }
}
