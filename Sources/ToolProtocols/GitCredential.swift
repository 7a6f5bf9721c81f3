/// A request of git to a credential helper (gitcredentials(7), git-credential(1)).
package struct GitCredential: Sendable {
  /// The most bytes of a line, without its end.
  package static let maximumLine = 65_535

  /// The operation that git requests.
  package enum Operation: String, Sendable {
    case get, store, erase, capability
  }

  /// The user name to send with a token, for forges that accept any.
  static let usualUsername = "oauth2"

  /// The answer to `capability`.
  package static let capabilities = Array("version 0\ncapability authtype\n".utf8)
  /// Ends git's search, so that it does not ask the person for a password.
  package static let quit = Array("quit=1\n".utf8)

  /// The last value of each key.
  ///
  /// An array, because creating the type of a dictionary takes Swift longer than searching these
  /// few keys.
  private var values: [(key: String, value: String)] = []
  /// Whether git can send a Bearer token.
  private var hasAuthtype = false
  /// Whether one of the server's challenges is `Bearer`; `nil` if there is no challenge.
  private var isChallengedForBearer: Bool?

  private static let keys = [
    "protocol", "host", "username", "password", "credential", "password_expiry_utc",
    "oauth_refresh_token", "capability[]", "wwwauth[]",
  ]

  /// Reads the lines up to an empty one; unused keys are left out.
  package init(_ bytes: [UInt8]) throws(ToolRequestError) {
    try ToolRequest.check(bytes)
    let end = UInt8(ascii: "\n")
    var rest = bytes[...]
    while let first = rest.first, first != end {
      let line = rest.prefix { $0 != end }
      rest = rest.dropFirst(line.count + 1)
      guard line.count <= Self.maximumLine else {
        throw ToolRequestError(description: "a line is longer than \(Self.maximumLine) bytes")
      }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw ToolRequestError(description: "a line is not of the form key=value")
      }
      guard let key = Self.keys.first(where: { $0.utf8.elementsEqual(line[..<equals]) }) else {
        continue
      }
      let value = line[(equals + 1)...]
      switch key {
      // An empty value resets the earlier ones.
      case "capability[]":
        hasAuthtype = !value.isEmpty && (hasAuthtype || value.elementsEqual("authtype".utf8))
      case "wwwauth[]":
        isChallengedForBearer =
          value.isEmpty ? nil : isChallengedForBearer == true || Self.isForBearer(value)
      // A challenge may have any bytes, and is not kept.
      default:
        let text = try ToolRequest.text(Array(value))
        values.removeAll { $0.key == key }
        values.append((key, text))
      }
    }
    // The host of a certificate (`protocol=cert`) is empty.
    guard self["protocol"]?.isEmpty == false, self["host"] != nil else {
      throw ToolRequestError(description: "the request names no protocol or no host")
    }
  }

  private subscript(key: String) -> String? { values.first { $0.key == key }?.value }

  /// Whether an empty line ends the request.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the request that were read.
  ///   - searched: how many of these bytes were searched before.
  /// - Returns: whether no more bytes belong to it.
  package static func isComplete(_ bytes: [UInt8], after searched: Int) -> Bool {
    let end = UInt8(ascii: "\n")
    if bytes.first == end { return true }
    let rest = bytes[max(0, searched - 1)...]
    return zip(rest, rest.dropFirst()).contains { $0 == end && $1 == end }
  }

  /// The server; git's `host` has a port if the URL has one.
  package var url: String { "\(self["protocol"] ?? "")://\(self["host"] ?? "")" }

  /// The user name in the URL; `nil` if there is none.
  package var username: String? { self["username"].flatMap { $0.isEmpty ? nil : $0 } }

  /// The token or password that the server refused, or accepted.
  package var secret: String? {
    let value = self["credential"] ?? self["password"] ?? ""
    return value.isEmpty ? nil : value
  }

  /// The password that git wants to store; `nil` if there is none.
  package var stored: ToolSecret? {
    guard let password = self["password"], !password.isEmpty, let username else { return nil }
    let end = self["password_expiry_utc"].flatMap { Int64($0) }
    return ToolSecret(password, username: username, expiresAt: end)
  }

  /// The refresh token of another helper; `nil` if there is none.
  package var refreshToken: String? {
    self["oauth_refresh_token"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether git can send a Bearer token, and the server accepts one.
  ///
  /// A server without a challenge is assumed to accept one. Many forges accept a token only as a
  /// password: their challenge is `Basic`.
  package var takesBearer: Bool { hasAuthtype && isChallengedForBearer ?? true }

  /// Whether one of the challenges in a header `WWW-Authenticate` has the scheme `Bearer`.
  private static func isForBearer(_ header: ArraySlice<UInt8>) -> Bool {
    header.split(separator: UInt8(ascii: ",")).contains { part in
      let scheme = part.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
      return scheme.count == 6
        && String(decoding: scheme, as: UTF8.self).lowercased() == "bearer"
    }
  }

  /// The answer to `get` without a password, for which git then asks.
  package static func answer(username: String) -> [UInt8] { Array("username=\(username)\n".utf8) }

  /// The answer to `get`.
  ///
  /// - Parameters:
  ///   - token: the token or password.
  ///   - username: the user name to send with it.
  ///   - isPassword: whether it is sent to the server only as a password.
  /// - Returns: the bytes for git.
  package func answer(_ token: ToolToken, username: String, isPassword: Bool = false) -> [UInt8] {
    var text: String
    if takesBearer, !isPassword {
      text = "capability[]=authtype\n"
      text += "authtype=Bearer\n"
      text += "credential=\(token.text)\n"
      text += "ephemeral=1\n"
    } else {
      text = "username=\(username)\n"
      text += "password=\(token.text)\n"
      if let end = token.expiresAt { text += "password_expiry_utc=\(end)\n" }
    }
    return Array(text.utf8)
  }
}
