/// A method of proving presence.
public enum PresenceMethod: String, Sendable, Equatable, CaseIterable {
  /// A finger on the reader (libfprint).
  case fingerprint
  /// The password of the system user (PAM).
  case password
}

/// The purpose of a presence check; it is shown to the person, and the proof is valid for nothing
/// else.
public enum PresencePurpose: String, Sendable, Equatable, CaseIterable {
  /// Use a protected refresh token once.
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
  case deleteFinger = "delete-finger"
  /// Release a refresh token from the vault.
  case release
  /// Sign in to an account whose refresh token may be released.
  case exportable
  /// Make a new device secret.
  case rekey
  /// Accept a store that was restored from a backup.
  case recover
  /// Test the reader or the password; releases nothing.
  case test
  /// Let the tokens of an account go to another provider.
  case applyProvider = "apply-provider"
  /// Rename a protected account: prompts show its name.
  case rename
  /// Change the rules about when and how long a check counts.
  case policy
  /// Sign out at the provider.
  case signOut = "sign-out"
  /// Remove a protected account.
  case remove
  /// Sign in to a protected account as another person, or at another provider.
  case replace
  /// Make another account the default instead of a protected one.
  case setDefault = "set-default"

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

/// Why a presence check failed, with the cases of LAError.
public enum PresenceOutcome: Error, Sendable, Equatable {
  /// The person cancelled, or the caller disconnected (LAError.userCancel).
  case cancelled
  /// The person chose the password instead (LAError.userFallback).
  case passwordChosen
  /// There is no reader, or it cannot be opened (LAError.biometryNotAvailable).
  case notAvailable(String)
  /// There is a reader, but no enrolled finger (LAError.biometryNotEnrolled).
  case notEnrolled
  /// Too many fingers did not match, so only the password is accepted (LAError.biometryLockout).
  case lockedOut
  /// A good scan of the wrong finger, or a wrong password (LAError.authenticationFailed).
  case noMatch
  /// The person did not act in time (LAError.systemCancel).
  case timedOut
  /// Another program holds the reader, or another prompt is open.
  case busy(String)
  /// The system refuses this user even with the right password: expired or locked.
  case denied(String)

  /// Whether a fingerprint could still succeed in this prompt.
  var leavesFingerprint: Bool {
    switch self {
    case .noMatch, .timedOut, .passwordChosen: true
    case .cancelled, .notAvailable, .notEnrolled, .lockedOut, .busy, .denied: false
    }
  }
}
