import SecretMemory
import VaultInterface

/// What programs do with a message that has come: they decode it as the method that it names.
enum Readers {
  /// Reads a call as the engine or a helper does.
  static func readCall(_ message: [UInt8], on interface: VarlinkInterface) {
    var buffer = MessageBuffer(interface)
    guard append(message, to: &buffer), let call = try? buffer.nextCall() else { return }
    switch interface {
    case .vault: _ = try? VaultRequest(call)
    case .helper: _ = try? HelperRequest(call)
    }
  }

  /// Reads a reply as the one who has called `method` does.
  static func readReply(_ message: [UInt8], to method: String, on interface: VarlinkInterface) {
    var buffer = MessageBuffer(interface)
    guard append(message, to: &buffer), let reply = try? buffer.nextReply() else { return }
    replies["\(interface.name).\(method)"]?(reply)
  }

  /// The methods of an interface whose replies are not read here.
  static func missing(of messages: Messages) -> [String] {
    messages.methods.filter { replies["\(messages.interface.name).\($0)"] == nil }
  }

  private static func append(_ message: [UInt8], to buffer: inout MessageBuffer) -> Bool {
    unsafe (message + [0]).withUnsafeBytes { bytes in
      (unsafe try? buffer.append(bytes)) != nil
    }
  }

  private typealias Reader = @Sendable (VarlinkReply) -> Void

  private static func reader<Method: VarlinkMethod>(_ method: Method.Type) -> (String, Reader) {
    (Method.method, { reply in _ = try? reply.result(of: method) })
  }

  private static let replies: [String: Reader] = Dictionary(
    uniqueKeysWithValues: [
      reader(GetStatusCall.self), reader(GetAccountCall.self), reader(GetReaderCall.self),
      reader(RegisterCall.self), reader(LoginCall.self), reader(AccessTokenCall.self),
      reader(CheckCall.self), reader(RespondCall.self), reader(CancelCall.self),
      reader(EnablePresenceCall.self), reader(DisablePresenceCall.self),
      reader(TestPresenceCall.self), reader(UnlockCall.self), reader(LockCall.self),
      reader(ListFingersCall.self), reader(EnrollFingerCall.self), reader(DeleteFingerCall.self),
      reader(LogoutCall.self), reader(WhoAmICall.self), reader(AuditCall.self),
      reader(VerifyAuditCall.self), reader(RekeyCall.self), reader(RecoverCall.self),
      reader(ReleaseCall.self), reader(RenameAccountCall.self),
      reader(SetDefaultAccountCall.self), reader(RemoveAccountCall.self),
      reader(RequestTermsCall.self), reader(ExamineCall.self), reader(AccountProviderCall.self),
      reader(ApplyProviderCall.self), reader(BeginLoginCall.self), reader(FinishLoginCall.self),
      reader(AwaitLoginCall.self), reader(CancelLoginCall.self), reader(TestProviderCall.self),
      reader(WatchCall.self), reader(GetPolicyCall.self), reader(SetPolicyCall.self),
      reader(ExchangeCall.self), reader(HelperRequestCall.self), reader(LoadPrintCall.self),
      reader(HelperCheckCall.self), reader(HelperRespondCall.self), reader(HelperEnrollCall.self),
      reader(HelperGetReaderCall.self), reader(HelperListEnrolledCall.self),
    ]
  )
}
