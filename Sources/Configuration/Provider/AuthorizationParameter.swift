internal import PlainText

/// An additional parameter of the authorization request that a provider needs, such as
/// `prompt=consent`.
public struct AuthorizationParameter: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The value, not encoded.
  public let value: String

  /// The most parameters.
  static let maximumCount = 16
  /// Parameters that the request holds anyway or that have their own key: a second value would
  /// conflict.
  static let reserved: Set<String> = [
    "audience", "client_id", "client_secret", "code", "code_challenge", "code_challenge_method",
    "code_verifier", "id_token_hint", "nonce", "redirect_uri", "request", "request_uri",
    "resource", "response_mode", "response_type", "scope", "state",
  ]

  /// Name and value, percent-encoded for a URL's query.
  var text: String { "\(name)=\(Self.encoded(value))" }

  /// Parses `a=b&c=d`, percent-encoded (RFC 3986, section 2.1; `+` stands for itself).
  static func list(_ text: String) throws(ConfigurationError) -> [Self] {
    var found: [String: String] = [:]
    for part in text.split(separator: "&", omittingEmptySubsequences: false) {
      guard let equals = part.firstIndex(of: "=") else { throw bad(String(part)) }
      let name = String(part[..<equals])
      guard isName(name), let value = decoded(part[part.index(after: equals)...]),
        found[name] == nil
      else { throw bad(String(part)) }
      guard !reserved.contains(name) else {
        throw ConfigurationError(
          .badValue(text: name, rule: "parameters that the request does not set itself")
        )
      }
      found[name] = value
    }
    guard found.count <= maximumCount else {
      throw ConfigurationError(.badValue(text: nil, rule: "at most \(maximumCount) parameters"))
    }
    return found.sorted { $0.key < $1.key }.map { Self(name: $0.key, value: $0.value) }
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isPlain($0) && $0 != UInt8(ascii: "~") }
  }

  /// The unreserved characters (RFC 3986, section 2.3).
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
      let bytes = PercentEncoding.decoded(text.utf8),
      let value = String(validating: bytes, as: UTF8.self),
      value.unicodeScalars.allSatisfy({ KeyFile.isText($0) && $0 != "\t" })
    else { return nil }
    return value
  }

  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if isPlain(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }

  private static func bad(_ text: String) -> ConfigurationError {
    let rule = "name=value, several joined by '&', each name once, values percent-encoded"
    return ConfigurationError(.badValue(text: text, rule: rule))
  }
}
