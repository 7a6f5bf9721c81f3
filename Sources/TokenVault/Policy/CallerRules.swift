internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import Storage

// Programs that act alone get tokens under a rule.
extension Vault {
  /// The reason that a program states.
  ///
  /// - Throws: `invalidArgument` for a text that cannot be shown as one line.
  static func stated(_ reason: String?) throws(VaultFailure) -> String? {
    guard let reason, !reason.isEmpty else { return nil }
    let most = CallerRule.longestReason
    guard reason.unicodeScalars.count <= most else {
      throw .invalidArgument("the reason may have at most \(most) characters")
    }
    // It stands in quotes, which it must not end.
    let quotes = reason.replacing("\"", with: "'")
    return PlainText.line(quotes, limit: .max)
  }

  /// The detail of a record, with the reason that the program stated.
  static func detail(_ detail: String?, reason: String?) -> String? {
    guard let reason else { return detail }
    return (detail.map { $0 + ", " } ?? "") + "stated reason \"\(reason)\""
  }

  /// Changes a call to what the rule of its caller leaves of it.
  ///
  /// Nothing of the vault is read, so that the answer does not tell whether an account exists.
  ///
  /// - Throws: `outsideRule`.
  func apply(_ rule: CallerRule?, to call: inout TokenCall) throws(VaultFailure) {
    guard let rule else { return }
    call.account = try account(call.account, under: rule)
    if let allowed = rule.scopes {
      let asked = call.scope.map { ScopeList.scopes(in: $0) ?? [$0] } ?? allowed
      guard asked.allSatisfy(allowed.contains) else {
        throw .outsideRule(rule.title, "another scope than \(allowed.joined(separator: " "))")
      }
      call.scope = asked.joined(separator: " ")
    }
    // It would hold for other callers too.
    guard call.consent != .untilNextLogin else {
      throw .outsideRule(rule.title, "a consent for later calls")
    }
  }

  /// Refuses an account that is not one of the rule's.
  ///
  /// - Throws: `outsideRule`.
  func demand(_ account: String, under rule: CallerRule?) throws(VaultFailure) {
    guard let rule, let allowed = rule.accounts, !allowed.contains(account) else { return }
    throw .outsideRule(rule.title, "this account")
  }

  /// The account that a call under a rule means.
  ///
  /// - Throws: `outsideRule`.
  func account(_ name: String?, under rule: CallerRule?) throws(VaultFailure) -> String? {
    if let name {
      try demand(name, under: rule)
      return name
    }
    guard let rule, let allowed = rule.accounts else { return nil }
    guard allowed.count == 1, let only = allowed.first else {
      throw .invalidArgument(
        "name one of the accounts of the \(rule.title): \(allowed.sorted().joined(separator: ", "))"
      )
    }
    return only
  }

  /// A token for a caller of which each token needs a check of its own.
  func checkedToken(
    _ call: TokenCall
  ) async throws(VaultFailure) -> (AccessGrant, TokenCacheKey) {
    try demandCurrentStore()
    let account = try account(named: call.account)
    let asked = try request(call.scope, call.audience, of: account)
    let question = call.question(about: account, asked)
    let wanted = try lifetime(call)
    let stored = try storedGrant(of: account, asked, wanted: wanted)
    let isStored = stored != nil && stored?.accessToken != call.rejected
    guard let prompt = call.prompt else {
      if !isStored { _ = try refreshable(account, asked, wanted, call.consent) }
      throw try await askForPresence(question, account: account.name, caller: call.caller)
    }
    if try protectionClass(of: account) == .presence, !isStored {
      // The refresh spends the proof, unless another caller's refresh has just brought a token.
      _ = try await waitForLeader(of: prompt, question, call.caller)
      return try await grantedToken(call)
    }
    let method = try spend(prompt, question, call.caller)
    try change {
      try record(
        .check,
        .done,
        account,
        by: call.caller,
        method: method.rawValue,
        detail: Self.detail("for an access token", reason: call.reason)
      )
    }
    var call = call
    call.prompt = nil
    return try await grantedToken(call)
  }
}
