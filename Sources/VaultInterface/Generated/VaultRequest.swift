// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
package import Varlink

/// A call of `io.thumblatch.Vault`, with its parameters.
package enum VaultRequest: Sendable {
  case getStatus(GetStatusCall)
  case getAccount(GetAccountCall)
  case getReader(GetReaderCall)
  case register(RegisterCall)
  case login(LoginCall)
  case storeSecret(StoreSecretCall)
  case importLogin(ImportLoginCall)
  case accessToken(AccessTokenCall)
  case check(CheckCall)
  case respond(RespondCall)
  case cancel(CancelCall)
  case askAtDesktop(AskAtDesktopCall)
  case nextPrompt(NextPromptCall)
  case restrict(RestrictCall)
  case listRules(ListRulesCall)
  case testRule(TestRuleCall)
  case enablePresence(EnablePresenceCall)
  case disablePresence(DisablePresenceCall)
  case testPresence(TestPresenceCall)
  case unlock(UnlockCall)
  case lock(LockCall)
  case listFingers(ListFingersCall)
  case enrollFinger(EnrollFingerCall)
  case deleteFinger(DeleteFingerCall)
  case listKeys(ListKeysCall)
  case enrollKey(EnrollKeyCall)
  case removeKey(RemoveKeyCall)
  case logout(LogoutCall)
  case logoutAll(LogoutAllCall)
  case whoAmI(WhoAmICall)
  case verifyToken(VerifyTokenCall)
  case audit(AuditCall)
  case verifyAudit(VerifyAuditCall)
  case rekey(RekeyCall)
  case recover(RecoverCall)
  case deviceSecretStatus(DeviceSecretStatusCall)
  case addSlot(AddSlotCall)
  case removeSlot(RemoveSlotCall)
  case testSlots(TestSlotsCall)
  case recoverWithCode(RecoverWithCodeCall)
  case openMachineKey(OpenMachineKeyCall)
  case backup(BackupCall)
  case sendBackup(SendBackupCall)
  case restore(RestoreCall)
  case importIntoService(ImportIntoServiceCall)
  case cancelServiceImport(CancelServiceImportCall)
  case takeOver(TakeOverCall)
  case dropTransfer(DropTransferCall)
  case listExportable(ListExportableCall)
  case allowExport(AllowExportCall)
  case handOver(HandOverCall)
  case openHandOver(OpenHandOverCall)
  case endHandOver(EndHandOverCall)
  case prepareExport(PrepareExportCall)
  case exportFromService(ExportFromServiceCall)
  case endServiceExport(EndServiceExportCall)
  case release(ReleaseCall)
  case renameAccount(RenameAccountCall)
  case setDefaultAccount(SetDefaultAccountCall)
  case removeAccount(RemoveAccountCall)
  case requestTerms(RequestTermsCall)
  case examine(ExamineCall)
  case accountProvider(AccountProviderCall)
  case applyProvider(ApplyProviderCall)
  case beginLogin(BeginLoginCall)
  case finishLogin(FinishLoginCall)
  case awaitLogin(AwaitLoginCall)
  case cancelLogin(CancelLoginCall)
  case testProvider(TestProviderCall)
  case watch(WatchCall)
  case getPolicy(GetPolicyCall)
  case setPolicy(SetPolicyCall)
  case removeUser(RemoveUserCall)

  /// Reads a call; throws the error that answers it if it cannot be read.
  package init(_ call: VarlinkCall) throws(VarlinkError) {
    do {
      switch call.method {
      case GetStatusCall.method: self = .getStatus(try call.content())
      case GetAccountCall.method: self = .getAccount(try call.content())
      case GetReaderCall.method: self = .getReader(try call.content())
      case RegisterCall.method: self = .register(try call.content())
      case LoginCall.method: self = .login(try call.content())
      case StoreSecretCall.method: self = .storeSecret(try call.content())
      case ImportLoginCall.method: self = .importLogin(try call.content())
      case AccessTokenCall.method: self = .accessToken(try call.content())
      case CheckCall.method: self = .check(try call.content())
      case RespondCall.method: self = .respond(try call.content())
      case CancelCall.method: self = .cancel(try call.content())
      case AskAtDesktopCall.method: self = .askAtDesktop(try call.content())
      case NextPromptCall.method: self = .nextPrompt(try call.content())
      case RestrictCall.method: self = .restrict(try call.content())
      case ListRulesCall.method: self = .listRules(try call.content())
      case TestRuleCall.method: self = .testRule(try call.content())
      case EnablePresenceCall.method: self = .enablePresence(try call.content())
      case DisablePresenceCall.method: self = .disablePresence(try call.content())
      case TestPresenceCall.method: self = .testPresence(try call.content())
      case UnlockCall.method: self = .unlock(try call.content())
      case LockCall.method: self = .lock(try call.content())
      case ListFingersCall.method: self = .listFingers(try call.content())
      case EnrollFingerCall.method: self = .enrollFinger(try call.content())
      case DeleteFingerCall.method: self = .deleteFinger(try call.content())
      case ListKeysCall.method: self = .listKeys(try call.content())
      case EnrollKeyCall.method: self = .enrollKey(try call.content())
      case RemoveKeyCall.method: self = .removeKey(try call.content())
      case LogoutCall.method: self = .logout(try call.content())
      case LogoutAllCall.method: self = .logoutAll(try call.content())
      case WhoAmICall.method: self = .whoAmI(try call.content())
      case VerifyTokenCall.method: self = .verifyToken(try call.content())
      case AuditCall.method: self = .audit(try call.content())
      case VerifyAuditCall.method: self = .verifyAudit(try call.content())
      case RekeyCall.method: self = .rekey(try call.content())
      case RecoverCall.method: self = .recover(try call.content())
      case DeviceSecretStatusCall.method: self = .deviceSecretStatus(try call.content())
      case AddSlotCall.method: self = .addSlot(try call.content())
      case RemoveSlotCall.method: self = .removeSlot(try call.content())
      case TestSlotsCall.method: self = .testSlots(try call.content())
      case RecoverWithCodeCall.method: self = .recoverWithCode(try call.content())
      case OpenMachineKeyCall.method: self = .openMachineKey(try call.content())
      case BackupCall.method: self = .backup(try call.content())
      case SendBackupCall.method: self = .sendBackup(try call.content())
      case RestoreCall.method: self = .restore(try call.content())
      case ImportIntoServiceCall.method: self = .importIntoService(try call.content())
      case CancelServiceImportCall.method: self = .cancelServiceImport(try call.content())
      case TakeOverCall.method: self = .takeOver(try call.content())
      case DropTransferCall.method: self = .dropTransfer(try call.content())
      case ListExportableCall.method: self = .listExportable(try call.content())
      case AllowExportCall.method: self = .allowExport(try call.content())
      case HandOverCall.method: self = .handOver(try call.content())
      case OpenHandOverCall.method: self = .openHandOver(try call.content())
      case EndHandOverCall.method: self = .endHandOver(try call.content())
      case PrepareExportCall.method: self = .prepareExport(try call.content())
      case ExportFromServiceCall.method: self = .exportFromService(try call.content())
      case EndServiceExportCall.method: self = .endServiceExport(try call.content())
      case ReleaseCall.method: self = .release(try call.content())
      case RenameAccountCall.method: self = .renameAccount(try call.content())
      case SetDefaultAccountCall.method: self = .setDefaultAccount(try call.content())
      case RemoveAccountCall.method: self = .removeAccount(try call.content())
      case RequestTermsCall.method: self = .requestTerms(try call.content())
      case ExamineCall.method: self = .examine(try call.content())
      case AccountProviderCall.method: self = .accountProvider(try call.content())
      case ApplyProviderCall.method: self = .applyProvider(try call.content())
      case BeginLoginCall.method: self = .beginLogin(try call.content())
      case FinishLoginCall.method: self = .finishLogin(try call.content())
      case AwaitLoginCall.method: self = .awaitLogin(try call.content())
      case CancelLoginCall.method: self = .cancelLogin(try call.content())
      case TestProviderCall.method: self = .testProvider(try call.content())
      case WatchCall.method: self = .watch(try call.content())
      case GetPolicyCall.method: self = .getPolicy(try call.content())
      case SetPolicyCall.method: self = .setPolicy(try call.content())
      case RemoveUserCall.method: self = .removeUser(try call.content())
      default: throw VarlinkError.methodNotFound(call.method)
      }
    } catch let error as VarlinkError {
      throw error
    } catch let error as MessageError {
      throw VarlinkError(error)
    } catch {
      throw .invalidParameter("")
    }
  }

  /// The members of `AskingMethod`; `nil` if the method is none.
  package var asking: (ask: Bool?, reason: String?)? {
    switch self {
    case .register(let call): (call.ask, call.reason)
    case .login(let call): (call.ask, call.reason)
    case .storeSecret(let call): (call.ask, call.reason)
    case .importLogin(let call): (call.ask, call.reason)
    case .accessToken(let call): (call.ask, call.reason)
    case .enablePresence(let call): (call.ask, call.reason)
    case .disablePresence(let call): (call.ask, call.reason)
    case .testPresence(let call): (call.ask, call.reason)
    case .unlock(let call): (call.ask, call.reason)
    case .enrollFinger(let call): (call.ask, call.reason)
    case .deleteFinger(let call): (call.ask, call.reason)
    case .enrollKey(let call): (call.ask, call.reason)
    case .removeKey(let call): (call.ask, call.reason)
    case .logout(let call): (call.ask, call.reason)
    case .logoutAll(let call): (call.ask, call.reason)
    case .whoAmI(let call): (call.ask, call.reason)
    case .verifyToken(let call): (call.ask, call.reason)
    case .rekey(let call): (call.ask, call.reason)
    case .recover(let call): (call.ask, call.reason)
    case .addSlot(let call): (call.ask, call.reason)
    case .removeSlot(let call): (call.ask, call.reason)
    case .backup(let call): (call.ask, call.reason)
    case .restore(let call): (call.ask, call.reason)
    case .importIntoService(let call): (call.ask, call.reason)
    case .allowExport(let call): (call.ask, call.reason)
    case .release(let call): (call.ask, call.reason)
    case .renameAccount(let call): (call.ask, call.reason)
    case .setDefaultAccount(let call): (call.ask, call.reason)
    case .removeAccount(let call): (call.ask, call.reason)
    case .applyProvider(let call): (call.ask, call.reason)
    case .beginLogin(let call): (call.ask, call.reason)
    case .finishLogin(let call): (call.ask, call.reason)
    case .awaitLogin(let call): (call.ask, call.reason)
    case .setPolicy(let call): (call.ask, call.reason)
    default: nil
    }
  }

  /// Every method, for tests that read all messages.
  package static let methods: [any VarlinkMethod.Type] = [
    GetStatusCall.self,
    GetAccountCall.self,
    GetReaderCall.self,
    RegisterCall.self,
    LoginCall.self,
    StoreSecretCall.self,
    ImportLoginCall.self,
    AccessTokenCall.self,
    CheckCall.self,
    RespondCall.self,
    CancelCall.self,
    AskAtDesktopCall.self,
    NextPromptCall.self,
    RestrictCall.self,
    ListRulesCall.self,
    TestRuleCall.self,
    EnablePresenceCall.self,
    DisablePresenceCall.self,
    TestPresenceCall.self,
    UnlockCall.self,
    LockCall.self,
    ListFingersCall.self,
    EnrollFingerCall.self,
    DeleteFingerCall.self,
    ListKeysCall.self,
    EnrollKeyCall.self,
    RemoveKeyCall.self,
    LogoutCall.self,
    LogoutAllCall.self,
    WhoAmICall.self,
    VerifyTokenCall.self,
    AuditCall.self,
    VerifyAuditCall.self,
    RekeyCall.self,
    RecoverCall.self,
    DeviceSecretStatusCall.self,
    AddSlotCall.self,
    RemoveSlotCall.self,
    TestSlotsCall.self,
    RecoverWithCodeCall.self,
    OpenMachineKeyCall.self,
    BackupCall.self,
    SendBackupCall.self,
    RestoreCall.self,
    ImportIntoServiceCall.self,
    CancelServiceImportCall.self,
    TakeOverCall.self,
    DropTransferCall.self,
    ListExportableCall.self,
    AllowExportCall.self,
    HandOverCall.self,
    OpenHandOverCall.self,
    EndHandOverCall.self,
    PrepareExportCall.self,
    ExportFromServiceCall.self,
    EndServiceExportCall.self,
    ReleaseCall.self,
    RenameAccountCall.self,
    SetDefaultAccountCall.self,
    RemoveAccountCall.self,
    RequestTermsCall.self,
    ExamineCall.self,
    AccountProviderCall.self,
    ApplyProviderCall.self,
    BeginLoginCall.self,
    FinishLoginCall.self,
    AwaitLoginCall.self,
    CancelLoginCall.self,
    TestProviderCall.self,
    WatchCall.self,
    GetPolicyCall.self,
    SetPolicyCall.self,
    RemoveUserCall.self,
  ]
}
