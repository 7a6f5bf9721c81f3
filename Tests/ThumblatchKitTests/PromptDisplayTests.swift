import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultClient
import VaultInterface

@testable import ThumblatchKit

/// A check begins when its prompt is shown.
@Suite(.timeLimit(.minutes(10)))
struct PromptDisplayTests {
  private let prompt = PresencePrompt(requester: "a test", account: "me", purpose: "unlock")

  init() {
    prompt.hold()
  }

  /// The view of a prompt that may wait for no time at all.
  private func view(_ quiet: WakeEventBox) -> PromptView {
    let number = quiet.event.descriptor.number
    return PromptView(prompt: prompt, ending: number, interrupt: number, longestDisplay: 0)
  }

  private func begin() throws {
    let quiet = try WakeEventBox.make()
    try withExtendedLifetime(quiet) {
      try view(quiet).begin(.fingerprint, of: [.fingerprint], isFirst: true)
    }
  }

  @Test
  func aPromptThatIsNotShownInTimeEndsItsCheck() {
    #expect {
      try begin()
    } throws: { error in
      guard case .refused(.presenceFailed(.timedOut, _, _))? = error as? VaultClientError else {
        return false
      }
      return true
    }
  }

  @Test
  func theTimeBehindAnotherPromptDoesNotCount() throws {
    prompt.isQueued = true
    let shown = BackgroundThread { [prompt] in
      for _ in 0..<1000 { sched_yield() }
      prompt.release()
    }
    try begin()
    #expect(shown.join() == nil)
  }

  /// A module of PAM may say more than that the password is wrong.
  @Test(arguments: [
    ("", "that was not the password"),
    ("The account is locked.", "that was not the password (The account is locked)"),
  ])
  func aWrongPasswordIsNamedWithWhatAModuleSays(message: String, notice: String) throws {
    let quiet = try WakeEventBox.make()
    withExtendedLifetime(quiet) {
      view(quiet).show(.failed(.password, .noMatch, message: message, left: [.password]))
    }
    #expect(prompt.notice == notice)
  }

  @Test
  func aPromptThatIsCancelledInTheQueueEndsItsCheck() {
    prompt.isQueued = true
    prompt.cancel()
    #expect {
      try begin()
    } throws: { error in
      guard case .refused(.presenceFailed(.cancelled, _, _))? = error as? VaultClientError else {
        return false
      }
      return true
    }
  }

  /// A second press of the button would be another try.
  @Test
  func anAnswerThatIsGivenTwiceAnswersOneQuestion() throws {
    let quiet = try WakeEventBox.make()
    try withExtendedLifetime(quiet) {
      let view = view(quiet)
      // The person types it before the question is on the screen.
      for _ in 0..<2 { prompt.answer(try Password("wrong")) }
      let limit = BootInstant.now.advanced(bySeconds: 60)
      #expect(try view.answer(to: "Password:", hidden: true, until: limit) != nil)
      #expect(try view.answer(to: "Password:", hidden: true, until: .now) == nil)
      // The next one is taken, and a denial is kept.
      prompt.cancel()
      #expect(try view.answer(to: "Password:", hidden: true, until: limit) == nil)
    }
  }
}
