internal import Configuration
internal import Synchronization
internal import TokenVault
internal import VaultInterface

// Methods for accounts and their tokens.
extension Dispatcher {
  func getAccount(_ call: GetAccountCall) async throws(VaultFailure) -> GetAccountReply {
    let location = await vault.locationOfWindow(caller)
    let all = try await vault.accountFacts(named: call.account, at: location, under: caller.rule)
    guard context.more || all.count <= 1 else {
      throw .invalidArgument("there are several accounts: name one")
    }
    for (index, facts) in all.dropLast().enumerated() {
      context.reply(try .made(GetAccountReply(account: VaultAccount(facts)), continues: true))
      // At most 15 replies may wait to be sent, whatever their size.
      if index % 15 == 14, await !context.whenSent() { break }
    }
    return GetAccountReply(account: all.last.map(VaultAccount.init))
  }

  func register(_ call: RegisterCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.signIn(
      account: call.account,
      provider: try Self.provider(call.provider),
      email: call.email,
      password: call.password,
      registering: true,
      displayName: call.name,
      exportable: call.exportable ?? false,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func login(_ call: LoginCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.signIn(
      account: call.account,
      provider: try call.provider.map { given throws(VaultFailure) in try Self.provider(given) },
      email: call.email,
      password: call.password,
      registering: false,
      displayName: nil,
      exportable: call.exportable ?? false,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func storeSecret(_ call: StoreSecretCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.storeSecret(
      StaticSecret(
        secret: call.secret,
        username: call.username,
        label: call.label,
        expiresAt: call.expiresAt.map(Int64.init),
        claims: call.claims
      ),
      account: call.account,
      provider: try Self.provider(call.provider),
      isProtected: call.presenceProtection,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func importLogin(_ call: ImportLoginCall) async throws(VaultFailure) -> ImportLoginReply {
    let (facts, isRotated) = try await vault.importLogin(
      account: call.account,
      provider: try Self.provider(call.provider),
      refreshToken: call.refreshToken,
      prompt: call.prompt,
      caller: caller
    )
    return ImportLoginReply(account: VaultAccount(facts), rotated: isRotated)
  }

  func logout(_ call: LogoutCall) async throws(VaultFailure) -> LogoutReply {
    LogoutReply(
      try await vault.signOut(
        account: call.account,
        local: call.local,
        prompt: call.prompt,
        caller: caller
      )
    )
  }

  func accessToken(_ call: AccessTokenCall) async throws(VaultFailure) -> AccessTokenReply {
    let grant = try await vault.accessToken(
      account: call.account,
      minimumLifetime: call.minimumLifetime.map(Int64.init),
      rejected: call.rejected,
      scope: call.scope,
      audience: call.audience,
      consent: Self.consent(of: call),
      prompt: call.prompt,
      reason: call.reason,
      tool: call.helper == true ? caller.tool : nil,
      caller: caller
    )
    return AccessTokenReply(grant)
  }

  private static func consent(of call: AccessTokenCall) -> NarrowingConsent {
    guard call.narrow == true else { return .notGiven }
    return call.remember == true ? .untilNextLogin : .thisCall
  }

  func whoAmI(_ call: WhoAmICall) async throws(VaultFailure) -> WhoAmIReply {
    let (facts, profile) =
      try await vault.profile(account: call.account, prompt: call.prompt, caller: caller)
    return WhoAmIReply(account: VaultAccount(facts), profile: profile)
  }

  func verifyToken(_ call: VerifyTokenCall) async throws(VaultFailure) -> VerifyTokenReply {
    let (facts, verification) =
      try await vault.verification(account: call.account, prompt: call.prompt, caller: caller)
    return VerifyTokenReply(
      account: VaultAccount(facts),
      accepted: verification.isAccepted,
      expiresAt: verification.expiresAt.map { Int(clamping: $0) }
    )
  }
}

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
    RequestTermsReply(try await vault.requestTerms(account: call.account, caller: caller))
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
