/// Why a header cannot be sent.
public enum RequestHeaderError: Error, Equatable, Sendable {
  /// It is not `Name: value`.
  case noColon
  /// Its name is not a token (RFC 9110, section 5.6.2).
  case badName(String)
  /// Its value holds a line end or a control character.
  case badValue(name: String)
  /// It is longer than 16 KiB.
  case tooLong(name: String)
  /// It is one that the exchange helper sets itself.
  case own(name: String)
}

extension RequestHeaderError: CustomStringConvertible {
  /// The problem in one clause, without the value.
  public var description: String {
    switch self {
    case .noColon: "needs \"Name: value\""
    case .badName(let name): "\"\(name)\" is not a header name"
    case .badValue(let name): "\(name): its value holds a line end or a control character"
    case .tooLong(let name): "\(name): is longer than 16 KiB"
    case .own(let name): "\(name): thumblatch sets this header itself"
    }
  }
}

/// The headers that a caller may set.
public enum RequestHeaders {
  /// Headers that name the client or the server, or frame the message.
  private static let own: Set<String> = [
    "authorization", "host", "content-length", "transfer-encoding", "connection", "expect", "te",
    "trailer", "upgrade", "keep-alive", "proxy-connection", "proxy-authorization", "user-agent",
  ]

  /// The headers to send, as `Name: value`, with the helper's default headers.
  ///
  /// A line end in a value could begin another header, or a second request (request smuggling).
  public static func checked(
    _ given: [String],
    hasBody: Bool
  ) throws(RequestHeaderError) -> [String] {
    var names: Set<String> = []
    for header in given {
      guard let colon = header.firstIndex(of: ":") else { throw .noColon }
      let name = header[..<colon].lowercased()
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenCharacter) else { throw .badName(name) }
      guard header.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw .badValue(name: name)
      }
      guard header.utf8.count <= 16 * 1024 else { throw .tooLong(name: name) }
      guard !own.contains(name) else { throw .own(name: name) }
      names.insert(name)
    }
    var headers = given
    if !names.contains("accept") { headers.append("Accept: */*") }
    if hasBody && !names.contains("content-type") {
      headers.append("Content-Type: application/x-www-form-urlencoded")
    }
    return headers
  }

  /// A token character (RFC 9110, section 5.6.2).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
