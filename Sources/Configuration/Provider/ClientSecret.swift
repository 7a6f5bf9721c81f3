public import SecretMemory

/// The client secret of an installed program.
///
/// Every copy of the program holds it, so it proves nothing (RFC 8252, section 8.5). It is still
/// treated as a secret, because it may belong to the user. So it stays in locked memory, and never
/// appears on a screen or in a log.
public struct ClientSecret: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The text that is shown instead of the secret.
  public static let shown = "(set)"
  /// Its key in a provider file.
  public static let key = "client_secret"

  /// The secret, only for the request and for sealing.
  public let secret: SharedSecret

  /// Takes over a secret: VSCHAR of RFC 6749, appendix A.2, without the space.
  ///
  /// - Throws: an error that does not quote it.
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

  /// Takes a secret from settings that are text already.
  init(text: String) throws(ConfigurationError) {
    let secret = try Self.held { () throws(SecretMemoryError) in
      try SecretBytes(copying: Array(text.utf8))
    }
    try self.init(SharedSecret(secret))
  }

  static func held<Value: ~Copyable>(
    _ body: () throws(SecretMemoryError) -> Value
  ) throws(ConfigurationError) -> Value {
    do throws(SecretMemoryError) {
      return try body()
    } catch {
      throw ConfigurationError(.unreadable("\(error)"), key: key)
    }
  }

  /// Compares in constant time.
  public static func == (left: ClientSecret, right: ClientSecret) -> Bool {
    SecretBytes.constantTimeEqual(left.secret.bytes, right.secret.bytes)
  }

  /// `shown`, not the secret.
  public var description: String { Self.shown }
  /// `shown`, not the secret.
  public var debugDescription: String { Self.shown }
  /// No children, so that `dump` shows none.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
