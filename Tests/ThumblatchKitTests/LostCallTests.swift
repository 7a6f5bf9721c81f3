import Testing
import VaultClient
import VaultInterface

@testable import ThumblatchKit

/// The error for a call whose engine was lost before it replied.
@Suite
struct LostCallTests {
  private static let lost = [VaultClientError.disconnected, .timedOut]

  @Test(arguments: lost.indices)
  func aCallThatIsNotMadeAgainMayHaveHappened(_ index: Int) {
    let error = AuthError(Self.lost[index], .never)
    #expect(error.kind == .vaultUnavailable)
    #expect(error.recoverySuggestion?.contains("may have happened") == true)
    for again in [Repetition.untilPrompted, .always] {
      let suggestion = AuthError(Self.lost[index], again).recoverySuggestion
      #expect(suggestion?.contains("nothing is lost") == true)
    }
  }

  @Test
  func anEarlierRequestMayHaveBeenTakenThoughThereIsNoNetworkNow() {
    for (reason, text) in [
      (nil, "nothing is lost"), (UnavailableReason.uncertain, "may have taken it"),
    ] {
      let error = AuthError(
        VaultClientError.refused(
          .providerUnavailable(message: "m", retryAfter: nil, offline: true, reason: reason)
        )
      )
      #expect(error.kind == .offline)
      #expect(error.recoverySuggestion?.contains(text) == true)
    }
  }
}
