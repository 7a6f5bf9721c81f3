import System
import Testing

@testable import Commands

/// The sign-ins that the agent starts.
struct AgentSignInTests {
  private static let refused = #"{"error":{"code":"unavailable","message":"no answer"}}"#
  private static let notRevoked = #"{"account":{"name":"work"},"replaced":{"revoked":false}}"#

  @Test
  func itSignsInAtTheVaultOfTheNotice() {
    func arguments(isPrivate: Bool) -> [String] {
      AgentSignIn(account: "work", isPrivate: isPrivate, program: "thumblatch").arguments
    }
    let service = arguments(isPrivate: false)
    #expect(service == ["login", "work", "--browser", "--json"])
    #expect(arguments(isPrivate: true) == service + ["--private"])
  }

  @Test(arguments: [
    (notRevoked, ProcessEnd.exited(0), nil),
    // The login succeeds, but its exit status reports the earlier one.
    (notRevoked, .exited(12), nil),
    (refused, .exited(6), "no answer"),
    ("", .exited(6), "the sign-in ended without a result"),
    ("{", .signalled(9), "the sign-in ended without a result"),
  ])
  func aFailureHasItsReason(_ result: String, _ end: ProcessEnd, _ reason: String?) {
    #expect(AgentSignIn.failure(in: Array(result.utf8), end) == reason)
  }
}
