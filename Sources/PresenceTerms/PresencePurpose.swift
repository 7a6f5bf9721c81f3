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
  /// Accept a store that was restored from a backup.
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
}

extension PresencePurpose {
  /// The methods that may prove it.
  ///
  /// A caller that changes fingers, keys or policy must know the password. Otherwise a moment at an
  /// unlocked machine would give permanent access.
  public var methods: [PresenceMethod] {
    switch self {
    case .enroll, .deleteFinger, .exportable, .rekey, .recover, .applyProvider, .policy:
      [.password]
    case .refresh, .enable, .disable, .unlock, .release, .test, .rename, .signOut, .remove,
      .replace, .setDefault:
      [.fingerprint, .password]
    }
  }

  /// Whether one check may answer the same question of a second caller.
  ///
  /// Only a check for the use of a token may be shared, never one for a change of protection.
  public var mayBeShared: Bool {
    switch self {
    case .refresh, .unlock: true
    case .enable, .disable, .enroll, .deleteFinger, .release, .exportable, .rekey, .recover, .test,
      .applyProvider, .rename, .policy, .signOut, .remove, .replace, .setDefault:
      false
    }
  }
}
