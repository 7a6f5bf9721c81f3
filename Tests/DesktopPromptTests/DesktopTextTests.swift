import PresenceTerms
import Testing
import VaultClient

@testable import DesktopPrompt

/// The sentences of a notification.
struct DesktopTextTests {
  @Test
  func aNotificationNamesNoKey() throws {
    let events: [PresenceEvent] = [
      .queued, .touch(finger: "right-index", scan: .press), .retry(.tooShort),
      .wait(seconds: 2, wasWrong: true), .checking,
      .failed(.fingerprint, .noMatch, message: "", left: [.fingerprint, .password]),
      .failed(.fingerprint, .notAvailable, message: "", left: [.password]),
      .failed(.password, .noMatch, message: "", left: [.password]),
    ]
    for event in events {
      let text = try #require(DesktopText.remark(event, .press))
      #expect(!text.contains("Enter"), "\(text)")
    }
    #expect(DesktopText.remark(.waiting, .press) == nil)
    #expect(!DesktopText.isReady.contains("Enter"))
  }
}
