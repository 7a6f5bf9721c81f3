internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

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

  /// The detail of a record, with the reason that the program stated, and its rule.
  static func detail(_ detail: String?, reason: String?, _ caller: Caller) -> String? {
    let parts = [
      detail,
      reason.map { "stated reason \"\($0)\"" },
      caller.isRestricted ? nil : caller.rule?.title,
    ]
    let text = parts.compactMap(\.self).joined(separator: ", ")
    return text.isEmpty ? nil : text
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
      let asked = call.scope.map { ScopeList.scopes(in: $0) ?? [$0] } ?? allowed.sorted()
      guard allowed.isSuperset(of: asked) else {
        throw .outsideRule(rule.title, "another scope than \(Self.listed(allowed))")
      }
      call.scope = asked.joined(separator: " ")
    }
    if let allowed = rule.audiences {
      let asked = call.audience ?? (allowed.count == 1 ? allowed.first : nil)
      guard let asked, allowed.contains(asked) else {
        throw .outsideRule(rule.title, "another audience than \(Self.listed(allowed))")
      }
      call.audience = asked
    }
    if let most = rule.longestLifetime, (call.minimumLifetime ?? 0) > most {
      throw .outsideRule(rule.title, Self.tooLong(most))
    }
    guard !rule.needsReason || call.reason != nil else {
      throw .outsideRule(rule.title, "a call that states no reason (--reason)")
    }
    // It would hold for other callers too.
    guard call.consent != .untilNextLogin else {
      throw .outsideRule(rule.title, "a consent for later calls")
    }
    guard let rate = rule.rate, !callerRates.mayTake(rule.title, rate: rate, at: clock.boot) else {
      return
    }
    throw .outsideRule(rule.title, "more than \(rate) token\(rate == 1 ? "" : "s") an hour")
  }

  /// Refuses a token that lives too long for the rule of its caller, and counts it else.
  func count(_ grant: AccessGrant, under rule: CallerRule?) throws(VaultFailure) {
    guard let rule else { return }
    if let most = rule.longestLifetime {
      let left = grant.expiresAt.map { $0 - clock.wall.seconds } ?? .max
      guard left <= most else { throw .outsideRule(rule.title, Self.tooLong(most)) }
    }
    if let rate = rule.rate { callerRates.take(rule.title, rate: rate, at: clock.boot) }
  }

  private static func tooLong(_ most: Int64) -> String {
    "a token that lives longer than \(most / 60) min"
  }

  private static func listed(_ words: Set<String>) -> String {
    words.sorted().joined(separator: " ")
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
        detail: Self.detail("for an access token", reason: call.reason, call.caller)
      )
    }
    var call = call
    call.prompt = nil
    return try await grantedToken(call)
  }
}

/// How many tokens the callers under each rule got.
struct CallerRates {
  private static let hour: Int64 = 3600

  /// Until when the tokens of each rule are paid for, in nanoseconds since the boot: a token costs the
  /// part of an hour that the rate gives it.
  private var paid: [String: Int64] = [:]

  /// Whether one more token is within the rate.
  func mayTake(_ rule: String, rate: Int, at now: BootInstant) -> Bool {
    let due = (paid[rule] ?? 0) - now.nanoseconds
    return due + Self.price(rate) <= Self.hour * 1_000_000_000
  }

  mutating func take(_ rule: String, rate: Int, at now: BootInstant) {
    paid[rule] = max(paid[rule] ?? 0, now.nanoseconds) + Self.price(rate)
  }

  private static func price(_ rate: Int) -> Int64 { hour * 1_000_000_000 / Int64(rate) }
}
