import System
import Testing

@testable import Commands

/// Whether a sign-in that the agent has started needs a notification.
struct AgentSignInTests {
  private static let refused = #"{"error":{"code":"unavailable","message":"no answer"}}"#
  private static let notRevoked = #"{"account":{"name":"work"},"replaced":{"revoked":false}}"#

  @Test(arguments: [
    (notRevoked, ProcessEnd.exited(0), nil),
    // The login is finished, and its exit status tells of the earlier one.
    (notRevoked, .exited(12), nil),
    (refused, .exited(6), "no answer"),
    ("", .exited(6), "the sign-in ended without a result"),
    ("{", .signalled(9), "the sign-in ended without a result"),
  ])
  func aFailureHasItsReason(_ result: String, _ end: ProcessEnd, _ reason: String?) {
    #expect(AgentSignIn.failure(in: Array(result.utf8), end) == reason)
  }
}
