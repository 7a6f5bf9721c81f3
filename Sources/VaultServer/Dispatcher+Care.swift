internal import Configuration
internal import Synchronization
internal import TokenVault
internal import VaultInterface

// The care of accounts, and of the vault.
extension Dispatcher {
  func care(
    _ request: VaultRequest,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .renameAccount(let call):
      let facts = try await vault.rename(
        account: call.account,
        to: call.name,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .setDefaultAccount(let call):
      let facts = try await vault.setDefault(
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .removeAccount(let call):
      let answer = try await vault.remove(
        account: call.account,
        local: call.local,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(LogoutReply(answer))
    case .requestTerms(let call):
      let terms = try await vault.requestTerms(account: call.account)
      return try Self.made(
        RequestTermsReply(
          account: terms.account,
          issuer: terms.issuer,
          hosts: terms.hosts,
          ca: terms.exchange.certificateAuthority,
          pins: terms.exchange.pins,
          proxy: terms.exchange.proxy,
          listeners: terms.exchange.loopbackUsers.map { Int($0) },
          connectTimeout: terms.exchange.limits.connection
        )
      )
    case .examine: return try await examine(more, reply)
    default: throw .unexpected("a call was sorted wrongly")
    }
  }

  /// Each account as soon as it is done; the last one ends the stream.
  func logoutAll(
    _ call: LogoutAllCall,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    guard more else {
      throw .invalidArgument("accounts come one by one: call with `more`")
    }
    let last = Mutex<TokenVault.EndedAccount?>(nil)
    try await vault.signOutAll(local: call.local, prompt: call.prompt, caller: caller) { ended in
      let previous = last.withLock { last in
        defer { last = ended }
        return last
      }
      guard let previous,
        let part = try? VarlinkReply(
          LogoutAllReply(ended: VaultInterface.EndedAccount(previous)),
          continues: true
        )
      else { return }
      reply(part)
    }
    let ended = last.withLock { $0 }
    return try Self.made(LogoutAllReply(ended: ended.map(VaultInterface.EndedAccount.init)))
  }

  private func examine(
    _ more: Bool,
    _ reply: @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    guard more else {
      throw .invalidArgument("findings come one by one: call with `more`")
    }
    let findings = await vault.examine()
    for finding in findings.dropLast() {
      reply(try Self.made(ExamineReply(finding), continues: true))
    }
    guard let last = findings.last else { throw .unexpected("nothing was looked at") }
    return try Self.made(ExamineReply(last))
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
