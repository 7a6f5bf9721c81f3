internal import Configuration
internal import GTK
internal import PlainText
internal import PresenceTerms
internal import System
internal import VaultInterface

/// An account in words and icons, safe to show.
struct AccountWords {
  let account: VaultAccount

  /// A line of text from outside.
  private func line(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return PlainText.line(text)
  }

  var name: String { PlainText.line(account.name) }
  var provider: String { PlainText.line(account.provider) }
  var issuer: String? { line(account.issuer) }
  var person: String? { line(account.displayName) }
  var email: String? {
    line(account.email).map { account.emailVerified == false ? tr("%s (not confirmed)", $0) : $0 }
  }
  var subject: String? { line(account.subject) }
  var role: String? { line(account.role) }
  var scopes: String? { line(account.scope) }
  var missing: String? { line(account.missingScope) }

  /// Whether it keeps a secret, and has no login.
  var isStatic: Bool { account.isStatic }

  /// Whether it keeps an item of the Secret Service, which belongs to no host.
  var isOfSecretService: Bool { account.provider == Provider.secretServiceName }

  /// Whether it has no token, until its person signs in or stores the secret again.
  var isOut: Bool { account.state == .signedOut || account.state == .loginRequired }

  /// Within how many days its static secret expires, if the person must replace that soon.
  private var daysLeft: Int? {
    guard !isOut, case .endsSoon(let days) = AccountValidity(of: account, at: now)
    else { return nil }
    return days
  }

  private var now: Int { Int(WallTime.now.seconds) }

  /// How the person replaces a secret that is missing or expires soon; `nil` if there is none.
  var remedy: String? {
    // The program that uses the Secret Service stores its own items.
    guard isStatic, !isOfSecretService else { return nil }
    // Not translated: a command.
    let command = "thumblatch store " + PlainText.line(account.name, limit: 64)
    if isOut { return tr("Store its secret again, in a terminal: %s", command) }
    guard daysLeft != nil else { return nil }
    return tr(
      "The secret expires soon. Make another one at its host, then store it, in a terminal: %s",
      command
    )
  }

  /// The state in words.
  var state: String {
    switch account.state {
    case .ready: tr("Ready")
    case .expired where !account.presenceProtection: tr("Ready")
    case .locked, .expired: tr("Needs a presence check")
    case .refreshing: tr("Refreshing")
    case .uncertain: tr("Waiting for the provider")
    case .loginRequired where isStatic: tr("Needs its secret again")
    case .loginRequired: tr("Needs a sign-in")
    case .signedOut: tr("Signed out")
    }
  }

  /// The icon of the state.
  var icon: String {
    if daysLeft != nil { return "dialog-warning-symbolic" }
    return switch account.state {
    case .ready: "emblem-ok-symbolic"
    case .expired where !account.presenceProtection: "emblem-ok-symbolic"
    case .locked, .expired: "changes-prevent-symbolic"
    case .refreshing, .uncertain: "emblem-synchronizing-symbolic"
    case .loginRequired: "dialog-warning-symbolic"
    case .signedOut: "system-log-out-symbolic"
    }
  }

  /// Why the account is in that state, if the vault says so.
  var cause: String? { line(account.cause).map(FindingWords.clause) }

  var protection: String { account.presenceProtection ? tr("protected") : tr("not protected") }

  /// When the access token, or the secret of a static account, expires or has expired.
  var expiry: String? {
    guard let end = account.accessTokenExpiresAt else { return nil }
    guard now < end else { return tr("Expired %s", LocalTime.text(end)) }
    let until = tr("Valid until %s", LocalTime.text(end))
    return [until, daysLeft.map(Self.expiring)].compactMap(\.self).joined(separator: " · ")
  }

  private static func expiring(within days: Int) -> String {
    ntr("Expires within %d day", "Expires within %d days", days)
  }

  var refreshed: String? { account.refreshedAt.map { LocalTime.text($0) } }

  /// The time or the day until which its token is valid; `nil` if there is no valid one.
  private var validity: String? {
    if let daysLeft { return Self.expiring(within: daysLeft) }
    guard !isOut, let end = account.accessTokenExpiresAt, now < end else { return nil }
    return tr("Valid until %s", LocalTime.short(end, now: now))
  }

  /// The lines that the list shows below the name.
  var summary: [String] {
    [[state, protection, provider].joined(separator: " · "), validity].compactMap(\.self)
  }
}

extension VaultAuditRecord {
  /// When it was, and which program asked.
  var when: String {
    [LocalTime.text(time), requester.map { RequesterWords.text(PlainText.line($0, limit: 120)) }]
      .compactMap(\.self).joined(separator: " · ")
  }
}
