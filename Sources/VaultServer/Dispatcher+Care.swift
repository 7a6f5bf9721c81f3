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
      let facts = try await vault.setDefault(account: call.account, caller: caller)
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .removeAccount(let call):
      let answer = try await vault.remove(
        account: call.account,
        local: call.local,
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
          listeners: terms.exchange.loopbackUsers.map { Int($0) }
        )
      )
    case .examine: return try await examine(more, reply)
    default: throw .unexpected("a call was sorted wrongly")
    }
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
