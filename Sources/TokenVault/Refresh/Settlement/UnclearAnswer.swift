internal import Configuration
internal import Cryptography
internal import OAuth
internal import Storage
internal import System

/// An answer to a refresh without usable tokens, which does not say that the token is dead.
struct UnclearAnswer: Equatable {
  enum Kind: UInt8 {
    /// A refusal (400, 401, 403) with an empty answer.
    case empty
    /// A refusal with an answer that is no JSON.
    case unreadable
    /// A refusal with an error that is not the provider's word for a dead token.
    case otherError
    /// Any other answer.
    case other
    /// The same as `otherError`, if each earlier try had such an answer too.
    case onlyErrors
    /// More bytes than the exchange helper reads; the status is not known, and counts as 0.
    case tooLarge
    /// A success with a body that is not a JSON object.
    case garbledSuccess
    /// A success without a usable token.
    case uselessSuccess
  }

  /// The HTTP status, or 0.
  let status: Int
  let kind: Kind
  /// The provider's error, if it is known and can be shown.
  var code: String?

  /// The HTTP status; `nil` if it is not known.
  var knownStatus: Int? { status == 0 ? nil : status }

  /// The answer to an earlier try, after a try that could not be sent.
  ///
  /// A refusal no longer counts, unless each try was refused.
  var withoutCount: UnclearAnswer {
    switch kind {
    case .empty, .unreadable, .otherError: UnclearAnswer(status: status, kind: .other)
    case .other, .onlyErrors, .tooLarge, .garbledSuccess, .uselessSuccess: self
    }
  }

  /// The consequence of an answer that may have been a success, with its remedy.
  static let mayBeUsed =
    "the refresh token may have been used; if the next refresh fails too, sign in again"

  /// Whether the provider has refused each try, so that no answer was lost and the refresh token
  /// was not used.
  var leavesNoDoubt: Bool { kind == .onlyErrors }

  /// The answer in our own words, without the provider's error.
  var textWithoutCode: String { UnclearAnswer(status: status, kind: kind).text }

  /// The answer in our own words.
  var text: String {
    switch kind {
    case .empty:
      "the provider refused the refresh token without a reason (HTTP \(status), an empty answer)"
    case .unreadable:
      "the provider refused the refresh token with an answer that is not JSON (HTTP \(status))"
    case .otherError, .onlyErrors:
      "the provider refused the refresh with an error other than a dead token"
        + " (HTTP \(status)\(code.map { ", \($0)" } ?? ""))"
    case .other: "the provider answered \(status)"
    case .tooLarge:
      "the provider's answer to the refresh is larger than"
        + " \(ExchangeOutcome.maximumBodyCount / 1024) KiB, and was not read"
    case .garbledSuccess:
      "the provider answered the refresh with HTTP \(status), but not with a JSON object"
    case .uselessSuccess:
      "the provider answered the refresh with HTTP \(status), but without a usable token"
    }
  }

  /// The remedy if the provider repeats this answer; `nil` if none is known.
  ///
  /// While the last refresh is in doubt, changed settings apply only after a login. A provider with
  /// one token needs no setting: any refusal after the token's end means that a login is required.
  func remedy(for provider: Provider) -> String? {
    let name = provider.name.text
    let settings: String
    switch kind {
    case .unreadable, .otherError, .onlyErrors:
      guard !provider.hasOneToken else { return nil }
      settings =
        kind == .unreadable ? "empty_refusal = true" : "error_field and invalid_grant_value"
    case .tooLarge, .garbledSuccess:
      return "\(Self.mayBeUsed), and check the endpoints in \(name)'s provider file"
    case .uselessSuccess:
      return "\(Self.mayBeUsed), and check the field names in \(name)'s provider file"
    case .empty, .other: return nil
    }
    let step = leavesNoDoubt ? "run thumblatch provider apply \(name)" : "sign in again"
    return "if \(name) answers a dead token like this, set \(settings) in its provider file, then"
      + " \(step)"
  }

  /// The text with its remedy.
  func advice(for provider: Provider) -> String { advice(text, for: provider) }

  /// Another text about the same answer, with its remedy.
  func advice(_ text: String, for provider: Provider) -> String {
    [text, remedy(for: provider)].compactMap { $0 }.joined(separator: "; ")
  }
}

// Some providers refuse a dead refresh token with an empty answer. A server in front of a provider
// may do the same for a while. So one such answer counts as a fault. The second one for the same
// token counts as a refusal. It comes with the next try, ten minutes later at the earliest. Any
// other result between the two resets the count: a lost answer, no connection, 5xx, 429. Both
// answers came over TLS, or from the provider's own program on loopback. No other unclear answer
// counts as a refusal, but each one is reported until the next try.
//
// An error that is not known leaves no doubt about the refresh token, unless an earlier answer was
// lost. It only makes the account wait. If the call asked for other scopes or another audience, the
// error may be about them. So it makes no other caller wait.
//
// The store keeps the id of the try, the status, the kind and the error. This hint is not
// authenticated. A forged hint can ask for a login that is not needed, or hide that an answer was
// lost. It reveals nothing.
extension Vault {
  private static func answerKey(_ account: [UInt8]) -> String {
    "refused:" + Hexadecimal.text(account)
  }

  /// Notes the answer to a try, inside its transaction.
  func note(_ answer: UnclearAnswer, _ intent: IntentRow) throws(StorageError) {
    let status = [answer.status >> 8, answer.status].map { UInt8(truncatingIfNeeded: $0) }
    let code = Array((answer.code ?? "").utf8)
    let bytes = intent.intent + status + [answer.kind.rawValue] + code
    try store.setMeta(Self.answerKey(intent.account), to: bytes)
  }

  /// Forgets the note, inside a transaction.
  func forgetUnclearAnswer(of account: [UInt8]) throws(StorageError) {
    try store.setMeta(Self.answerKey(account), to: nil)
  }

  /// The unclear answer to this try; `nil` if none came, or another result came since.
  func unclearAnswer(to intent: IntentRow?) throws(VaultFailure) -> UnclearAnswer? {
    guard let intent, intent.purpose == .refresh, intent.uncertain else { return nil }
    let known = try stored(try store.meta(Self.answerKey(intent.account)))
    let start = intent.intent.count
    guard let known, known.count >= start + 3, known.starts(with: intent.intent),
      let kind = UnclearAnswer.Kind(rawValue: known[start + 2])
    else { return nil }
    let status = known[start..<start + 2].reduce(0) { $0 << 8 | Int($1) }
    let code = String(decoding: known[(start + 3)...], as: UTF8.self)
    return UnclearAnswer(
      status: status,
      kind: kind,
      code: ProviderClient.isErrorCode(code) ? code : nil
    )
  }

  /// Whether the outcome of the last exchange of an account is not known.
  ///
  /// The provider may have a newer refresh token then.
  func isInDoubt(_ account: AccountRow) throws(VaultFailure) -> Bool {
    guard let intent = try intent(of: account) else { return false }
    return try !leavesNoDoubt(intent)
  }

  /// Why the stored refresh token of an account may be an old one, with the remedy; `nil` if no
  /// exchange leaves that open.
  func doubt(about account: AccountRow) throws(VaultFailure) -> String? {
    guard try isInDoubt(account), let intent = try intent(of: account) else { return nil }
    let why =
      if intent.purpose != .refresh {
        "its last login is not finished"
      } else if let answer = try unclearAnswer(to: intent) {
        "its last refresh had no clear answer (\(answer.text))"
      } else {
        "the answer to its last refresh was lost"
      }
    return "\(why); first run thumblatch token \(account.name)"
  }

  /// Whether each try of a refresh was refused, so that no answer was lost.
  func leavesNoDoubt(_ intent: IntentRow) throws(VaultFailure) -> Bool {
    try unclearAnswer(to: intent)?.leavesNoDoubt == true
  }

  /// The intent of a refresh that was only refused, without its pause; `nil` if there is none.
  ///
  /// The pause after the next refusal is twice as long nevertheless.
  func intentWithoutPause(of account: AccountRow) throws(VaultFailure) -> IntentRow? {
    guard var intent = try intent(of: account), try leavesNoDoubt(intent) else { return nil }
    intent.bootID = clock.bootIdentifier.bytes
    intent.notBefore = clock.boot.nanoseconds
    return intent
  }
}
