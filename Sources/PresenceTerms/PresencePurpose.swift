/// The purpose of a presence check.
///
/// It is shown to the person, and the proof is valid for nothing else.
public enum PresencePurpose: String, Sendable, CaseIterable {
  /// Refresh an access token.
  case refresh
  /// Turn presence protection on.
  case enable
  /// Turn presence protection off.
  case disable
  /// Open the unlock window.
  case unlock
  /// Enroll a finger.
  case enroll
  /// Delete a finger.
  case deleteFinger = "delete_finger"
  /// Release a refresh token from the vault.
  case release
  /// Sign in to an account whose refresh token may be released.
  case exportable
  /// Make a new device secret.
  case rekey
  /// Change the slots of the machine key.
  case machineKey = "machine_key"
  /// Accept an old copy of the store that was restored.
  case recover
  /// Test the reader or the password. Nothing is released.
  case test
  /// Send the tokens of an account to another provider.
  case applyProvider = "apply_provider"
  /// Rename a protected account.
  case rename
  /// Change the rules of the policy.
  case policy
  /// End a sign-in at its provider.
  case signOut = "sign_out"
  /// Remove a protected account.
  case remove
  /// Sign in to a protected account as another person, or at another provider.
  case replace
  /// Make another account the default instead of a protected one.
  case setDefault = "set_default"
  /// Put refresh tokens into an encrypted backup.
  case backup
  /// Add the accounts of a backup to a vault that has accounts.
  case restore
  /// Move all accounts of a private vault into the service.
  case moveToService = "move_to_service"
  /// Move accounts of the service into the private vault of their user.
  case moveToPrivateVault = "move_to_private_vault"
}

extension PresencePurpose {
  /// The methods that may prove it, in the order in which they are offered.
  public var methods: [PresenceMethod] {
    allowsDevices ? PresenceMethod.allCases : PresenceMethod.typed
  }

  /// Whether a device may prove it, such as the fingerprint reader.
  ///
  /// A caller that changes fingers, keys or policy must know the password. Otherwise a moment at an
  /// unlocked machine would give permanent access.
  public var allowsDevices: Bool {
    switch self {
    case .enroll, .deleteFinger, .exportable, .rekey, .machineKey, .recover, .applyProvider,
      .policy, .backup, .restore, .moveToPrivateVault:
      false
    case .refresh, .enable, .disable, .unlock, .release, .test, .rename, .signOut, .remove,
      .replace, .setDefault, .moveToService:
      true
    }
  }

  /// Whether one check may answer the same question of a second caller.
  ///
  /// Only a check for the use of a token may be shared, never one for a change of protection.
  public var mayBeShared: Bool {
    switch self {
    case .refresh, .unlock: true
    case .enable, .disable, .enroll, .deleteFinger, .release, .exportable, .rekey,
      .machineKey, .recover, .test, .applyProvider, .rename, .policy, .signOut, .remove, .replace,
      .setDefault, .backup, .restore, .moveToService, .moveToPrivateVault:
      false
    }
  }
}

// The words of a purpose, for the person who is asked.
extension PresencePurpose {
  /// The action that a passed check allows.
  ///
  /// It completes "Touch the fingerprint reader to ...".
  ///
  /// - Parameters:
  ///   - name: the account, harmless for the display; `nil` for the vault as a whole.
  ///   - detail: what else the person must see, as harmless; `nil` if there is nothing.
  /// - Returns: the clause.
  public func action(account name: String?, detail: String?) -> String {
    let account = name.map { "account '\($0)'" } ?? "the account"
    let more = detail.map { " (\($0))" } ?? ""
    return switch self {
    case .refresh: "use \(account)\(more)"
    case .enable: "turn on presence protection for \(account)\(detail.map { " \($0)" } ?? "")"
    case .disable: "turn off presence protection for \(account)"
    case .unlock: "unlock \(detail ?? (name == nil ? "the vault" : account))"
    case .enroll: "enroll \(detail ?? "a finger")"
    case .deleteFinger: "delete \(detail ?? "a finger")"
    case .release: "release the refresh token of \(account)"
    case .exportable: "make \(account) exportable\(more)"
    case .rekey: "replace the device secret and re-encrypt everything"
    case .machineKey: "change the slots of the machine key\(more)"
    case .recover: "accept a vault that was restored from a copy"
    case .test: "test the presence check"
    case .rename: "rename \(account) to \(detail.map { "'\($0)'" } ?? "another name")"
    case .policy: "change the policy\(more)"
    case .signOut where name == nil: "sign out of \(detail ?? "all accounts")"
    case .signOut: "sign out of \(account)\(more)"
    case .remove: "remove \(account)\(more)"
    case .replace: "replace the login of \(account)\(more)"
    case .setDefault: "make \(account) the default account\(more)"
    case .applyProvider: "change the provider of \(account)\(more)"
    case .backup: "back up the vault\(more)"
    case .restore: "restore accounts from a backup\(more)"
    case .moveToService: "move all accounts into the service of this machine\(more)"
    case .moveToPrivateVault:
      "move \(detail.map { "the accounts \($0)" } ?? "accounts") into your private vault"
    }
  }

  /// The purpose in few words, which the name of the account may follow.
  public var words: String {
    switch self {
    case .refresh: "refresh"
    case .enable: "protect"
    case .disable: "end the protection of"
    case .unlock: "unlock"
    case .enroll: "enroll a finger"
    case .deleteFinger: "delete a finger"
    case .release: "release the refresh token of"
    case .exportable: "make exportable"
    case .rekey: "replace the device secret"
    case .machineKey: "change the slots of the machine key"
    case .recover: "accept a restored vault"
    case .test: "test the presence check"
    case .applyProvider: "change the provider of"
    case .rename: "rename"
    case .policy: "change the policy"
    case .signOut: "sign out of"
    case .remove: "remove"
    case .replace: "replace the login of"
    case .setDefault: "make the default account"
    case .backup: "back up the vault"
    case .restore: "restore accounts from a backup"
    case .moveToService: "move the accounts into the service"
    case .moveToPrivateVault: "move accounts into the private vault"
    }
  }
}
