import HelperInterface
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
    #expect(error.recoverySuggestion?.contains("may have succeeded anyway") == true)
    for again in [Repetition.untilPrompted, .always] {
      let suggestion = AuthError(Self.lost[index], again).recoverySuggestion
      #expect(suggestion?.contains("may have been carried out") == true)
    }
  }

  @Test
  func aBusyVaultSaysWhenToTryAgain() {
    let busy = VaultClientError.refused(.busy(message: "too many prompts", retryAfter: 15))
    let error = AuthError(busy)
    #expect(error.kind == .busy && error.retryAfter == .seconds(15))
    #expect(error.recovery == .retry(after: .seconds(15)))
    #expect(AuthError(.busy, "x").recovery == .retry(after: nil))
  }

  @Test
  func aPromptThatNoDesktopShowsSaysWhy() {
    let error = AuthError(VaultClientError.refused(.noDesktop(message: "its screen is locked")))
    #expect(error.kind == .presence(.cannotPrompt))
    #expect(error.description.hasSuffix("at the desktop: its screen is locked"))
  }

  @Test(arguments: [(401, "the login is kept"), (500, "may have received the request")])
  func aRefusedRefreshIsNoLostAnswer(_ status: Int, _ text: String) {
    let error = AuthError(
      VaultClientError.refused(
        .providerUnavailable(
          message: "m",
          retryAfter: 2,
          offline: false,
          reason: .uncertain,
          status: status
        )
      )
    )
    #expect(error.recoverySuggestion?.contains(text) == true)
  }

  @Test
  func anEarlierRequestMayHaveBeenTakenThoughThereIsNoNetworkNow() {
    for (reason, text) in [
      (nil, "nothing is lost"), (UnavailableReason.uncertain, "may have received the request"),
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

  @Test(
    arguments: [
      (.notAnswering, .refused, .notAnswering), (.authority, .authority, .providerNotTrusted),
      (.expired, .expired, .providerNotTrusted), (.notYetValid, .notYetValid, .providerNotTrusted),
      (.name, .name, .providerNotTrusted), (.certificate, .tls, .providerNotTrusted),
      (.pin, .pin, .providerNotTrusted), (.listener, .listener, .providerNotTrusted),
    ] as [(UnavailableReason, ExchangeFailure, AuthError.Kind)]
  )
  func aServerThatIsThereIsNoMissingNetwork(
    _ reason: UnavailableReason,
    _ failure: ExchangeFailure,
    _ kind: AuthError.Kind
  ) {
    let ofEngine = AuthError(
      VaultClientError.refused(
        .providerUnavailable(message: "m", retryAfter: nil, offline: false, reason: reason)
      )
    )
    let ofRequest = EngineVault.notSent(failure, to: "api.test")
    #expect(ofEngine.kind == kind && ofRequest.kind == kind)
    // Only a change of the server or of the settings helps against a certificate.
    #expect(ofEngine.isTemporary == (kind == .notAnswering))
  }

  @Test
  func anAnswerThatIsTooLargeIsNotFetchedAgain() {
    let request = AuthRequest("https://api.test/", maximumBody: 10)
    let error = EngineVault.lost(.tooLarge, from: "api.test", request)
    #expect(error.kind == .undecodable && error.message.contains("10 bytes"))
    #expect(!error.isTemporary && error.recovery == .showMessage)
    #expect(EngineVault.lost(.timeout, from: "api.test", request).isTemporary)
  }
}
