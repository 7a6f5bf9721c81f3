// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
internal import TokenVault
internal import VaultInterface
internal import Varlink

/// What answers the calls of `io.thumblatch.Vault`: one function for each method.
protocol VaultService: Sendable {
  func getStatus(_ call: GetStatusCall) async throws(VaultFailure) -> GetStatusCall.Reply
  func getAccount(_ call: GetAccountCall) async throws(VaultFailure) -> GetAccountCall.Reply
  func getReader(_ call: GetReaderCall) async throws(VaultFailure) -> GetReaderCall.Reply
  func register(_ call: RegisterCall) async throws(VaultFailure) -> RegisterCall.Reply
  func login(_ call: LoginCall) async throws(VaultFailure) -> LoginCall.Reply
  func storeSecret(_ call: StoreSecretCall) async throws(VaultFailure) -> StoreSecretCall.Reply
  func importLogin(_ call: ImportLoginCall) async throws(VaultFailure) -> ImportLoginCall.Reply
  func accessToken(_ call: AccessTokenCall) async throws(VaultFailure) -> AccessTokenCall.Reply
  func check(_ call: CheckCall) async throws(VaultFailure) -> CheckCall.Reply
  func respond(_ call: RespondCall) async throws(VaultFailure) -> RespondCall.Reply
  func cancel(_ call: CancelCall) async throws(VaultFailure) -> CancelCall.Reply
  func askAtDesktop(_ call: AskAtDesktopCall) async throws(VaultFailure) -> AskAtDesktopCall.Reply
  func nextPrompt(_ call: NextPromptCall) async throws(VaultFailure) -> NextPromptCall.Reply
  func restrict(_ call: RestrictCall) async throws(VaultFailure) -> RestrictCall.Reply
  func listRules(_ call: ListRulesCall) async throws(VaultFailure) -> ListRulesCall.Reply
  func testRule(_ call: TestRuleCall) async throws(VaultFailure) -> TestRuleCall.Reply
  func enablePresence(_ call: EnablePresenceCall) async throws(VaultFailure) -> EnablePresenceCall.Reply
  func disablePresence(_ call: DisablePresenceCall) async throws(VaultFailure) -> DisablePresenceCall.Reply
  func testPresence(_ call: TestPresenceCall) async throws(VaultFailure) -> TestPresenceCall.Reply
  func unlock(_ call: UnlockCall) async throws(VaultFailure) -> UnlockCall.Reply
  func lock(_ call: LockCall) async throws(VaultFailure) -> LockCall.Reply
  func listFingers(_ call: ListFingersCall) async throws(VaultFailure) -> ListFingersCall.Reply
  func enrollFinger(_ call: EnrollFingerCall) async throws(VaultFailure) -> EnrollFingerCall.Reply
  func deleteFinger(_ call: DeleteFingerCall) async throws(VaultFailure) -> DeleteFingerCall.Reply
  func listKeys(_ call: ListKeysCall) async throws(VaultFailure) -> ListKeysCall.Reply
  func enrollKey(_ call: EnrollKeyCall) async throws(VaultFailure) -> EnrollKeyCall.Reply
  func removeKey(_ call: RemoveKeyCall) async throws(VaultFailure) -> RemoveKeyCall.Reply
  func logout(_ call: LogoutCall) async throws(VaultFailure) -> LogoutCall.Reply
  func logoutAll(_ call: LogoutAllCall) async throws(VaultFailure) -> LogoutAllCall.Reply
  func whoAmI(_ call: WhoAmICall) async throws(VaultFailure) -> WhoAmICall.Reply
  func verifyToken(_ call: VerifyTokenCall) async throws(VaultFailure) -> VerifyTokenCall.Reply
  func audit(_ call: AuditCall) async throws(VaultFailure) -> AuditCall.Reply
  func verifyAudit(_ call: VerifyAuditCall) async throws(VaultFailure) -> VerifyAuditCall.Reply
  func rekey(_ call: RekeyCall) async throws(VaultFailure) -> RekeyCall.Reply
  func recover(_ call: RecoverCall) async throws(VaultFailure) -> RecoverCall.Reply
  func deviceSecretStatus(_ call: DeviceSecretStatusCall) async throws(VaultFailure) -> DeviceSecretStatusCall.Reply
  func addSlot(_ call: AddSlotCall) async throws(VaultFailure) -> AddSlotCall.Reply
  func removeSlot(_ call: RemoveSlotCall) async throws(VaultFailure) -> RemoveSlotCall.Reply
  func testSlots(_ call: TestSlotsCall) async throws(VaultFailure) -> TestSlotsCall.Reply
  func recoverWithCode(_ call: RecoverWithCodeCall) async throws(VaultFailure) -> RecoverWithCodeCall.Reply
  func openMachineKey(_ call: OpenMachineKeyCall) async throws(VaultFailure) -> OpenMachineKeyCall.Reply
  func backup(_ call: BackupCall) async throws(VaultFailure) -> BackupCall.Reply
  func sendBackup(_ call: SendBackupCall) async throws(VaultFailure) -> SendBackupCall.Reply
  func restore(_ call: RestoreCall) async throws(VaultFailure) -> RestoreCall.Reply
  func importIntoService(_ call: ImportIntoServiceCall) async throws(VaultFailure) -> ImportIntoServiceCall.Reply
  func cancelServiceImport(_ call: CancelServiceImportCall) async throws(VaultFailure) -> CancelServiceImportCall.Reply
  func takeOver(_ call: TakeOverCall) async throws(VaultFailure) -> TakeOverCall.Reply
  func dropTransfer(_ call: DropTransferCall) async throws(VaultFailure) -> DropTransferCall.Reply
  func listExportable(_ call: ListExportableCall) async throws(VaultFailure) -> ListExportableCall.Reply
  func allowExport(_ call: AllowExportCall) async throws(VaultFailure) -> AllowExportCall.Reply
  func handOver(_ call: HandOverCall) async throws(VaultFailure) -> HandOverCall.Reply
  func openHandOver(_ call: OpenHandOverCall) async throws(VaultFailure) -> OpenHandOverCall.Reply
  func endHandOver(_ call: EndHandOverCall) async throws(VaultFailure) -> EndHandOverCall.Reply
  func prepareExport(_ call: PrepareExportCall) async throws(VaultFailure) -> PrepareExportCall.Reply
  func exportFromService(_ call: ExportFromServiceCall) async throws(VaultFailure) -> ExportFromServiceCall.Reply
  func endServiceExport(_ call: EndServiceExportCall) async throws(VaultFailure) -> EndServiceExportCall.Reply
  func release(_ call: ReleaseCall) async throws(VaultFailure) -> ReleaseCall.Reply
  func renameAccount(_ call: RenameAccountCall) async throws(VaultFailure) -> RenameAccountCall.Reply
  func setDefaultAccount(_ call: SetDefaultAccountCall) async throws(VaultFailure) -> SetDefaultAccountCall.Reply
  func removeAccount(_ call: RemoveAccountCall) async throws(VaultFailure) -> RemoveAccountCall.Reply
  func requestTerms(_ call: RequestTermsCall) async throws(VaultFailure) -> RequestTermsCall.Reply
  func examine(_ call: ExamineCall) async throws(VaultFailure) -> ExamineCall.Reply
  func accountProvider(_ call: AccountProviderCall) async throws(VaultFailure) -> AccountProviderCall.Reply
  func applyProvider(_ call: ApplyProviderCall) async throws(VaultFailure) -> ApplyProviderCall.Reply
  func beginLogin(_ call: BeginLoginCall) async throws(VaultFailure) -> BeginLoginCall.Reply
  func finishLogin(_ call: FinishLoginCall) async throws(VaultFailure) -> FinishLoginCall.Reply
  func awaitLogin(_ call: AwaitLoginCall) async throws(VaultFailure) -> AwaitLoginCall.Reply
  func cancelLogin(_ call: CancelLoginCall) async throws(VaultFailure) -> CancelLoginCall.Reply
  func testProvider(_ call: TestProviderCall) async throws(VaultFailure) -> TestProviderCall.Reply
  func watch(_ call: WatchCall) async throws(VaultFailure) -> WatchCall.Reply
  func getPolicy(_ call: GetPolicyCall) async throws(VaultFailure) -> GetPolicyCall.Reply
  func setPolicy(_ call: SetPolicyCall) async throws(VaultFailure) -> SetPolicyCall.Reply
  func removeUser(_ call: RemoveUserCall) async throws(VaultFailure) -> RemoveUserCall.Reply
}

extension VaultService {
  /// Answers a call by the function of its method.
  func reply(to request: VaultRequest) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .getStatus(let call): try .made(await getStatus(call))
    case .getAccount(let call): try .made(await getAccount(call))
    case .getReader(let call): try .made(await getReader(call))
    case .register(let call): try .made(await register(call))
    case .login(let call): try .made(await login(call))
    case .storeSecret(let call): try .made(await storeSecret(call))
    case .importLogin(let call): try .made(await importLogin(call))
    case .accessToken(let call): try .made(await accessToken(call))
    case .check(let call): try .made(await check(call))
    case .respond(let call): try .made(await respond(call))
    case .cancel(let call): try .made(await cancel(call))
    case .askAtDesktop(let call): try .made(await askAtDesktop(call))
    case .nextPrompt(let call): try .made(await nextPrompt(call))
    case .restrict(let call): try .made(await restrict(call))
    case .listRules(let call): try .made(await listRules(call))
    case .testRule(let call): try .made(await testRule(call))
    case .enablePresence(let call): try .made(await enablePresence(call))
    case .disablePresence(let call): try .made(await disablePresence(call))
    case .testPresence(let call): try .made(await testPresence(call))
    case .unlock(let call): try .made(await unlock(call))
    case .lock(let call): try .made(await lock(call))
    case .listFingers(let call): try .made(await listFingers(call))
    case .enrollFinger(let call): try .made(await enrollFinger(call))
    case .deleteFinger(let call): try .made(await deleteFinger(call))
    case .listKeys(let call): try .made(await listKeys(call))
    case .enrollKey(let call): try .made(await enrollKey(call))
    case .removeKey(let call): try .made(await removeKey(call))
    case .logout(let call): try .made(await logout(call))
    case .logoutAll(let call): try .made(await logoutAll(call))
    case .whoAmI(let call): try .made(await whoAmI(call))
    case .verifyToken(let call): try .made(await verifyToken(call))
    case .audit(let call): try .made(await audit(call))
    case .verifyAudit(let call): try .made(await verifyAudit(call))
    case .rekey(let call): try .made(await rekey(call))
    case .recover(let call): try .made(await recover(call))
    case .deviceSecretStatus(let call): try .made(await deviceSecretStatus(call))
    case .addSlot(let call): try .made(await addSlot(call))
    case .removeSlot(let call): try .made(await removeSlot(call))
    case .testSlots(let call): try .made(await testSlots(call))
    case .recoverWithCode(let call): try .made(await recoverWithCode(call))
    case .openMachineKey(let call): try .made(await openMachineKey(call))
    case .backup(let call): try .made(await backup(call))
    case .sendBackup(let call): try .made(await sendBackup(call))
    case .restore(let call): try .made(await restore(call))
    case .importIntoService(let call): try .made(await importIntoService(call))
    case .cancelServiceImport(let call): try .made(await cancelServiceImport(call))
    case .takeOver(let call): try .made(await takeOver(call))
    case .dropTransfer(let call): try .made(await dropTransfer(call))
    case .listExportable(let call): try .made(await listExportable(call))
    case .allowExport(let call): try .made(await allowExport(call))
    case .handOver(let call): try .made(await handOver(call))
    case .openHandOver(let call): try .made(await openHandOver(call))
    case .endHandOver(let call): try .made(await endHandOver(call))
    case .prepareExport(let call): try .made(await prepareExport(call))
    case .exportFromService(let call): try .made(await exportFromService(call))
    case .endServiceExport(let call): try .made(await endServiceExport(call))
    case .release(let call): try .made(await release(call))
    case .renameAccount(let call): try .made(await renameAccount(call))
    case .setDefaultAccount(let call): try .made(await setDefaultAccount(call))
    case .removeAccount(let call): try .made(await removeAccount(call))
    case .requestTerms(let call): try .made(await requestTerms(call))
    case .examine(let call): try .made(await examine(call))
    case .accountProvider(let call): try .made(await accountProvider(call))
    case .applyProvider(let call): try .made(await applyProvider(call))
    case .beginLogin(let call): try .made(await beginLogin(call))
    case .finishLogin(let call): try .made(await finishLogin(call))
    case .awaitLogin(let call): try .made(await awaitLogin(call))
    case .cancelLogin(let call): try .made(await cancelLogin(call))
    case .testProvider(let call): try .made(await testProvider(call))
    case .watch(let call): try .made(await watch(call))
    case .getPolicy(let call): try .made(await getPolicy(call))
    case .setPolicy(let call): try .made(await setPolicy(call))
    case .removeUser(let call): try .made(await removeUser(call))
    }
  }
}
