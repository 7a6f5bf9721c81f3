import Configuration
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

/// The rule of a connection, and the reason that its calls state.
struct RuleBeforeReasonTests {
  private static let tooLong = String(repeating: "x", count: 201)
  private static let diagnosis = ["GetStatus", "Examine", "GetPolicy", "ListRules", "TestRule"]

  private let vaults = Vaults.closed()
  private let recognition = Recognition()

  private func call(_ method: String, _ more: String = "") throws -> ParsedCall {
    let needed = [
      "TestRule": #""unit":"a.service","#, "Unlock": #""accounts":[],"#,
      "Restrict": #""name":"build","accounts":["me"],"#,
    ]
    let text =
      #"{"method":"io.thumblatch.Vault.\#(method)","parameters":{\#(needed[method] ?? "")"#
      + #"\#(more)"reason":"\#(Self.tooLong)"}}"#
    return try ParsedCall(text: text)
  }

  /// The error that answers a call whose reason is too long.
  private func error(_ method: String) async throws -> String {
    "\(try #require(try await vaults.error(of: try call(method), recognition)))"
  }

  @Test(arguments: diagnosis + ["Unlock"])
  func aBadReasonTakesNoRestrictionOffACall(_ method: String) async throws {
    #expect(
      recognition.restrict(by: try CallerRule(socket: "ci", accounts: ["me"], scope: nil))
    )
    let error = try await error(method)
    #expect(error.contains(#"ci\" does not allow this method"#), "\(error)")
  }

  /// A program under a rule may make a restricted socket, to which the rule applies too.
  @Test(arguments: diagnosis + ["Unlock", "Restrict"])
  func aBadReasonTakesNoRuleOffACall(_ method: String) async throws {
    recognition.learn(CallerRule(title: "rule \"job\""))
    let error = try await error(method)
    let isAnswered = ["GetPolicy", "ListRules", "TestRule", "Restrict"].contains(method)
    #expect(error.contains(#"job\" does not allow this method"#) != isAnswered, "\(error)")
  }

  @Test
  func aBadReasonOfACallThatMayAskIsRefused() async throws {
    let error = try await error("Unlock")
    #expect(error.contains("the reason may have at most 200 characters"), "\(error)")
  }

  @Test
  func onlyACallThatMayAskStatesAReason() throws {
    for method in Self.diagnosis {
      let other = try call(method, #""ask":true,"#)
      #expect(other.statedReason == nil && other.asking == .unsaid, "\(method)")
    }
    let unlock = try call("Unlock", #""ask":true,"#)
    #expect(unlock.statedReason == Self.tooLong && unlock.asking == .atOnce)
    // That of a token is a part of its call.
    #expect(try call("AccessToken").statedReason == nil)
  }
}
