/// Parses lists of scopes as people and providers write them (RFC 6749, section 3.3).
package enum ScopeList {
  package static let maximumCount = 64

  /// The scopes in a text, separated by spaces.
  ///
  /// - Returns: the scopes, sorted by their bytes, without duplicates; `nil` if one has a character
  ///   outside appendix A.4, or if there are too many.
  package static func scopes(in text: String) -> [String]? {
    // Check that all bytes are ASCII before anything is hashed.
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || isOfScope($0) }) else { return nil }
    let scopes = Set(text.split(separator: " ").map(String.init))
    guard scopes.count <= maximumCount else { return nil }
    return scopes.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// NQCHAR: printable ASCII except space, quote and backslash.
  private static func isOfScope(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
  }
}
