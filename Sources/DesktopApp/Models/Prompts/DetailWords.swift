internal import GTK
internal import PresenceTerms

/// The detail of a prompt, which the vault sends in English, in the language of the person.
///
/// The vault's own words are translated, and the values between them are not. A text of another
/// form stays as it is. Each value stays whole, and the values stay in their English order.
enum DetailWords {
  static func text(_ detail: String, of purpose: PresencePurpose) -> String {
    switch purpose {
    case .refresh: request(detail)
    case .policy: change(detail)
    case .replace, .exportable: replacement(detail)
    case .applyProvider: parts(of: detail, "; ", setting)
    case .remove, .signOut: owner(detail)
    case .enable: first(detail, windows, owner)
    case .unlock: unlocking(detail)
    case .enroll, .deleteFinger: first(detail, [TextForm("the security key '%s'")])
    case .machineKey: first(detail, slots)
    case .setDefault:
      first(
        detail,
        [TextForm("instead of %s"), TextForm("no default account is set; %s is protected")]
      )
    case .restore: first(detail, [TextForm("%s and %s more")])
    case .disable, .release, .rekey, .recover, .test, .rename, .backup, .moveToService,
      .moveToPrivateVault:
      detail
    }
  }

  /// What a token is for, and its scopes.
  private static func request(_ detail: String) -> String {
    // Sent in parts.
    if let scope = TextForm("scope %s").translated(detail) { return scope }
    // The scopes are the last part. They stay as they are.
    var isScope = false
    // Sent in parts.
    return TextForm("%s, scope %s").translated(detail) { value in
      defer { isScope = true }
      return isScope ? value : receivers(value)
    } ?? receivers(detail)
  }

  private static func receivers(_ text: String) -> String {
    parts(of: text, ", ") { first($0, [TextForm("for %s")]) }
  }

  /// The old and the new value of a rule.
  private static func change(_ detail: String) -> String {
    TextForm("%s → %s").translated(detail) { value in
      let values = [TextForm("the default %s"), TextForm("the machine's %s"), TextForm("not set")]
      guard let start = value.firstRange(of: ": ") else { return first(value, values) }
      return value[..<start.upperBound] + first(String(value[start.upperBound...]), values)
    } ?? detail
  }

  /// The owner of an account, the next one, and the end of the protection.
  ///
  /// The vault's own words end the text, so no value hides them.
  private static func replacement(_ detail: String) -> String {
    for end in ends {
      if let found = end.translated(detail, owners(of:)) { return found }
    }
    return owners(of: detail)
  }

  /// The owner of an account, and the next one.
  private static func owners(of text: String) -> String {
    var isNext = false
    return TextForm("%s → %s").translated(text) { value in
      defer { isNext = true }
      return isNext ? first(value, replacements) { first($0, people) } : owner(value)
    } ?? text
  }

  /// The accounts that an unlock window is for, and its length.
  private static func unlocking(_ detail: String) -> String {
    // A label may have the word too, but a quotation mark follows it.
    guard let place = detail.ranges(of: " for ").last, isLength(detail[place.upperBound...])
    else { return accounts(detail) }
    return tr(
      "%s for %s",
      accounts(String(detail[..<place.lowerBound])),
      String(detail[place.upperBound...])
    )
  }

  private static func isLength(_ text: Substring) -> Bool {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return words.count == 2 && Int(words[0]) != nil && ["h", "min", "s"].contains(words[1])
  }

  /// The names of accounts, with the labels of secrets.
  private static func accounts(_ text: String) -> String {
    if let vault = TextForm("the vault").translated(text) { return vault }
    // Neither a name nor a label has a quotation mark.
    let pieces = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
    guard !pieces.count.isMultiple(of: 2) else { return text }
    return pieces.enumerated()
      .map { $0.isMultiple(of: 2) ? $1 : tr("\"%s\"", $1) }
      .joined()
  }

  /// A setting of a provider, with its old and new value.
  private static func setting(_ text: String) -> String {
    // Sent in parts.
    let forms = [TextForm("issuer %s"), TextForm("changed: %s")]
    for form in forms {
      if let found = form.translated(text) { return found }
    }
    // Sent in parts.
    let values = [TextForm("(none)"), TextForm("%s (none)")]
    return TextForm("%s → %s").translated(text) { first($0, values) } ?? text
  }

  /// A person and a provider.
  static func owner(_ text: String) -> String { first(text, owners) }

  private static let owners = [
    TextForm("a person that the provider did not name at %s"),
    TextForm("%s at %s"),
  ]
  private static let replacements = [
    // Sent in parts.
    TextForm("another secret, of %s at %s"),
    // Sent in parts.
    TextForm("another secret at %s"),
    TextForm("a login of another program at %s"),
    // Sent in parts.
    TextForm("a new user at %s"),
    TextForm("a new user %s at %s"),
    // Sent in parts.
    TextForm("at %s"),
    TextForm("%s at %s"),
  ]
  private static let people = [TextForm("a person that the provider does not name")]
  /// The longest comes first.
  private static let ends = [
    TextForm("%s; protection ends for another person, and if the answer names none"),
    TextForm("%s with other settings; protection ends for another person"),
    TextForm("%s with other settings"),
    TextForm("%s; protection ends"),
  ]
  private static let windows = [
    TextForm("of %s, and unlock it until it is idle for %s min"),
    TextForm("of %s, and unlock it until the open unlock window ends"),
    TextForm("and unlock it until it is idle for %s min"),
    TextForm("and unlock it until the open unlock window ends"),
  ]
  private static let slots = [
    TextForm("add tpm"), TextForm("add recovery"), TextForm("add fido2"), TextForm("remove %s"),
  ]

  /// The translation by the first form that fits; the text itself if none does.
  static func first(
    _ text: String,
    _ forms: [TextForm],
    _ translate: (String) -> String = { $0 }
  ) -> String {
    for form in forms {
      if let found = form.translated(text, translate) { return found }
    }
    return text
  }

  /// Translates each part of a text.
  static func parts(
    of text: String,
    _ separator: String,
    _ translate: (String) -> String
  ) -> String {
    text.split(separator: separator, omittingEmptySubsequences: false)
      .map { translate(String($0)) }.joined(separator: separator)
  }
}
