internal import GTK
internal import PlainText
internal import PresenceTerms
internal import TerminalIO
internal import VaultInterface

/// What a passed check allows, in the language of the person.
///
/// Each clause completes `Touch the fingerprint reader to …`, so a translation has an infinitive.
enum PurposeWords {
  /// The clause of a prompt.
  static func clause(of request: PresenceRequest) -> String {
    clause(of: request.purpose, request.account, request.detail)
  }

  /// The clause of a purpose, with the name of an account and the further detail from the vault.
  static func clause(
    of purpose: PresencePurpose,
    _ account: String?,
    _ detail: String?
  ) -> String {
    let name = account.map { PlainText.line($0, limit: 64) }
    let detail = detail.map { PlainText.line($0, limit: PresenceText.longestDetail) }
    let more = detail.map { " (\(DetailWords.text($0, of: purpose)))" } ?? ""
    switch purpose {
    case .refresh, .exportable, .remove, .replace, .setDefault, .applyProvider:
      return self.account(name, to: purpose) + more
    case .disable, .release: return self.account(name, to: purpose)
    case .enable:
      return self.account(name, to: purpose)
        + (detail.map { " " + DetailWords.text($0, of: purpose) } ?? "")
    case .signOut:
      guard name == nil else { return self.account(name, to: purpose) + more }
      return detail.map { tr("sign out of %s", DetailWords.text($0, of: purpose)) }
        ?? tr("sign out of all accounts")
    case .unlock:
      guard let detail else {
        return name == nil ? tr("unlock the vault") : self.account(name, to: purpose)
      }
      return tr("unlock %s", DetailWords.text(detail, of: purpose))
    case .rename: return renaming(name, to: detail)
    case .enroll, .deleteFinger: return device(detail, to: purpose)
    case .moveToPrivateVault:
      return detail.map { tr("move the accounts %s into your private vault", $0) }
        ?? tr("move accounts into your private vault")
    case .rekey, .machineKey, .recover, .test, .policy, .backup, .restore, .moveToService:
      return vault(purpose) + (hidesDetail(purpose) ? "" : more)
    }
  }

  private static func hidesDetail(_ purpose: PresencePurpose) -> Bool {
    [.rekey, .recover, .test].contains(purpose)
  }

  /// An act on one account.
  private static func account(_ name: String?, to purpose: PresencePurpose) -> String {
    guard let name else { return account(to: purpose) }
    return switch purpose {
    case .refresh: tr("use account '%s'", name)
    case .enable: tr("turn on presence protection for account '%s'", name)
    case .disable: tr("turn off presence protection for account '%s'", name)
    case .unlock: tr("unlock account '%s'", name)
    case .release: tr("release the refresh token of account '%s'", name)
    case .exportable: tr("make account '%s' exportable", name)
    case .signOut: tr("sign out of account '%s'", name)
    case .remove: tr("remove account '%s'", name)
    case .replace: tr("replace the login of account '%s'", name)
    case .setDefault: tr("make account '%s' the default account", name)
    case .applyProvider: tr("change the provider of account '%s'", name)
    case .rename, .enroll, .deleteFinger, .rekey, .machineKey, .recover, .test, .policy, .backup,
      .restore, .moveToService, .moveToPrivateVault:
      purpose.action(account: name, detail: nil)
    }
  }

  /// The same if the name is not known.
  private static func account(to purpose: PresencePurpose) -> String {
    switch purpose {
    case .refresh: tr("use the account")
    case .enable: tr("turn on presence protection for the account")
    case .disable: tr("turn off presence protection for the account")
    case .release: tr("release the refresh token of the account")
    case .exportable: tr("make the account exportable")
    case .remove: tr("remove the account")
    case .replace: tr("replace the login of the account")
    case .setDefault: tr("make the account the default account")
    case .applyProvider: tr("change the provider of the account")
    case .unlock, .signOut, .rename, .enroll, .deleteFinger, .rekey, .machineKey, .recover, .test,
      .policy, .backup, .restore, .moveToService, .moveToPrivateVault:
      purpose.action(account: nil, detail: nil)
    }
  }

  private static func renaming(_ name: String?, to other: String?) -> String {
    switch (name, other) {
    case (let name?, let other?): tr("rename account '%s' to '%s'", name, other)
    case (let name?, nil): tr("rename account '%s' to another name", name)
    case (nil, let other?): tr("rename the account to '%s'", other)
    case (nil, nil): tr("rename the account to another name")
    }
  }

  /// An act on a finger or a security key.
  private static func device(_ detail: String?, to purpose: PresencePurpose) -> String {
    let isEnrolled = purpose == .enroll
    guard let detail else { return isEnrolled ? tr("enroll a finger") : tr("delete a finger") }
    if FingerWords.names.contains(detail) {
      let finger = FingerWords.words(detail)
      return isEnrolled ? tr("enroll your %s", finger) : tr("delete your %s", finger)
    }
    let device = DetailWords.text(detail, of: purpose)
    return isEnrolled ? tr("enroll %s", device) : tr("delete %s", device)
  }

  /// An act on the whole vault.
  private static func vault(_ purpose: PresencePurpose) -> String {
    switch purpose {
    case .rekey: tr("replace the device secret and re-encrypt everything")
    case .machineKey: tr("change the slots of the machine key")
    case .recover: tr("accept a vault that was restored from a copy")
    case .test: tr("test the presence check")
    case .policy: tr("change the policy")
    case .backup: tr("back up the vault")
    case .restore: tr("restore accounts from a backup")
    case .moveToService: tr("move all accounts into the service of this machine")
    case .refresh, .enable, .disable, .unlock, .release, .exportable, .signOut, .remove, .replace,
      .setDefault, .applyProvider, .rename, .enroll, .deleteFinger, .moveToPrivateVault:
      purpose.action(account: nil, detail: nil)
    }
  }
}
