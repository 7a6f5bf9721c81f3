internal import GTK
internal import VaultInterface

/// The findings of the doctor, which it writes in English, in the language of the person.
///
/// The doctor's own words are translated, and so are the errors of other rooms in them. Other
/// values, such as a command, are not. A text of another form stays as it is.
package enum FindingWords {
  /// The name of the checked thing.
  package static func title(_ name: String) -> String {
    switch name {
    case "accounts": tr("Accounts")
    case "audit-log": tr("Audit log")
    case "certificates": tr("Certificates")
    case "clock": tr("Clock")
    case "clock-audit": tr("Clock and audit log")
    case "device-secret": tr("Device secret")
    case "engine": tr("Engine")
    case "environment": tr("Environment")
    case "free-space": tr("Free space")
    case "locale": tr("Locale")
    case "login-events": tr("Login events")
    case "memory": tr("Memory")
    case "open-files": tr("Open files")
    case "password": tr("Password")
    case "policy": tr("Policy")
    case "programs": tr("Programs")
    case "providers": tr("Providers")
    case "proxy": tr("Proxy")
    case "reader": tr("Reader")
    case "rollback-counter": tr("Rollback counter")
    case "security-keys": tr("Security keys")
    case "service-socket": tr("Service socket")
    case "slots": tr("Slots")
    case "state-directory": tr("State directory")
    case "store": tr("Store")
    case "store-files": tr("Store files")
    case "token-files": tr("Token files")
    case "tpm-counter": tr("TPM counter")
    case "transfer": tr("Transfer")
    // The name of a program or a library.
    default: name
    }
  }

  /// What was found.
  static func message(_ text: String) -> Clause {
    // A file's flaw may begin like a finding.
    if let flaw = ErrorWords.flaw(text) { return flaw }
    if let found = Clause(english: text, ofMachine + ofVault, translated) { return found }
    if let engine = engine.translated(text, form) { return Clause(engine) }
    // Some errors begin like a finding with a list.
    let other = translated(text)
    guard other.start == .unknown else { return other }
    return Clause(english: text, lists, list) ?? other
  }

  /// What to do about it; a command in it stays as it is typed.
  static func remedy(_ text: String) -> Clause {
    if let found = Clause(english: text, [variables], list) { return found }
    let found = Clause(english: text, remediesOfMachine + remediesOfVault) { value in
      Clause(english: value, remedyClauses) { ErrorWords.translated($0) }
        ?? ErrorWords.translated(value)
    }
    return found ?? ErrorWords.translated(text)
  }

  /// The findings that end with a list.
  private static let lists = [
    TextForm("%s is missing: it is not in %s"),
    TextForm("the vault needs %s"),
  ]
  private static let engine = TextForm("%s, version %s, process %s")
  private static let variables = TextForm("unset it; the variables are %s")

  /// The form of the vault that an engine keeps.
  private static func form(_ text: String) -> String {
    switch text {
    case VaultForm.private.rawValue: tr("Private vault")
    case VaultForm.service.rawValue: tr("Service")
    default: text
    }
  }

  /// The values of a list.
  private static func list(_ text: String) -> Clause {
    // Sent in parts.
    let forms = [TextForm("%s, %s or %s"), TextForm("%s or %s"), TextForm("%s and %s")]
    return Clause(english: text, forms, translated) ?? translated(text)
  }

  /// A value that may be a clause of the doctor itself, or an error.
  static func clause(_ text: String) -> String { translated(text).text }

  /// The same, with what it begins with.
  static func translated(_ text: String) -> Clause {
    if let time = TimeWords.text(text) { return Clause(time) }
    if let found = Clause(english: text, clauses, ErrorWords.translated) { return found }
    let reason = EngineWords.clause(text)
    return reason == text ? ErrorWords.translated(text) : Clause(reason)
  }

  private static let clauses = [
    TextForm("no more files can be created"),
    TextForm("less than 1 MiB is free"),
    TextForm("it is not a regular file in a directory"),
    TextForm("it or its directory belongs to user %s"),
    TextForm("others may write to it or to its directory"),
    TextForm("the TPM of this machine"),
    TextForm("a security key"),
    TextForm("the recovery code"),
    TextForm("libsystemd.so.0 is not installed"),
    TextForm("the system bus cannot be used: %s"),
    TextForm("systemd-logind does not answer: %s"),
    TextForm("systemd-logind has gone"),
    TextForm("systemd-logind is not understood"),
    // Sent in parts.
    TextForm("none was found"),
    TextForm("it can be used"),
    TextForm("sleep cannot be delayed: %s"),
    TextForm("not checked: no supported reader is on USB"),
    TextForm("not checked"),
    TextForm("on the way into the private vault, after an interrupted call"),
  ]
  private static let remedyClauses = [
    // Sent in parts.
    TextForm(
      "if %s answers a dead token like this, set %s in its provider file, then run thumblatch provider apply %s"
    ),
    // Sent in parts.
    TextForm(
      "if %s answers a dead token like this, set %s in its provider file, then sign in again"
    ),
    // Sent in parts.
    TextForm(
      "the refresh token may have been used; if the next refresh fails too, sign in again, and check the endpoints in %s's provider file"
    ),
    // Sent in parts.
    TextForm(
      "the refresh token may have been used; if the next refresh fails too, sign in again, and check the field names in %s's provider file"
    ),
  ]
}
