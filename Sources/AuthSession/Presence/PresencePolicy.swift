/// How someone may show that they are here.
public enum PresencePolicy: Sendable, Hashable, CaseIterable {
  /// A finger on the reader, and nothing else; what `deviceOwnerAuthenticationWithBiometrics` is
  /// elsewhere.
  case fingerprint
  /// A finger, or the system password where there is no reader, no finger is enrolled, too many
  /// failed, or the person chooses it; `deviceOwnerAuthentication`.
  case fingerprintOrPassword
  /// The system password.
  case password
}

/// Whether presence can be shown on this machine, and how.
public enum PresenceCapability: Sendable, Hashable {
  /// A reader is there, and fingers are enrolled.
  case fingerprint(fingers: [String])
  /// Only the system password, for this reason.
  case passwordOnly(reason: String)
  /// Not at all, for this reason.
  case none(reason: String)
}

/// What an unlock window covers.
public struct UnlockWindow: Sendable, Hashable {
  /// How long it is open, if it is not used or closed before.
  public let duration: Duration
  /// The accounts; empty: all.
  public let accounts: [String]

  /// Of these parts.
  public init(duration: Duration, accounts: [String] = []) {
    self.duration = duration
    self.accounts = accounts
  }
}
