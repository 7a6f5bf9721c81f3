/// The interfaces of Thumblatch.
public enum VarlinkInterface: String, Sendable, CaseIterable {
  /// The calls of clients to the engine.
  case vault = "io.thumblatch.Vault"
  /// The calls of the engine to its helpers.
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

  /// The greatest length of a message in bytes, its NUL included.
  ///
  /// A helper's message may carry a whole answer slot of 64 KiB in base64.
  public var maximumMessage: Int {
    switch self {
    case .vault: 64 * 1024
    case .helper: 96 * 1024
    }
  }

  /// The most bytes of a text in a call that is not ASCII.
  ///
  /// Names, addresses and reasons that people type are shorter, and any other text is ASCII.
  static let longestMixedText = 1024

  /// Members of calls whose strings are secret.
  ///
  /// A reader never makes a `String` of them.
  ///
  /// A JSON reader knows a member only by its name, so these names are secret in every call.
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
