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
      .wait(seconds: 2, wasWrong: true), .checking, .said("Touch the device."),
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

  /// The window of a password is as wide as its longest word, and must stay on the screen.
  @Test
  func noLineOfAWindowIsWide() {
    let text = "use account 'me' (requested by \"a\"; stated reason, not verified: \""
    let lines = DesktopText.lines(of: text + String(repeating: "x", count: 200) + "\")")
      .split(separator: "\n")
    #expect(lines.count == 4 && lines.allSatisfy { $0.count <= DesktopText.columns }, "\(lines)")
    #expect(lines.joined().count { $0 == "x" } == 200)
  }
}
