import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultClient

@testable import ThumblatchKit

/// A check begins when its prompt is shown.
@Suite(.timeLimit(.minutes(10)))
struct PromptDisplayTests {
  private let prompt = PresencePrompt(requester: "a test", account: "me", purpose: "unlock")

  init() {
    prompt.hold()
  }

  /// The view of a prompt that may wait for no time at all.
  private func begin() throws {
    let quiet = try WakeEventBox.make()
    let number = quiet.event.descriptor.number
    let view = PromptView(prompt: prompt, ending: number, interrupt: number, longestDisplay: 0)
    try view.begin(.fingerprint, of: [.fingerprint], isFirst: true)
  }

  @Test
  func aPromptThatIsNotShownInTimeEndsItsCheck() {
    #expect(throws: VaultClientError.self) { try begin() }
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

  @Test
  func aPromptThatIsCancelledInTheQueueEndsItsCheck() {
    prompt.isQueued = true
    prompt.cancel()
    #expect(throws: VaultClientError.self) { try begin() }
  }
}
