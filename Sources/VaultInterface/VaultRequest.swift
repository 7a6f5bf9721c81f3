/// A call of the vault's interface, with its parameters.
public enum VaultRequest: Sendable {
  /// `GetStatus`.
  case getStatus(GetStatusCall)
  /// `GetAccount`.
  case getAccount(GetAccountCall)
  /// `GetReader`.
  case getReader(GetReaderCall)
  /// `Register`.
  case register(RegisterCall)
  /// `Login`.
  case login(LoginCall)
  /// `AccessToken`.
  case accessToken(AccessTokenCall)
  /// `Check`.
  case check(CheckCall)
  /// `Respond`.
  case respond(RespondCall)
  /// `Cancel`.
  case cancel(CancelCall)
  /// `EnablePresence`.
  case enablePresence(EnablePresenceCall)
  /// `DisablePresence`.
  case disablePresence(DisablePresenceCall)
  /// `TestPresence`.
  case testPresence(TestPresenceCall)
  /// `Unlock`.
  case unlock(UnlockCall)
  /// `Lock`.
  case lock(LockCall)
  /// `ListFingers`.
  case listFingers(ListFingersCall)
  /// `EnrollFinger`.
  case enrollFinger(EnrollFingerCall)
  /// `Logout`.
  case logout(LogoutCall)
  /// `LogoutAll`.
  case logoutAll(LogoutAllCall)
  /// `WhoAmI`.
  case whoAmI(WhoAmICall)
  /// `VerifyToken`.
  case verifyToken(VerifyTokenCall)
  /// `Audit`.
  case audit(AuditCall)
  /// `VerifyAudit`.
  case verifyAudit(VerifyAuditCall)
  /// `Rekey`.
  case rekey(RekeyCall)
  /// `Recover`.
  case recover(RecoverCall)
  /// `Release`.
  case release(ReleaseCall)
  /// `RenameAccount`.
  case renameAccount(RenameAccountCall)
  /// `SetDefaultAccount`.
  case setDefaultAccount(SetDefaultAccountCall)
  /// `RemoveAccount`.
  case removeAccount(RemoveAccountCall)
  /// `RequestTerms`.
  case requestTerms(RequestTermsCall)
  /// `Examine`.
  case examine(ExamineCall)
  /// `DeleteFinger`.
  case deleteFinger(DeleteFingerCall)
  /// `AccountProvider`.
  case accountProvider(AccountProviderCall)
  /// `ApplyProvider`.
  case applyProvider(ApplyProviderCall)
  /// `BeginLogin`.
  case beginLogin(BeginLoginCall)
  /// `FinishLogin`.
  case finishLogin(FinishLoginCall)
  /// `AwaitLogin`.
  case awaitLogin(AwaitLoginCall)
  /// `CancelLogin`.
  case cancelLogin(CancelLoginCall)
  /// `TestProvider`.
  case testProvider(TestProviderCall)
  /// `Watch`.
  case watch(WatchCall)
  /// `GetPolicy`.
  case getPolicy(GetPolicyCall)
  /// `SetPolicy`.
  case setPolicy(SetPolicyCall)
  /// `RemoveUser`.
  case removeUser(RemoveUserCall)

  /// Reads a call; throws the error that answers it where it cannot be read.
  public init(_ call: VarlinkCall) throws(VarlinkError) {
    do {
      switch call.method {
      case GetStatusCall.method: self = .getStatus(try call.content())
      case GetAccountCall.method: self = .getAccount(try call.content())
      case GetReaderCall.method: self = .getReader(try call.content())
      case RegisterCall.method: self = .register(try call.content())
      case LoginCall.method: self = .login(try call.content())
      case AccessTokenCall.method: self = .accessToken(try call.content())
      case CheckCall.method: self = .check(try call.content())
      case RespondCall.method: self = .respond(try call.content())
      case CancelCall.method: self = .cancel(try call.content())
      case EnablePresenceCall.method: self = .enablePresence(try call.content())
      case DisablePresenceCall.method: self = .disablePresence(try call.content())
      case TestPresenceCall.method: self = .testPresence(try call.content())
      case UnlockCall.method: self = .unlock(try call.content())
      case LockCall.method: self = .lock(try call.content())
      case ListFingersCall.method: self = .listFingers(try call.content())
      case EnrollFingerCall.method: self = .enrollFinger(try call.content())
      case LogoutCall.method: self = .logout(try call.content())
      case LogoutAllCall.method: self = .logoutAll(try call.content())
      case WhoAmICall.method: self = .whoAmI(try call.content())
      case VerifyTokenCall.method: self = .verifyToken(try call.content())
      case AuditCall.method: self = .audit(try call.content())
      case VerifyAuditCall.method: self = .verifyAudit(try call.content())
      case RekeyCall.method: self = .rekey(try call.content())
      case RecoverCall.method: self = .recover(try call.content())
      case ReleaseCall.method: self = .release(try call.content())
      case RenameAccountCall.method: self = .renameAccount(try call.content())
      case SetDefaultAccountCall.method: self = .setDefaultAccount(try call.content())
      case RemoveAccountCall.method: self = .removeAccount(try call.content())
      case RequestTermsCall.method: self = .requestTerms(try call.content())
      case ExamineCall.method: self = .examine(try call.content())
      case DeleteFingerCall.method: self = .deleteFinger(try call.content())
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
}
