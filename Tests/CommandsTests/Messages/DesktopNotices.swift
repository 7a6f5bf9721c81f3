import PresenceTerms
import VaultInterface

@testable import DesktopPrompt

/// The notices of the desktop, and the buttons of its prompts.
enum DesktopNotices {
  static var entries: [String] {
    [
      notice("a use", .refresh, "fingerprint"), notice("a release", .release, "password"),
      notice("a use in an unlock window", .refresh, "unlock-window"),
      notice("a use by a check of a newer engine, and an unknown caller", .refresh, "new", nil),
      entry(
        "a required login",
        NoticeText.content(DesktopNotice(kind: .loginRequired, account: "me", browser: true))
      ),
      entry(
        "a required login without a browser",
        NoticeText.content(DesktopNotice(kind: .loginRequired, account: "me"))
      ),
      entry(
        "a static secret that expires soon",
        NoticeText.content(
          DesktopNotice(kind: .secretExpires, account: "me", expiresAt: 1_800_000_000)
        )
      ),
      entry("a login that failed", NoticeText.failure("the browser was closed", of: "me")),
      ListedErrors.entry(
        "a prompt",
        [DesktopText.password, DesktopText.pin, DesktopText.deny, DesktopText.proceed]
          .map { "[\($0.label)]" }.joined(separator: " ")
      ),
      ListedErrors.entry("a prompt that waited for another one", DesktopText.isReady),
      ListedErrors.entry(
        "no answer of logind",
        "\(DesktopError.notAtDesk(reason: "logind does not answer: timed out"))"
      ),
    ]
  }

  private static func notice(
    _ what: String,
    _ purpose: PresencePurpose,
    _ method: String,
    _ requester: String? = "git, PID 7"
  ) -> String {
    entry(
      what,
      NoticeText.content(
        DesktopNotice(
          kind: .allowed,
          account: "me",
          requester: requester,
          purpose: purpose,
          method: method
        )
      )
    )
  }

  private static func entry(_ what: String, _ content: NotificationBus.Content) -> String {
    let actions = content.actions.map { " [\($0.label)]" }.joined()
    return ListedErrors.entry(what, "\(content.summary): \(content.body)\(actions)")
  }
}
