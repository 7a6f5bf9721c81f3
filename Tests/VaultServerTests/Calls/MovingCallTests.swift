import Testing
import Varlink
import VaultInterface

@testable import VaultServer

/// The calls that move accounts, as the server handles them.
struct MovingCallTests {
  @Test(arguments: [
    ("ImportIntoService", "{}", true), ("CancelServiceImport", "{}", true),
    ("TakeOver", #"{"transfer":"AP8=","backup_key":"a2V5"}"#, false),
    ("DropTransfer", #"{"transfer":"AP8="}"#, false), ("ListExportable", "{}", false),
    ("AllowExport", #"{"accounts":["me"],"commitment":"AP8="}"#, false),
    ("HandOver", #"{"backup_key":"a2V5","vault":"AP8="}"#, false), ("OpenHandOver", "{}", false),
    ("EndHandOver", #"{"transfer":"AP8="}"#, false),
    ("PrepareExport", #"{"accounts":["me"]}"#, false), ("ExportFromService", "{}", false),
    ("EndServiceExport", #"{"cancel":true}"#, false),
  ])
  func neitherARestrictedSocketNorACallerUnderARuleMovesAccounts(
    _ method: String,
    _ parameters: String,
    endsTransfer: Bool
  ) throws {
    let text = #"{"method":"io.thumblatch.Vault.\#(method)","parameters":\#(parameters)}"#
    let call = try ParsedCall(text: text)
    #expect(!call.isForRestricted && !call.isForRuled && !call.isForDiagnosis)
    let request = try call.request.get()
    #expect(request.usesStore && request.endsTransfer == endsTransfer)
  }
}
