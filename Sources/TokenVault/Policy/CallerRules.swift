internal import AuditLog
package import Configuration
internal import Cryptography
internal import OAuth
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import Storage
internal import Synchronization
internal import System

// Unattended programs get tokens under a rule.
extension Vault {
  /// The user's own rules for callers.
  package func ownCallerRules() throws(VaultFailure) -> [NamedRule] {
    let rules = try ownRules().callers
    callerRulesOfUser.note(areThere: !rules.isEmpty)
    return rules
  }

  /// Whether an agent may see prompts and notices: a program under a rule of the user's own may
  /// not.
  func mayShow(_ agent: Caller) throws(VaultFailure) -> Bool {
    let rules = try ownCallerRules()
    guard !rules.isEmpty else { return true }
    return agent.marks.map { rules.rule(for: $0) == nil } ?? false
  }

  /// The reason that a program states; `nil` if it states none that a person can see.
  ///
  /// - Throws: `invalidArgument` for a text that cannot be shown as one line.
  package static func stated(_ reason: String?) throws(VaultFailure) -> String? {
    guard let reason, !reason.isEmpty else { return nil }
    let most = CallerRule.longestReason
    let tooLong = VaultFailure.invalidArgument("the reason may have at most \(most) characters")
    // A scalar has at most four bytes. A longer text is not looked at.
    guard reason.utf8.count <= 4 * most else { throw tooLong }
    guard reason.unicodeScalars.contains(where: Self.isVisible) else { return nil }
    // It is shown in quotes, so it must not contain a closing quote.
    let text = String(String.UnicodeScalarView(reason.unicodeScalars.map(Self.unquoted)))
    let shown = PlainText.line(text, limit: .max)
    guard shown.unicodeScalars.count <= most else { throw tooLong }
    return shown
  }

  /// Whether a person sees a character: a letter, a digit, a sign or a symbol.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint,
      // Braille without a dot.
      scalar != "\u{2800}"
    else { return false }
    return switch properties.generalCategory {
    case .control, .format, .privateUse, .surrogate, .unassigned: false
    default: true
    }
  }

  /// A plain apostrophe in place of a quotation mark.
  private static func unquoted(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    case .initialPunctuation, .finalPunctuation: "'"
    default: scalar == "\"" ? "'" : scalar
    }
  }

  /// The detail of a record, with the reason that the program stated, and its rule.
  static func detail(_ detail: String?, reason: String?, _ caller: Caller) -> String? {
    joined([detail, reason.map(quoted), caller.isRestricted ? nil : caller.rule?.title])
  }

  /// The detail of a record, with the reason that the program stated for its check.
  static func withReason(_ detail: String?, _ reason: String?) -> String? {
    joined([detail, reason.map(quoted)])
  }

  private static func quoted(_ reason: String) -> String { "stated reason \"\(reason)\"" }

  private static func joined(_ parts: [String?]) -> String? {
    let text = parts.compactMap(\.self).joined(separator: ", ")
    return text.isEmpty ? nil : text
  }

  /// Applies the rule of the caller to a call.
  ///
  /// It reads nothing of the vault. So the answer does not reveal whether an account exists.
  ///
  /// - Throws: `outsideRule`.
  func apply(_ rule: CallerRule?, to call: inout TokenCall) throws(VaultFailure) {
    guard let rule else { return }
    call.account = try account(call.account, under: rule)
    if let allowed = rule.scopes {
      let asked = call.scope.map { ScopeList.scopes(in: $0) ?? [$0] } ?? allowed.sorted()
      // An empty list would mean the usual scopes.
      guard !asked.isEmpty, allowed.isSuperset(of: asked) else {
        throw .outsideRule(rule.title, "another scope than \(CallerRule.listed(allowed))")
      }
      call.scope = asked.joined(separator: " ")
    }
    if let allowed = rule.audiences {
      let asked = call.audience ?? (allowed.count == 1 ? allowed.first : nil)
      guard let asked, allowed.contains(asked) else {
        throw .outsideRule(rule.title, "another audience than \(CallerRule.listed(allowed))")
      }
      call.audience = asked
    }
    if let most = rule.longestLifetime, (call.minimumLifetime ?? 0) > most {
      throw .outsideRule(rule.title, Self.tooLong(most))
    }
    guard !rule.needsReason || call.reason != nil else {
      throw .outsideRule(rule.title, "a call that states no reason (--reason)")
    }
    // A narrowed login would concern other callers too.
    guard call.consent == .notGiven else {
      throw .outsideRule(rule.title, "a consent to a narrowed login")
    }
    for rate in rule.rates where !ruleState.rates.mayTake(rate, at: clock.boot) {
      throw .outsideRule(
        rule.title,
        "more than \(rate.number) token\(rate.number == 1 ? "" : "s") an hour"
      )
    }
    ruleState.rates.take(rule.rates, at: clock.boot)
  }

  /// Refunds a caller the rates of its rule that a failed call has used.
  func giveBackRates(of rule: CallerRule?) { ruleState.rates.giveBack(rule?.rates ?? []) }

  /// Whether a rate still counts tokens that a caller got, which a closed vault would forget.
  var isAnyRateOwed: Bool { ruleState.rates.isOwed(at: clock.boot) }

  /// Refuses a token that is not within the rule of its caller.
  func demand(_ grant: AccessGrant, within rule: CallerRule?) throws(VaultFailure) {
    guard let rule else { return }
    if let most = rule.longestLifetime {
      let left = grant.expiresAt.map { $0 - clock.wall.seconds } ?? .max
      guard left <= most else { throw .outsideRule(rule.title, Self.tooLong(most)) }
    }
    if let allowed = rule.scopes, let scope = grant.scope {
      // A list that cannot be read is not within the rule.
      guard let granted = ScopeList.scopes(in: scope), allowed.isSuperset(of: granted) else {
        throw .outsideRule(
          rule.title,
          "a token with more scopes than \(CallerRule.listed(allowed))"
        )
      }
    }
  }

  /// Records a token for which its caller has stated a reason.
  ///
  /// A helper states one at each call of its tool, so that is recorded only if a rule wants it.
  func recordReason(_ grant: AccessGrant, _ call: TokenCall) throws(VaultFailure) {
    let isStated = call.reason != nil && call.tool == nil && grant.opened == nil
    guard call.caller.rule?.needsReason == true || isStated, !call.caller.needsOwnCheck
    else { return }
    let account = try account(named: grant.account)
    guard takeReasonRecord(of: account.id) else { return }
    try change { try recordToken(of: account, call, method: nil) }
  }

  private func recordToken(
    of account: AccountRow,
    _ call: TokenCall,
    method: PresenceMethod?
  ) throws(VaultFailure) {
    try record(
      .accessToken,
      .done,
      account,
      by: call.caller,
      method: method?.rawValue,
      detail: Self.detail(nil, reason: call.reason, call.caller)
    )
  }

  private static func tooLong(_ most: Int64) -> String {
    "a token that lives longer than \(most / 60) min"
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

  /// A token for a caller under `presence = each`.
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
    // No person is asked for a token that would be refused.
    if let stored, isStored { try demand(stored, within: call.caller.rule) }
    guard let prompt = call.prompt else {
      if !isStored { _ = try refreshable(account, asked, wanted, call.consent) }
      throw try await askForPresence(question, account: account.name, caller: call.caller)
    }
    if try protectionClass(of: account) == .presence, !isStored {
      // The refresh spends the proof. Another prompt's check does not count.
      if try await waitForLeader(of: prompt, question, call.caller) {
        throw try await askForPresence(question, account: account.name, caller: call.caller)
      }
      return try await grantedToken(call)
    }
    let method = try spend(prompt, question, call.caller)
    try change { try recordToken(of: account, call, method: method) }
    var call = call
    call.prompt = nil
    return try await grantedToken(call)
  }
}

/// How many tokens the callers under each rule got.
///
/// A token costs the part of an hour that the rate gives it. An hour may be owed at most.
struct CallerRates {
  private static let hour: Int64 = 3600 * 1_000_000_000

  /// Until when the tokens of each rule are paid for, in nanoseconds since the boot.
  private var paid: [String: Int64] = [:]

  /// Whether a later call depends on what was counted.
  func isOwed(at now: BootInstant) -> Bool { paid.values.contains { $0 > now.nanoseconds } }

  /// Whether one more token is within the rate.
  func mayTake(_ rate: CallerRule.Rate, at now: BootInstant) -> Bool {
    max(0, (paid[rate.rule] ?? 0) - now.nanoseconds) + Self.price(rate) <= Self.hour
  }

  /// Counts a token.
  mutating func take(_ rates: [CallerRule.Rate], at now: BootInstant) {
    for rate in rates {
      paid[rate.rule] = max(paid[rate.rule] ?? 0, now.nanoseconds) + Self.price(rate)
    }
  }

  /// Undoes the count of a token that was not handed out.
  mutating func giveBack(_ rates: [CallerRule.Rate]) {
    for rate in rates { paid[rate.rule]? -= Self.price(rate) }
  }

  private static func price(_ rate: CallerRule.Rate) -> Int64 { hour / Int64(rate.number) }
}

/// Whether the user of a vault has rules for callers, readable outside the actor.
package struct CallerRulesOfUser: ~Copyable, Sendable {
  private static let (unknown, none, some) = (0, 1, 2)
  private let state = Atomic(unknown)

  /// Whether the user is known to have none.
  package var isEmpty: Bool { state.load(ordering: .acquiring) == Self.none }

  func note(areThere: Bool) {
    state.store(areThere ? Self.some : Self.none, ordering: .releasing)
  }

  func forget() { state.store(Self.unknown, ordering: .releasing) }
}
