package import VaultInterface

/// The methods whose messages tests read in every way, beside the two that every service has.
///
/// `ContractTests` demands a line here for each method that an interface file declares.
package enum VarlinkMethods {
  package static let all: [any VarlinkMethod.Type] = [
    GetInfoCall.self, GetInterfaceDescriptionCall.self, GetStatusCall.self, GetAccountCall.self,
    GetReaderCall.self, RegisterCall.self, LoginCall.self, AccessTokenCall.self, CheckCall.self,
    RespondCall.self, CancelCall.self, EnablePresenceCall.self, DisablePresenceCall.self,
    TestPresenceCall.self, UnlockCall.self, LockCall.self, ListFingersCall.self,
    EnrollFingerCall.self, LogoutCall.self, WhoAmICall.self, AuditCall.self, VerifyAuditCall.self,
    RekeyCall.self, RecoverCall.self, ReleaseCall.self, RenameAccountCall.self,
    SetDefaultAccountCall.self, RemoveAccountCall.self, RequestTermsCall.self, ExamineCall.self,
    DeleteFingerCall.self, AccountProviderCall.self, ApplyProviderCall.self, BeginLoginCall.self,
    FinishLoginCall.self, AwaitLoginCall.self, CancelLoginCall.self, TestProviderCall.self,
    WatchCall.self, GetPolicyCall.self, SetPolicyCall.self, LogoutAllCall.self,
    RemoveUserCall.self, VerifyTokenCall.self,
    ExchangeCall.self, LoadPrintCall.self, HelperCheckCall.self, HelperRespondCall.self,
    HelperEnrollCall.self, HelperGetReaderCall.self, HelperListEnrolledCall.self,
    HelperRequestCall.self, HelperKeepCall.self, HelperProceedCall.self,
    HelperDeletePrintsCall.self,
  ]

  /// The methods that a socket of this interface answers.
  package static func all(of interface: VarlinkInterface) -> [any VarlinkMethod.Type] {
    all.filter { $0.method.hasPrefix(interface.name + ".") || $0.method.hasPrefix(service) }
  }

  private static let service = "org.varlink.service."
}

extension VarlinkMethod {
  /// The name without the interface's, such as `Lock`.
  package static var shortName: Substring { method.split(separator: ".").last ?? "" }
}
