/// The challenge `Bearer` of a header `WWW-Authenticate` (RFC 6750, section 3; RFC 9110, section
/// 11.6.1).
package struct BearerChallenge: Sendable, Equatable {
  /// The URL of the resource's metadata (RFC 9728, section 5.1).
  package let resourceMetadata: String?
  /// The scopes that the request needs, separated by spaces.
  package let scope: String?
  /// The error code, such as `insufficient_scope`.
  package let error: String?

  /// The most bytes of a header that is read.
  private static let maximumCount = 8192

  /// Finds the first challenge in header fields, each as `Name: value`; `nil` if there is none.
  package init?(headers: [String]) {
    for header in headers {
      guard let colon = header.firstIndex(of: ":"),
        header[..<colon].lowercased() == "www-authenticate"
      else { continue }
      let value = header[colon...].dropFirst()
      guard value.utf8.count <= Self.maximumCount else { continue }
      var parser = ChallengeParser(rest: Array(value.utf8)[...])
      guard let parameters = parser.parameters(of: "bearer") else { continue }
      resourceMetadata = parameters["resource_metadata"]
      scope = parameters["scope"]
      error = parameters["error"]
      return
    }
    return nil
  }
}

/// Reads challenges from left to right.
private struct ChallengeParser {
  var rest: ArraySlice<UInt8>

  private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

  /// The parameters of the first challenge of a scheme; the first of a repeated name counts.
  mutating func parameters(of wanted: String) -> [String: String]? {
    var found: [String: String]?
    while true {
      skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
      let name = token()
      guard !name.isEmpty else { return found }
      skip(Self.isBlank)
      guard rest.first == UInt8(ascii: "=") else {
        if found != nil { return found }
        if name == wanted { found = [:] }
        continue
      }
      rest.removeFirst()
      skip(Self.isBlank)
      guard let value = value() else { return found }
      if found?[name] == nil { found?[name] = value }
      // What follows a value up to the comma is the rest of a token68.
      skip { $0 != UInt8(ascii: ",") }
    }
  }

  /// A scheme or a name, in lower case.
  private mutating func token() -> String {
    let token = rest.prefix(while: Self.isOfToken)
    rest = rest.dropFirst(token.count)
    return String(decoding: token, as: UTF8.self).lowercased()
  }

  /// A token, or a string in quotes; `nil` if its end is missing or a byte is not printable ASCII.
  private mutating func value() -> String? {
    guard rest.first == UInt8(ascii: "\"") else {
      let word = rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: ",") }
      rest = rest.dropFirst(word.count)
      return Self.text(Array(word))
    }
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      bytes.append(escaped)
    }
    return Self.text(bytes)
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

  private static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || marks.contains(byte)
  }
}
