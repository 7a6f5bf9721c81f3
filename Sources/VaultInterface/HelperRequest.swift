/// A call of the helpers' interface, with its parameters.
public enum HelperRequest: Sendable {
  /// `Exchange`.
  case exchange(ExchangeCall)
  /// `Proceed`.
  case proceed(HelperProceedCall)
  /// `LoadPrint`.
  case loadPrint(LoadPrintCall)
  /// `Check`.
  case check(HelperCheckCall)
  /// `Respond`.
  case respond(HelperRespondCall)
  /// `Enroll`.
  case enroll(HelperEnrollCall)
  /// `Keep`.
  case keep(HelperKeepCall)
  /// `DeletePrints`.
  case deletePrints(HelperDeletePrintsCall)
  /// `GetReader`.
  case getReader(HelperGetReaderCall)
  /// `ListEnrolled`.
  case listEnrolled(HelperListEnrolledCall)
  /// `Request`.
  case request(HelperRequestCall)

  /// Reads a call; throws the error that answers it where it cannot be read.
  public init(_ call: VarlinkCall) throws(VarlinkError) {
    do {
      switch call.method {
      case ExchangeCall.method: self = .exchange(try call.content())
      case HelperProceedCall.method: self = .proceed(try call.content())
      case LoadPrintCall.method: self = .loadPrint(try call.content())
      case HelperCheckCall.method: self = .check(try call.content())
      case HelperRespondCall.method: self = .respond(try call.content())
      case HelperEnrollCall.method: self = .enroll(try call.content())
      case HelperKeepCall.method: self = .keep(try call.content())
      case HelperDeletePrintsCall.method: self = .deletePrints(try call.content())
      case HelperGetReaderCall.method: self = .getReader(try call.content())
      case HelperListEnrolledCall.method: self = .listEnrolled(try call.content())
      case HelperRequestCall.method: self = .request(try call.content())
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
