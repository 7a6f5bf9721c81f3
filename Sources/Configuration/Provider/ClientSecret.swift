public import SecretMemory

/// What a provider calls the secret of an installed program.
///
/// Everyone who has the program has it, so it proves nothing (RFC 8252, section 8.5). It is a secret
/// here all the same, for it may be one's own: it lies in locked memory, and on no screen and in no
/// log.
public struct ClientSecret: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// What is shown in its place.
  public static let shown = "(set)"
  /// Its key in a provider file.
  public static let key = "client_secret"

  /// The secret, for the request and the seal alone.
  public let secret: SharedSecret

  /// Takes over a secret: VSCHAR of RFC 6749, appendix A.2, without the space.
  ///
  /// - Throws: an error that never quotes it.
  public init(_ secret: SharedSecret) throws(ConfigurationError) {
    let isValid = secret.bytes.withBytes { bytes in
      (1...512).contains(bytes.count)
        && bytes.indices.allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
    }
    guard isValid else {
      let rule = "1 to 512 printable ASCII characters without spaces"
      throw ConfigurationError(.badValue(text: nil, rule: rule), key: Self.key)
    }
    self.secret = secret
  }

  /// Takes it from settings that somebody has as text.
  init(text: String) throws(ConfigurationError) {
    let secret = try Self.held { () throws(SecretMemoryError) in
      try SecretBytes(copying: Array(text.utf8))
    }
    try self.init(SharedSecret(secret))
  }

  /// Runs `body` with its error in the words of this room.
  static func held<Value: ~Copyable>(
    _ body: () throws(SecretMemoryError) -> Value
  ) throws(ConfigurationError) -> Value {
    do throws(SecretMemoryError) {
      return try body()
    } catch {
      throw ConfigurationError(.unreadable("\(error)"), key: key)
    }
  }

  /// Whether both are the same, in a time that does not depend on where they differ.
  public static func == (left: ClientSecret, right: ClientSecret) -> Bool {
    SecretBytes.constantTimeEqual(left.secret.bytes, right.secret.bytes)
  }

  /// Not the secret.
  public var description: String { Self.shown }
  /// Not the secret.
  public var debugDescription: String { Self.shown }
  /// Without children, so that `dump` shows none.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
