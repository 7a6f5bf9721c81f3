internal import GTK
internal import PresenceTerms
internal import VaultInterface

/// The detail of an audit record, which the vault writes in English, in the language of the person.
///
/// A text of another form stays as it is.
enum AuditDetailWords {
  static func text(_ detail: String, of record: VaultAuditRecord) -> String {
    switch record.event {
    case "unlock": unlocking(detail)
    case "protection": DetailWords.first(detail, switches)
    case "presence-check": check(detail, about: record.account)
    case "enrollment", "finger-deletion": device(detail, FingerWords.words)
    case "key-enrollment": device(detail) { $0 }
    case "fingers-changed": EngineWords.fingers(detail)
    case "refusal": DetailWords.parts(of: detail, ", ", refusal)
    case "policy-changed": DetailWords.text(detail, of: .policy)
    case "provider-applied": DetailWords.text(detail, of: .applyProvider)
    case "store-recovered":
      TextForm("%s; %s accounts need a login").translated(detail) {
        DetailWords.first($0, recoveries)
      } ?? detail
    default: other(detail)
    }
  }

  private static func other(_ detail: String) -> String {
    if let found = TextForm("by root; %s").translated(detail, other) { return found }
    if let found = TextForm("provider unavailable: %s").translated(detail, unavailable) {
      return found
    }
    let found = DetailWords.first(detail, wholes + reasons, FindingWords.clause)
    guard found == detail else { return found }
    return DetailWords.parts(of: detail, ", ") { fact in
      if let rule = Clause(english: fact, rules) { return tr("under %s", rule.text) }
      return DetailWords.first(fact, facts, FindingWords.clause)
    }
  }

  /// The accounts of an unlock window, and how long it lasts.
  private static func unlocking(_ detail: String) -> String {
    // The name of an account has no space, and may be the last word too.
    var parts = detail.split(separator: ", ").map(String.init)
    if parts.count > 1 {
      // Sent in parts.
      let forms = [TextForm("sliding")]
      parts.append(DetailWords.first(parts.removeLast(), forms))
    }
    if let first = parts.first { parts[0] = DetailWords.first(first, [TextForm("all accounts")]) }
    return parts.joined(separator: ", ")
  }

  /// A finger or a key, and why it was not enrolled.
  private static func device(_ detail: String, _ name: (String) -> String) -> String {
    guard let end = detail.firstRange(of: ": ") else { return name(detail) }
    return name(String(detail[..<end.lowerBound])) + ": "
      + outcome(String(detail[end.upperBound...]))
  }

  /// What a check was for, and why it did not pass.
  private static func check(_ detail: String, about account: String?) -> String {
    let code = detail.prefix { $0 != ":" }
    guard let purpose = PresencePurpose(rawValue: String(code)) else { return other(detail) }
    let question = tr("asked to %s", PurposeWords.clause(of: purpose, account, nil))
    let rest = detail.dropFirst(code.count)
    return rest.isEmpty ? question : question + ": " + outcome(String(rest.dropFirst(2)))
  }

  /// Why a check did not pass, as `no_match (reason)`.
  private static func outcome(_ text: String) -> String {
    let code = text.prefix { $0 != " " }
    guard let outcome = PresenceOutcome(rawValue: String(code)) else { return text }
    let rest = text.dropFirst(code.count)
    guard rest.hasPrefix(" ("), rest.hasSuffix(")") else { return words(of: outcome) + rest }
    let reason = EngineWords.clause(String(rest.dropFirst(2).dropLast()))
    return "\(words(of: outcome)) (\(reason))"
  }

  private static func words(of outcome: PresenceOutcome) -> String {
    switch outcome {
    case .cancelled: tr("cancelled")
    case .passwordChosen: tr("password chosen")
    case .notAvailable: tr("not available")
    case .notEnrolled: tr("nothing enrolled")
    case .lockedOut: tr("locked out")
    case .noMatch: tr("no match")
    case .timedOut: tr("timed out")
    case .busy: tr("in use")
    case .denied: tr("denied")
    }
  }

  /// Why the provider was not reached.
  private static func unavailable(_ text: String) -> String {
    switch UnavailableReason(rawValue: text.replacing(" ", with: "_")) {
    case .notAnswering: tr("it does not answer")
    case .authority: tr("its certificate is of an unknown authority")
    case .expired: tr("its certificate has expired")
    case .notYetValid: tr("its certificate is not valid yet")
    case .name: tr("its certificate is for another host")
    case .certificate: tr("its certificate cannot be used")
    case .pin: tr("its key is not pinned")
    case .listener: tr("another user's program listens there")
    case .uncertain: tr("the answer was lost")
    case .refusedOnce: tr("it refused once without a reason")
    case nil: text
    }
  }

  /// How often a program was refused, and why.
  private static func refusal(_ text: String) -> String {
    // Sent in parts.
    if let others = TextForm("by others").translated(text) { return others }
    var isCause = false
    return TextForm("%s × %s").translated(text) { value in
      defer { isCause = true }
      guard isCause else { return value }
      if let found = TextForm("check %s").translated(value, outcome) { return found }
      return DetailWords.first(value, refusals) { DetailWords.first($0, rules) }
    } ?? text
  }

  private static let switches = [TextForm("on"), TextForm("off")]
  private static let refusals = [
    TextForm("busy"), TextForm("too many prompts"), TextForm("policy"), TextForm("outside the %s"),
    TextForm("release of an account that is not exportable"),
  ]
  /// The titles of rules for callers.
  private static let rules = [
    // Sent in parts.
    TextForm("user's rule \"%s\""),
    // Sent in parts.
    TextForm("rule \"%s\""),
    TextForm("restricted socket \"%s\""),
  ]
  /// The details that may have a comma.
  private static let wholes = [
    TextForm("revoked"),
    TextForm("erased here, not revoked"),
    TextForm("erased here, unknown whether revoked"),
    TextForm("into the service"),
    TextForm("into the service; it stays here"),
    TextForm("into the private vault"),
    TextForm("into the private vault; it stays here"),
    TextForm("the screen was locked"),
    TextForm("the computer sleeps"),
    TextForm("another session has the seat"),
    TextForm("the session has ended"),
    TextForm("the uid has another user name"),
    TextForm("root removed the vault"),
    TextForm("opened with the recovery code"),
    TextForm("added a slot: %s"),
    TextForm("removed slot %s"),
    TextForm("%s records removed, up to number %s"),
    // Sent in parts.
    TextForm("%s tokens, %s prints; under the machine key now"),
    // Sent in parts.
    TextForm("%s tokens, %s prints"),
  ]
  /// Why the vault was accepted as it is.
  private static let recoveries = [
    TextForm("nothing was seen"),
    TextForm("older than the rollback counter"),
    TextForm("newer than the rollback counter"),
    TextForm("the rollback counter was missing"),
    TextForm("the rollback counter was damaged"),
    TextForm("the store was lost"),
    TextForm("a part was restored"),
    TextForm("older than the machine key"),
    TextForm("the directory was older than the TPM's counter"),
    TextForm("older than the TPM's ledger"),
    TextForm("not accepted after an old directory"),
    TextForm("the TPM's ledger was missing or damaged"),
    TextForm("the TPM's counter was replaced"),
  ]
  /// The details that end with a reason, which may have several parts.
  private static let reasons = [
    TextForm("uncertain: %s"),
    TextForm("the login was not kept: %s"),
  ]
  private static let facts =
    [
      TextForm("generation %s"),
      TextForm("for %s"),
      // Sent in parts.
      TextForm("scope %s"),
      TextForm("expires at %s"),
      TextForm("exportable"),
      TextForm("protection on"),
      // Sent in parts.
      TextForm("protection off"),
      TextForm("not granted: %s"),
      TextForm("as the access token"),
      // Sent in parts.
      TextForm("and %s times before"),
      // Sent in parts.
      TextForm("%s times without a check"),
      // Sent in parts.
      TextForm("%s times"),
      // Sent in parts.
      TextForm("with a reason"),
      // Sent in parts.
      TextForm("of %s accounts"),
      TextForm("no usable access token"),
      TextForm("the access token waits for the provider's keys"),
      TextForm("kept here"),
      TextForm("signed out here"),
      TextForm("signed in"),
      TextForm("it has to sign in again"),
      TextForm("was %s"),
      TextForm("its refresh token is in the backup"),
      TextForm("the policy was changed"),
      // Sent in parts.
      TextForm("%s accounts"),
      // Sent in parts.
      TextForm("%s refresh tokens"),
      TextForm("login required"),
      TextForm("provider unavailable"),
      TextForm("offline"),
      TextForm("misconfigured"),
      TextForm("failed"),
      TextForm("refused, status %s"),
    ]
}
