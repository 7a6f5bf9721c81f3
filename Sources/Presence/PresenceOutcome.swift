/// How someone can prove that they are here.
public enum PresenceMethod: String, Sendable, Equatable, CaseIterable {
  /// A finger on the reader (libfprint).
  case fingerprint
  /// The password of the system's user (PAM).
  case password
}

/// What a presence check is for; it is shown to the person, and the proof is good for nothing else.
public enum PresencePurpose: String, Sendable, Equatable, CaseIterable {
  /// Using a protected refresh token once.
  case refresh
  /// Turning presence protection on.
  case enable
  /// Turning presence protection off.
  case disable
  /// Opening the unlock window.
  case unlock
  /// Adding a finger.
  case enroll
  /// Removing a finger.
  case deleteFinger = "delete-finger"
  /// Letting a refresh token out of the vault.
  case release
  /// Signing in to an account whose refresh token may be released.
  case exportable
  /// Making a new device secret.
  case rekey
  /// Accepting a store that was put back.
  case recover
  /// Trying the reader or the password; releases nothing.
  case test
  /// Letting the tokens of an account go to another provider.
  case applyProvider = "apply-provider"
  /// Giving a protected account another name: names are what prompts show.
  case rename
  /// Changing the rules that say when and for how long a check counts.
  case policy
  /// Ending a login at its provider.
  case signOut = "sign-out"
  /// Forgetting a protected account.
  case remove
  /// Signing in to a protected account as another person, or at another provider.
  case replace
  /// Letting another account stand in for a protected one where none is named.
  case setDefault = "set-default"

  /// The methods that may prove it.
  ///
  /// Whoever changes fingers, keys or policy must know the password: else a moment at an unlocked
  /// machine would be enough to stay in for ever.
  public var methods: [PresenceMethod] {
    switch self {
    case .enroll, .deleteFinger, .exportable, .rekey, .recover, .applyProvider, .policy:
      [.password]
    case .refresh, .enable, .disable, .unlock, .release, .test, .rename, .signOut, .remove,
      .replace, .setDefault:
      [.fingerprint, .password]
    }
  }

  /// Whether the same question by a second caller may be answered by one check.
  ///
  /// Only where nothing but the use of a token follows; a change of protection never joins.
  public var mayBeShared: Bool {
    switch self {
    case .refresh, .unlock: true
    case .enable, .disable, .enroll, .deleteFinger, .release, .exportable, .rekey, .recover, .test,
      .applyProvider, .rename, .policy, .signOut, .remove, .replace, .setDefault:
      false
    }
  }
}

/// Why a presence check was not passed, told apart as LAError does.
public enum PresenceOutcome: Error, Sendable, Equatable {
  /// The person gave up, or the caller went away (LAError.userCancel).
  case cancelled
  /// The person chose the password instead (LAError.userFallback).
  case passwordChosen
  /// There is no reader, or it cannot be opened (LAError.biometryNotAvailable).
  case notAvailable(String)
  /// There is a reader, and nobody has enrolled a finger (LAError.biometryNotEnrolled).
  case notEnrolled
  /// Too many fingers did not match: password only (LAError.biometryLockout).
  case lockedOut
  /// A good scan of the wrong finger, or a wrong password (LAError.authenticationFailed).
  case noMatch
  /// Nobody came in time (LAError.systemCancel).
  case timedOut
  /// The reader is held by another program, or another prompt is open.
  case busy(String)
  /// The system refuses this user although the password may be right: expired, locked.
  case denied(String)

  /// Whether a fingerprint could still succeed in this prompt.
  var leavesFingerprint: Bool {
    switch self {
    case .noMatch, .timedOut, .passwordChosen: true
    case .cancelled, .notAvailable, .notEnrolled, .lockedOut, .busy, .denied: false
    }
  }
}
