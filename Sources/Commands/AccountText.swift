internal import JSON
internal import VaultInterface

/// How an account is shown, as JSON and as text.
enum AccountText {
  /// Stable keys; times in RFC 3339; a missing fact is null, so that every key is always there.
  static func object(_ account: VaultAccount) -> JSONObject {
    [
      "name": .string(account.name),
      "provider": .string(account.provider),
      "kind": .string(account.kind),
      "issuer": .string(account.issuer),
      "subject": optional(account.subject),
      "email": optional(account.email),
      "display_name": optional(account.displayName),
      "presence_protection": .boolean(account.presenceProtection),
      "state": .string(state(account)),
      "cause": optional(account.cause),
      "access_token_expires_at": time(account.accessTokenExpiresAt),
      "refreshed_at": time(account.refreshedAt),
      "default": .boolean(account.isDefault),
    ]
  }

  /// A table of accounts, each with its cause beneath where there is one.
  static func table(_ accounts: [VaultAccount], columns: Int?, now: Int64) -> String {
    var table = Table(headings: [
      "account", "provider", "signed in as", "presence", "access token", "state",
    ])
    for account in accounts {
      table.add(
        account.name + (account.isDefault ? " *" : ""),
        account.provider,
        account.email ?? account.displayName ?? account.subject ?? "-",
        account.presenceProtection ? "on" : "off",
        validity(account, now: now),
        state(account)
      )
    }
    var text = table.text(columns: columns)
    for account in accounts {
      guard let cause = account.cause, !cause.isEmpty else { continue }
      text += "\n\(PlainText.line(account.name)): \(PlainText.line(cause))"
    }
    return text
  }

  /// The state as users meet it: `login-required`.
  static func state(_ account: VaultAccount) -> String {
    String(account.state.rawValue.map { $0 == "_" ? "-" : $0 })
  }

  /// A time as RFC 3339, or null.
  static func time(_ seconds: Int?) -> JSONValue {
    seconds.map { .string(Timestamps.rfc3339(Int64($0))) } ?? .null
  }

  /// A string, or null.
  static func optional(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  private static func validity(_ account: VaultAccount, now: Int64) -> String {
    guard let expiry = account.accessTokenExpiresAt else { return "-" }
    // The engine hands out no token that lasts only some seconds more.
    if account.state == .expired { return "expired" }
    let left = Int64(expiry).subtractingReportingOverflow(now)
    guard !left.overflow, left.partialValue > 0 else { return "expired" }
    return "\(Durations.text(left.partialValue)) left"
  }
}
