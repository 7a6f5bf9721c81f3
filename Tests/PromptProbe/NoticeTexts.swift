import PresenceTerms
import System
import VaultInterface

@testable import Doctor

/// Notices of an engine, and accounts with a secret.
enum NoticeTexts {
  static let notices =
    [
      DesktopNotice(kind: .loginRequired, account: "m7"),
      DesktopNotice(kind: .secretExpires, account: "m7", expiresAt: 1_800_000_000),
    ]
    + ["fingerprint", "unlock-window", "x7"].map { method in
      DesktopNotice(
        kind: .allowed,
        account: "m7",
        requester: "\"b7\", PID 7",
        purpose: method == "x7" ? .release : .refresh,
        method: method
      )
    }

  /// Findings whose remedies are commands.
  static let findings: [(String, Finding)] = [
    (
      "of an action",
      .warning("accounts", "x7", remedy: "thumblatch login m7", action: .signIn(account: "m7"))
    ),
    ("with two", .warning("store", "x7", remedy: "thumblatch login m7; or: thumblatch logout m7")),
    ("unknown", .warning("store", "x7", remedy: "for x7: thumblatch status, or wait")),
  ]

  /// Each is valid for so many seconds, and was stored so many before.
  private static let lives = [
    ("of a day", 86_000, 86_400), ("soon", 4 * 86_400 + 86_000, 86_400),
    ("later", 15 * 86_400, 86_400), ("of an hour", 3600, 10),
  ]

  static var secrets: [(String, VaultAccount)] {
    let now = Int(WallTime.now.seconds)
    return lives.map { name, left, age in
      let account = VaultAccount(
        name: "m7",
        provider: "p7",
        kind: "static",
        issuer: "",
        presenceProtection: false,
        state: .ready,
        accessTokenExpiresAt: now + left,
        refreshedAt: now - age,
        isDefault: false
      )
      return (name, account)
    }
  }
}
