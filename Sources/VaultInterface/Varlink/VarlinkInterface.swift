/// The interfaces of Thumblatch.
public enum VarlinkInterface: String, Sendable, CaseIterable {
  /// What clients ask of the engine.
  case vault = "io.thumblatch.Vault"
  /// What the engine asks of its helper processes.
  case helper = "io.thumblatch.Helper"

  /// The full name.
  public var name: String { rawValue }

  /// The interface file, byte for byte.
  public var description: String {
    switch self {
    case .vault: vaultDescription
    case .helper: helperDescription
    }
  }

  /// The most bytes of a message, its NUL included.
  ///
  /// A helper's may carry a whole answer slot of 64 KiB in base64.
  public var maximumMessage: Int {
    switch self {
    case .vault: 64 * 1024
    case .helper: 96 * 1024
    }
  }

  /// The most bytes of a text in a call that is not ASCII: names, addresses and reasons of people
  /// are shorter, and anything else is ASCII.
  static let longestMixedText = 1024

  /// Members of calls whose strings are secret: a reader never makes a `String` of one.
  ///
  /// A reader of JSON knows a member by its name only, so these names are secret in every call.
  public var callSecrets: Set<String> {
    switch self {
    case .vault: vaultCallSecrets
    case .helper: helperCallSecrets
    }
  }

  /// Members of replies whose strings are secret.
  public var replySecrets: Set<String> {
    switch self {
    case .vault: vaultReplySecrets
    case .helper: helperReplySecrets
    }
  }
}
