/// The ways in which a person may show presence.
public enum PresencePolicy: Sendable, Hashable, CaseIterable {
  /// Only a finger on the reader.
  ///
  /// On Apple systems this is `deviceOwnerAuthenticationWithBiometrics`.
  case fingerprint
  /// A finger, a touch of an enrolled security key, or the system password.
  ///
  /// The password counts if there is no reader, if no finger is enrolled, after too many failures,
  /// or if the person chooses it. On Apple systems this is `deviceOwnerAuthentication`.
  case fingerprintOrPassword
  /// The system password.
  case password
}

/// Whether a person can show presence on this machine, and in which ways.
public enum PresenceCapability: Sendable, Hashable {
  /// A reader is available, and fingers are enrolled.
  case fingerprint(fingers: [String])
  /// No finger is possible, and these security keys are enrolled.
  ///
  /// A key counts while it is plugged in. The system password counts too.
  case securityKey(names: [String])
  /// Only the system password is possible, for this reason.
  case passwordOnly(reason: String)
  /// No way is possible, for this reason.
  case none(reason: String)
}

/// The extent of an unlock window.
public struct UnlockWindow: Sendable, Hashable {
  /// How long the window is open, unless it is used or closed earlier.
  public let duration: Duration
  /// The accounts that it covers; empty for all accounts.
  public let accounts: [String]

  /// Makes a window.
  public init(duration: Duration, accounts: [String] = []) {
    self.duration = duration
    self.accounts = accounts
  }
}
