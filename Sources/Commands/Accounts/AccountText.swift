internal import Configuration
internal import JSON
internal import PlainText
internal import PresenceTerms
internal import VaultInterface

/// How an account is shown, as JSON and as text.
enum AccountText {
  /// The account as JSON, with stable keys.
  ///
  /// Times are in RFC 3339. A missing fact is null, so that every key is always there. `differs`
  /// says whether the provider's file differs from the bound settings; `nil` if it was not
  /// compared.
  static func object(_ account: VaultAccount, differs: Bool? = nil) -> JSONObject {
    [
      "name": .string(account.name),
      "provider": .string(account.provider),
      "kind": .string(account.kind),
      "issuer": .string(account.issuer),
      "subject": optional(account.subject),
      "email": optional(account.email),
      "display_name": optional(account.displayName),
      "role": optional(account.role),
      "email_verified": account.emailVerified.map { .boolean($0) } ?? .null,
      "created_at": time(account.createdAt),
      "claims": .object(account.claims ?? JSONObject()),
      "presence_protection": .boolean(account.presenceProtection),
      "state": .string(state(account)),
      "cause": optional(account.cause),
      "access_token_expires_at": time(account.accessTokenExpiresAt),
      "refreshed_at": time(account.refreshedAt),
      "default": .boolean(account.isDefault),
      "exportable": .boolean(account.exportable ?? false),
      "scope": optional(account.scope),
      "missing_scope": optional(account.missingScope),
      "insecure": .boolean(isInsecure(account)),
      "provider_differs": differs.map { .boolean($0) } ?? .null,
    ]
  }

  /// The advice if several accounts could be meant.
  static let chooseDefault =
    "thumblatch account default NAME sets the default account"

  /// A table of accounts, with lines below for causes, missing scopes and edited provider files.
  static func table(
    _ accounts: [VaultAccount],
    differing: [String: Bool] = [:],
    columns: Int?,
    now: Int64
  ) -> String {
    var table = Table(headings: [
      "account", "provider", "signed in as", "presence", "token", "refreshed", "state",
    ])
    table.whole = [3, 4, 5, 6]
    // `status ACCOUNT` shows it.
    table.expendable = [5]
    for account in accounts {
      table.add(
        account.name + (account.isDefault ? " *" : ""),
        account.provider,
        account.email ?? account.displayName ?? account.subject ?? "-",
        (account.presenceProtection ? "on" : "off")
          + (account.exportable == true ? ", exportable" : ""),
        validity(account, now: now),
        refreshed(account, now: now),
        state(account)
      )
    }
    var text = table.text(columns: columns)
    for account in accounts {
      guard let cause = account.cause, !cause.isEmpty else { continue }
      text += "\n\(PlainText.line(account.name)): \(PlainText.line(cause))"
    }
    for account in accounts {
      guard let missing = account.missingScope else { continue }
      text += "\n\(PlainText.line(account.name)): no longer granted: \(PlainText.line(missing))"
    }
    for account in accounts where endsSoon(account, now: now) {
      text += "\n\(PlainText.line(account.name)): \(endingSoon(account))"
    }
    for account in accounts where isInsecure(account) {
      text += "\n\(PlainText.line(account.name)): insecure, \(ProviderText.plain)"
    }
    for account in accounts where differing[account.name] == true {
      text += "\n\(PlainText.line(account.name)): provider file differs: \(apply(account))"
    }
    return text
  }

  /// One account, a line for each fact.
  static func details(
    _ account: VaultAccount,
    differs: Bool? = nil,
    columns: Int?,
    now: Int64
  ) -> String {
    var table = Table(headings: ["", ""])
    table.add("account", account.name + (account.isDefault ? " (the default account)" : ""))
    table.add("provider", "\(account.provider), \(account.kind)")
    if differs == true { table.add("", "provider file differs: \(apply(account))") }
    table.add("issuer", account.issuer.isEmpty ? "-" : account.issuer)
    if isInsecure(account) { table.add("", "insecure: \(ProviderText.insecure)") }
    let names = [account.displayName, account.email].compactMap { $0 }.filter { !$0.isEmpty }
    table.add("signed in as", names.isEmpty ? "-" : names.joined(separator: ", "))
    table.add("subject", account.subject ?? "-")
    if let isVerified = account.emailVerified {
      table.add("e-mail", isVerified ? "confirmed" : "not confirmed")
    }
    if let role = account.role { table.add("role", role) }
    if let since = account.createdAt {
      table.add("user since", Timestamps.localBrief(Int64(since), now: now))
    }
    table.add(
      "presence",
      account.presenceProtection
        ? "on: \(account.isStatic ? "each use" : "a refresh") needs a presence check" : "off"
    )
    if let scope = account.scope { table.add("scopes", scope) }
    if let missing = account.missingScope {
      let login = "thumblatch login \(account.name)"
      table.add("", "no longer granted: \(missing); to ask for them again: \(login)")
    }
    table.add(account.isStatic ? "secret" : "access token", expiry(account, now: now))
    if endsSoon(account, now: now) { table.add("", endingSoon(account)) }
    table.add(
      account.isStatic ? "stored" : "last refresh",
      account.refreshedAt.map {
        "\(Timestamps.localBrief(Int64($0), now: now)), \(refreshed(account, now: now))"
      } ?? "-"
    )
    table.add("state", state(account))
    if let cause = account.cause, !cause.isEmpty { table.add("cause", cause) }
    return table.text(columns: columns)
  }

  /// Whether the account's tokens go to its provider without TLS.
  private static func isInsecure(_ account: VaultAccount) -> Bool {
    account.issuer.hasPrefix("http://")
  }

  /// The command that binds the current settings of the provider to an account.
  static func apply(_ account: VaultAccount) -> String {
    PlainText.line("thumblatch provider apply \(account.provider) \(account.name)")
  }

  private static func expiry(_ account: VaultAccount, now: Int64) -> String {
    let left = validity(account, now: now)
    guard let end = account.accessTokenExpiresAt, left != "expired" else { return left }
    return "until \(Timestamps.localBrief(Int64(end), now: now)), \(left)"
  }

  /// Whether a static secret ends soon: no refresh renews it.
  private static func endsSoon(_ account: VaultAccount, now: Int64) -> Bool {
    guard account.isStatic, let end = account.accessTokenExpiresAt else { return false }
    let stored = account.refreshedAt.map(Int64.init)
    return Provider.remindsOfEnd(Int64(end), storedAt: stored, now: now)
  }

  private static func endingSoon(_ account: VaultAccount) -> String {
    PlainText.line("the secret expires soon; to replace it: thumblatch store \(account.name)")
  }

  private static func refreshed(_ account: VaultAccount, now: Int64) -> String {
    guard let time = account.refreshedAt else { return "-" }
    let past = now.subtractingReportingOverflow(Int64(time))
    guard !past.overflow, past.partialValue >= 0 else { return "in the future" }
    return "\(Durations.brief(past.partialValue)) ago"
  }

  /// The state as users see it, such as `login-required`.
  static func state(_ account: VaultAccount) -> String {
    switch account.state {
    case .expired: account.presenceProtection ? "locked" : "ready"
    default: String(account.state.rawValue.map { $0 == "_" ? "-" : $0 })
    }
  }

  /// A time as RFC 3339, or null.
  static func time(_ seconds: Int?) -> JSONValue {
    seconds.map { .string(Timestamps.rfc3339(Int64($0))) } ?? .null
  }

  /// A number with the word for it.
  static func counted(_ count: Int, _ what: String) -> String {
    "\(count) \(what)\(count == 1 ? "" : "s")"
  }

  /// A string, or null.
  static func optional(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  private static func validity(_ account: VaultAccount, now: Int64) -> String {
    guard let expiry = account.accessTokenExpiresAt else {
      return account.isStatic ? "no end" : "-"
    }
    // The engine gives out no token that expires within seconds.
    if !account.isStatic, account.state == .locked || account.state == .expired { return "expired" }
    let left = Int64(expiry).subtractingReportingOverflow(now)
    guard !left.overflow, left.partialValue > 0 else { return "expired" }
    return "\(Durations.brief(left.partialValue)) left"
  }
}
