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
        claims: try call.claims?.asClaims()
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
