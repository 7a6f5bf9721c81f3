import PresenceTerms
import Testing
import VaultInterface

@testable import DesktopPrompt

/// The sentences of a notice.
struct NoticeTextTests {
  @Test(arguments: [
    ("fingerprint", "fingerprint"), ("password", "system password"),
    ("unlock-window", "the open unlock window"), ("<b>new", "another check"),
  ])
  func aUseNamesItsCheckAndIsQuiet(_ method: String, _ words: String) {
    let content = NoticeText.content(
      DesktopNotice(
        kind: .allowed,
        account: "me",
        requester: "git, PID 7",
        purpose: .refresh,
        method: method
      )
    )
    #expect(content.summary == "Account used")
    #expect(content.body == "Allowed by \(words): use account 'me' (requested by git, PID 7)")
    #expect(content.urgency == .low && content.isTransient && content.actions.isEmpty)
  }

  @Test
  func aReleaseIsNamed() {
    let notice = DesktopNotice(
      kind: .allowed,
      account: "me",
      requester: "sh, PID 7",
      purpose: .release,
      method: "password"
    )
    let content = NoticeText.content(notice)
    #expect(content.summary == "Refresh token released")
    #expect(
      content.body == "Allowed by system password: release the refresh token of account 'me'"
        + " (requested by sh, PID 7)"
    )
  }

  @Test
  func aRequiredLoginHasTheActionOrTheCommand() {
    let byBrowser = NoticeText.content(
      DesktopNotice(kind: .loginRequired, account: "me", browser: true)
    )
    #expect(byBrowser.actions.map(\.label) == ["Sign in"])
    #expect(!byBrowser.isTransient && byBrowser.urgency == .normal)
    let byPassword = NoticeText.content(DesktopNotice(kind: .loginRequired, account: "me"))
    #expect(byPassword.actions.isEmpty)
    #expect(byPassword.body.hasSuffix("run: thumblatch login me"))
  }

  /// A private vault beside a service needs an option.
  @Test
  func theCommandIsForTheVaultOfTheNotice() {
    let program = "thumblatch --private"
    let login = NoticeText.content(DesktopNotice(kind: .loginRequired, account: "me"), program)
    #expect(login.body.hasSuffix("run: thumblatch --private login me"))
    let secret = NoticeText.content(DesktopNotice(kind: .secretExpires, account: "me"), program)
    #expect(secret.body.hasSuffix("run: thumblatch --private store me"))
    let failure = NoticeText.failure("no", of: "me", program)
    #expect(failure.body.hasSuffix("run: thumblatch --private login me"))
  }

  @Test
  func aReminderNamesTheEndAndTheCommandAndIsQuiet() {
    let content = NoticeText.content(
      DesktopNotice(kind: .secretExpires, account: "gh", expiresAt: 1_800_000_000)
    )
    #expect(content.summary == "Secret expires soon")
    #expect(content.body.contains("of account 'gh' expires at 2027-01-15T08:00:00Z. "))
    #expect(content.body.hasSuffix("run: thumblatch store gh"))
    // The server keeps it in its list.
    #expect(content.urgency == .low && !content.isTransient && content.actions.isEmpty)
  }

  @Test
  func noTextOfAnotherProgramIsALineOrWithoutEnd() {
    let text = "x\n\u{1B}]0;owned\u{7}\u{202E}" + String(repeating: "y", count: 10_000)
    for kind in NoticeKind.allCases {
      let content = NoticeText.content(
        DesktopNotice(
          kind: kind,
          account: text,
          requester: text,
          purpose: .replace,
          detail: text,
          method: text
        )
      )
      #expect(content.body.unicodeScalars.count < 1000)
      for mark in ["\n", "\u{1B}", "\u{202E}"] { #expect(!content.body.contains(mark)) }
    }
  }

  @Test
  func aFailedLoginSaysWhyInOneLine() {
    let content = NoticeText.failure("x\ny" + String(repeating: "z", count: 1000), of: "me")
    #expect(content.summary == "Login failed" && content.actions.isEmpty)
    #expect(content.body.hasPrefix("Account 'me' was not signed in: x\\u{A}yzz"))
    #expect(content.body.hasSuffix(". At a terminal, run: thumblatch login me"))
    #expect(content.body.utf8.count < 500)
  }
}
