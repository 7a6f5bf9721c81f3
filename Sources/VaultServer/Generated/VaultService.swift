// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
internal import TokenVault
internal import VaultInterface
internal import Varlink

/// What answers the calls of `io.thumblatch.Vault`: one function for each method.
protocol VaultService: Sendable {
  func getStatus(_ call: GetStatusCall, in context: CallContext) async throws(VaultFailure) -> GetStatusCall.Reply
  func getAccount(_ call: GetAccountCall, in context: CallContext) async throws(VaultFailure) -> GetAccountCall.Reply
  func getReader(_ call: GetReaderCall, in context: CallContext) async throws(VaultFailure) -> GetReaderCall.Reply
  func register(_ call: RegisterCall, in context: CallContext) async throws(VaultFailure) -> RegisterCall.Reply
  func login(_ call: LoginCall, in context: CallContext) async throws(VaultFailure) -> LoginCall.Reply
  func accessToken(_ call: AccessTokenCall, in context: CallContext) async throws(VaultFailure) -> AccessTokenCall.Reply
  func check(_ call: CheckCall, in context: CallContext) async throws(VaultFailure) -> CheckCall.Reply
  func respond(_ call: RespondCall, in context: CallContext) async throws(VaultFailure) -> RespondCall.Reply
  func cancel(_ call: CancelCall, in context: CallContext) async throws(VaultFailure) -> CancelCall.Reply
  func enablePresence(_ call: EnablePresenceCall, in context: CallContext) async throws(VaultFailure) -> EnablePresenceCall.Reply
  func disablePresence(_ call: DisablePresenceCall, in context: CallContext) async throws(VaultFailure) -> DisablePresenceCall.Reply
  func testPresence(_ call: TestPresenceCall, in context: CallContext) async throws(VaultFailure) -> TestPresenceCall.Reply
  func unlock(_ call: UnlockCall, in context: CallContext) async throws(VaultFailure) -> UnlockCall.Reply
  func lock(_ call: LockCall, in context: CallContext) async throws(VaultFailure) -> LockCall.Reply
  func listFingers(_ call: ListFingersCall, in context: CallContext) async throws(VaultFailure) -> ListFingersCall.Reply
  func enrollFinger(_ call: EnrollFingerCall, in context: CallContext) async throws(VaultFailure) -> EnrollFingerCall.Reply
  func deleteFinger(_ call: DeleteFingerCall, in context: CallContext) async throws(VaultFailure) -> DeleteFingerCall.Reply
  func logout(_ call: LogoutCall, in context: CallContext) async throws(VaultFailure) -> LogoutCall.Reply
  func logoutAll(_ call: LogoutAllCall, in context: CallContext) async throws(VaultFailure) -> LogoutAllCall.Reply
  func whoAmI(_ call: WhoAmICall, in context: CallContext) async throws(VaultFailure) -> WhoAmICall.Reply
  func verifyToken(_ call: VerifyTokenCall, in context: CallContext) async throws(VaultFailure) -> VerifyTokenCall.Reply
  func audit(_ call: AuditCall, in context: CallContext) async throws(VaultFailure) -> AuditCall.Reply
  func verifyAudit(_ call: VerifyAuditCall, in context: CallContext) async throws(VaultFailure) -> VerifyAuditCall.Reply
  func rekey(_ call: RekeyCall, in context: CallContext) async throws(VaultFailure) -> RekeyCall.Reply
  func recover(_ call: RecoverCall, in context: CallContext) async throws(VaultFailure) -> RecoverCall.Reply
  func release(_ call: ReleaseCall, in context: CallContext) async throws(VaultFailure) -> ReleaseCall.Reply
  func renameAccount(_ call: RenameAccountCall, in context: CallContext) async throws(VaultFailure) -> RenameAccountCall.Reply
  func setDefaultAccount(_ call: SetDefaultAccountCall, in context: CallContext) async throws(VaultFailure) -> SetDefaultAccountCall.Reply
  func removeAccount(_ call: RemoveAccountCall, in context: CallContext) async throws(VaultFailure) -> RemoveAccountCall.Reply
  func requestTerms(_ call: RequestTermsCall, in context: CallContext) async throws(VaultFailure) -> RequestTermsCall.Reply
  func examine(_ call: ExamineCall, in context: CallContext) async throws(VaultFailure) -> ExamineCall.Reply
  func accountProvider(_ call: AccountProviderCall, in context: CallContext) async throws(VaultFailure) -> AccountProviderCall.Reply
  func applyProvider(_ call: ApplyProviderCall, in context: CallContext) async throws(VaultFailure) -> ApplyProviderCall.Reply
  func beginLogin(_ call: BeginLoginCall, in context: CallContext) async throws(VaultFailure) -> BeginLoginCall.Reply
  func finishLogin(_ call: FinishLoginCall, in context: CallContext) async throws(VaultFailure) -> FinishLoginCall.Reply
  func awaitLogin(_ call: AwaitLoginCall, in context: CallContext) async throws(VaultFailure) -> AwaitLoginCall.Reply
  func cancelLogin(_ call: CancelLoginCall, in context: CallContext) async throws(VaultFailure) -> CancelLoginCall.Reply
  func testProvider(_ call: TestProviderCall, in context: CallContext) async throws(VaultFailure) -> TestProviderCall.Reply
  func watch(_ call: WatchCall, in context: CallContext) async throws(VaultFailure) -> WatchCall.Reply
  func getPolicy(_ call: GetPolicyCall, in context: CallContext) async throws(VaultFailure) -> GetPolicyCall.Reply
  func setPolicy(_ call: SetPolicyCall, in context: CallContext) async throws(VaultFailure) -> SetPolicyCall.Reply
  func removeUser(_ call: RemoveUserCall, in context: CallContext) async throws(VaultFailure) -> RemoveUserCall.Reply
}

extension VaultService {
  /// Answers a call by the function of its method.
  func reply(to request: VaultRequest, in context: CallContext) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .getStatus(let call): try .made(await getStatus(call, in: context))
    case .getAccount(let call): try .made(await getAccount(call, in: context))
    case .getReader(let call): try .made(await getReader(call, in: context))
    case .register(let call): try .made(await register(call, in: context))
    case .login(let call): try .made(await login(call, in: context))
    case .accessToken(let call): try .made(await accessToken(call, in: context))
    case .check(let call): try .made(await check(call, in: context))
    case .respond(let call): try .made(await respond(call, in: context))
    case .cancel(let call): try .made(await cancel(call, in: context))
    case .enablePresence(let call): try .made(await enablePresence(call, in: context))
    case .disablePresence(let call): try .made(await disablePresence(call, in: context))
    case .testPresence(let call): try .made(await testPresence(call, in: context))
    case .unlock(let call): try .made(await unlock(call, in: context))
    case .lock(let call): try .made(await lock(call, in: context))
    case .listFingers(let call): try .made(await listFingers(call, in: context))
    case .enrollFinger(let call): try .made(await enrollFinger(call, in: context))
    case .deleteFinger(let call): try .made(await deleteFinger(call, in: context))
    case .logout(let call): try .made(await logout(call, in: context))
    case .logoutAll(let call): try .made(await logoutAll(call, in: context))
    case .whoAmI(let call): try .made(await whoAmI(call, in: context))
    case .verifyToken(let call): try .made(await verifyToken(call, in: context))
    case .audit(let call): try .made(await audit(call, in: context))
    case .verifyAudit(let call): try .made(await verifyAudit(call, in: context))
    case .rekey(let call): try .made(await rekey(call, in: context))
    case .recover(let call): try .made(await recover(call, in: context))
    case .release(let call): try .made(await release(call, in: context))
    case .renameAccount(let call): try .made(await renameAccount(call, in: context))
    case .setDefaultAccount(let call): try .made(await setDefaultAccount(call, in: context))
    case .removeAccount(let call): try .made(await removeAccount(call, in: context))
    case .requestTerms(let call): try .made(await requestTerms(call, in: context))
    case .examine(let call): try .made(await examine(call, in: context))
    case .accountProvider(let call): try .made(await accountProvider(call, in: context))
    case .applyProvider(let call): try .made(await applyProvider(call, in: context))
    case .beginLogin(let call): try .made(await beginLogin(call, in: context))
    case .finishLogin(let call): try .made(await finishLogin(call, in: context))
    case .awaitLogin(let call): try .made(await awaitLogin(call, in: context))
    case .cancelLogin(let call): try .made(await cancelLogin(call, in: context))
    case .testProvider(let call): try .made(await testProvider(call, in: context))
    case .watch(let call): try .made(await watch(call, in: context))
    case .getPolicy(let call): try .made(await getPolicy(call, in: context))
    case .setPolicy(let call): try .made(await setPolicy(call, in: context))
    case .removeUser(let call): try .made(await removeUser(call, in: context))
    }
  }
}
