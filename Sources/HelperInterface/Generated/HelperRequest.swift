// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file
package import Varlink

/// A call of `io.thumblatch.Helper`, with its parameters.
package enum HelperRequest: Sendable {
  case exchange(ExchangeCall)
  case request(HelperRequestCall)
  case proceed(HelperProceedCall)
  case loadPrint(LoadPrintCall)
  case check(HelperCheckCall)
  case respond(HelperRespondCall)
  case enroll(HelperEnrollCall)
  case keep(HelperKeepCall)
  case deletePrints(HelperDeletePrintsCall)
  case getReader(HelperGetReaderCall)
  case listEnrolled(HelperListEnrolledCall)
  case getTPM(GetTPMCall)
  case sealSecret(SealSecretCall)
  case openSecret(OpenSecretCall)
  case defineCounter(DefineCounterCall)
  case readCounter(ReadCounterCall)
  case incrementCounter(IncrementCounterCall)
  case confirmCounter(ConfirmCounterCall)
  case removeCounter(RemoveCounterCall)
  case getKey(GetKeyCall)
  case makeKeySecret(MakeKeySecretCall)
  case openKeySecret(OpenKeySecretCall)

  /// Reads a call; throws the error that answers it if it cannot be read.
  package init(_ call: VarlinkCall) throws(VarlinkError) {
    do {
      switch call.method {
      case ExchangeCall.method: self = .exchange(try call.content())
      case HelperRequestCall.method: self = .request(try call.content())
      case HelperProceedCall.method: self = .proceed(try call.content())
      case LoadPrintCall.method: self = .loadPrint(try call.content())
      case HelperCheckCall.method: self = .check(try call.content())
      case HelperRespondCall.method: self = .respond(try call.content())
      case HelperEnrollCall.method: self = .enroll(try call.content())
      case HelperKeepCall.method: self = .keep(try call.content())
      case HelperDeletePrintsCall.method: self = .deletePrints(try call.content())
      case HelperGetReaderCall.method: self = .getReader(try call.content())
      case HelperListEnrolledCall.method: self = .listEnrolled(try call.content())
      case GetTPMCall.method: self = .getTPM(try call.content())
      case SealSecretCall.method: self = .sealSecret(try call.content())
      case OpenSecretCall.method: self = .openSecret(try call.content())
      case DefineCounterCall.method: self = .defineCounter(try call.content())
      case ReadCounterCall.method: self = .readCounter(try call.content())
      case IncrementCounterCall.method: self = .incrementCounter(try call.content())
      case ConfirmCounterCall.method: self = .confirmCounter(try call.content())
      case RemoveCounterCall.method: self = .removeCounter(try call.content())
      case GetKeyCall.method: self = .getKey(try call.content())
      case MakeKeySecretCall.method: self = .makeKeySecret(try call.content())
      case OpenKeySecretCall.method: self = .openKeySecret(try call.content())
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

  /// Every method, for tests that read all messages.
  package static let methods: [any VarlinkMethod.Type] = [
    ExchangeCall.self,
    HelperRequestCall.self,
    HelperProceedCall.self,
    LoadPrintCall.self,
    HelperCheckCall.self,
    HelperRespondCall.self,
    HelperEnrollCall.self,
    HelperKeepCall.self,
    HelperDeletePrintsCall.self,
    HelperGetReaderCall.self,
    HelperListEnrolledCall.self,
    GetTPMCall.self,
    SealSecretCall.self,
    OpenSecretCall.self,
    DefineCounterCall.self,
    ReadCounterCall.self,
    IncrementCounterCall.self,
    ConfirmCounterCall.self,
    RemoveCounterCall.self,
    GetKeyCall.self,
    MakeKeySecretCall.self,
    OpenKeySecretCall.self,
  ]
}
