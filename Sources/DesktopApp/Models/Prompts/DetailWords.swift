internal import GTK
internal import PresenceTerms

/// The detail of a prompt, which the vault sends in English, in the language of the person.
///
/// Only the words of the vault are translated, and no value of them. A text of another form stays as
/// it is. Each value stays whole, and the values stay in their order in the English text.
enum DetailWords {
  static func text(_ detail: String, of purpose: PresencePurpose) -> String {
    switch purpose {
    case .refresh: request(detail)
    case .policy: change(detail)
    case .replace, .exportable: replacement(detail)
    case .applyProvider: parts(of: detail, "; ") { first($0, provider) }
    case .remove, .signOut: owner(detail)
    case .enable: first(detail, windows, owner)
    case .unlock: first(detail, unlocking)
    case .enroll, .deleteFinger: first(detail, [TextForm("the security key '%s'")])
    case .machineKey: first(detail, slots)
    case .setDefault: first(detail, [TextForm("instead of %s")])
    case .restore: first(detail, [TextForm("%s and %s more")])
    case .disable, .release, .rekey, .recover, .test, .rename, .backup, .moveToService,
      .moveToPrivateVault:
      detail
    }
  }

  /// What a token is for, and its scopes.
  private static func request(_ detail: String) -> String {
    if let scope = TextForm("scope %s").translated(detail) { return scope }
    // The scopes are the last part. They stay as they are.
    var isScope = false
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

  /// The owner of an account, and the next one.
  private static func replacement(_ detail: String) -> String {
    var isNext = false
    return TextForm("%s → %s").translated(detail) { value in
      defer { isNext = true }
      return isNext ? first(value, replacements) { first($0, people + ends) } : owner(value)
    } ?? detail
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
    TextForm("a login of another program at %s; %s"),
    TextForm("a new user at %s; protection ends"),
    TextForm("a new user %s at %s; protection ends"),
    TextForm("at %s with other settings; protection ends for another person"),
    TextForm("%s at %s with other settings; protection ends for another person"),
    TextForm("%s at %s with other settings"),
    TextForm("at %s; protection ends"),
    TextForm("%s at %s; protection ends"),
  ]
  private static let people = [TextForm("a person that the provider does not name")]
  private static let ends = [
    // Sent in parts.
    TextForm("protection ends for another person, and if the answer names none")
  ]
  private static let windows = [
    TextForm("of %s, and unlock it until it is idle for %s min"),
    TextForm("of %s, and unlock it until the open unlock window ends"),
    TextForm("and unlock it until it is idle for %s min"),
    TextForm("and unlock it until the open unlock window ends"),
  ]
  private static let unlocking = [
    TextForm("the vault"), TextForm("the vault for %s"), TextForm("%s for %s"),
  ]
  private static let slots = [
    TextForm("add tpm"), TextForm("add recovery"), TextForm("add fido2"), TextForm("remove %s"),
  ]
  private static let provider = [TextForm("issuer %s"), TextForm("changed: %s")]

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
