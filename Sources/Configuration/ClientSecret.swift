/// What a provider calls the secret of an installed program.
///
/// Everyone who has the program has it, so it proves nothing (RFC 8252, section 8.5). It is kept
/// from screens and logs all the same: it may be one's own.
public struct ClientSecret: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  /// What is shown in its place.
  public static let shown = "(set)"

  /// The secret, for the request alone.
  public let text: String

  /// VSCHAR of RFC 6749, appendix A.2, without the space; an error never quotes it.
  init(_ text: String) throws(ConfigurationError) {
    guard (1...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      let rule = "1 to 512 printable ASCII characters without spaces"
      throw ConfigurationError(.badValue(text: nil, rule: rule))
    }
    self.text = text
  }

  /// Not the secret.
  public var description: String { Self.shown }
  /// Not the secret.
  public var debugDescription: String { Self.shown }
  /// Without children, so that `dump` shows none.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
