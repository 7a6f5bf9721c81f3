/// A method of proving presence.
public enum PresenceMethod: String, Sendable, CaseIterable {
  /// A finger on the reader.
  case fingerprint
  /// The password of the system user.
  case password
}
