internal import PlainText

/// Takes settings out of a dictionary one by one, so that the remaining ones are unknown.
struct ProviderSettings {
  /// The greatest length of one value, except for certificates.
  static let maximumValueLength = 1024
  /// The most users of this machine that can be named.
  static let maximumUsers = 16
  /// The most public keys that can be pinned.
  static let maximumPins = 16

  private var rest: [String: String]

  init(_ settings: [String: String]) {
    rest = settings
  }

  /// The greatest length of a key's value, in bytes.
  static func maximumLength(of key: String) -> Int {
    key == "ca" ? CertificateText.maximumLength : maximumValueLength
  }

  mutating func take<Value>(
    _ key: String,
    _ parse: (String) throws(ConfigurationError) -> Value
  ) throws(ConfigurationError) -> Value {
    guard let value = try takeOptional(key, parse) else {
      throw ConfigurationError(.missingKey, key: key)
    }
    return value
  }

  mutating func takeOptional<Value>(
    _ key: String,
    _ parse: (String) throws(ConfigurationError) -> Value
  ) throws(ConfigurationError) -> Value? {
    guard let text = rest.removeValue(forKey: key) else { return nil }
    return try Self.parsed(text, of: key, parse)
  }

  /// Parses the value of a key, whose name is in each error.
  static func parsed<Value>(
    _ text: String,
    of key: String,
    _ parse: (String) throws(ConfigurationError) -> Value
  ) throws(ConfigurationError) -> Value {
    let limit = maximumLength(of: key)
    guard text.utf8.count <= limit else { throw ConfigurationError(.tooLarge(limit), key: key) }
    do throws(ConfigurationError) {
      return try parse(text)
    } catch {
      throw ConfigurationError(error.problem, key: key)
    }
  }

  /// Refuses remaining settings; the first in alphabetical order, so that the error is stable.
  ///
  /// A key of another kind gives another error than an unknown key.
  func finish(for kind: Provider.Kind) throws(ConfigurationError) {
    guard let key = rest.keys.min() else { return }
    throw Self.misplaced(key, in: kind)
  }

  /// The keys of a host without login.
  private static let staticKeys: Set<String> = [
    "kind", "issuer", "ca", "pins", "proxy", "api_hosts", Provider.loopbackUsersKey,
    ExchangeLimits.totalKey, ExchangeLimits.connectionKey,
  ]

  /// Refuses the settings of a login.
  func demandNoLoginKeys() throws(ConfigurationError) {
    guard let key = rest.keys.filter({ !Self.staticKeys.contains($0) }).min() else { return }
    throw Self.misplaced(key, in: .static)
  }

  /// A key that this kind of provider does not have.
  static func misplaced(_ key: String, in kind: Provider.Kind) -> ConfigurationError {
    let kinds = kinds(knowing: key)
    guard kinds.isEmpty else {
      return ConfigurationError(.keyOfOtherKind(kind.rawValue, kinds.map(\.rawValue)), key: key)
    }
    return ConfigurationError(.unknownKey, key: key)
  }

  /// Refuses remaining settings of a file without kinds.
  func finish() throws(ConfigurationError) {
    guard let key = rest.keys.min() else { return }
    throw ConfigurationError(.unknownKey, key: key)
  }

  /// The kinds that have a key, for keys that not every kind has.
  private static func kinds(knowing key: String) -> [Provider.Kind] {
    let passwordFields = Provider.Field.allCases.filter(\.isOfPasswords).map(\.key)
    if Provider.Endpoint.allCases.map(\.key).contains(key) || passwordFields.contains(key) {
      return [.passwordBackend]
    }
    if key == OAuthEndpoint.jwks.key || key == "id_token_algorithms" { return [.oidc] }
    let ofOAuth: Set<String> = [
      "client_secret", "client_authentication", "scope", "audience", "resource", "discovery",
      "discovery_url", "redirect_uri", "authorization_parameters", "password_grant",
      OAuthSettings.responseIssuerKey, OAuthSettings.refreshEndsKey, OAuthSettings.refreshScopeKey,
      OAuthSettings.resourceOnlyKey,
    ]
    if ofOAuth.contains(key) || OAuthEndpoint.allCases.map(\.key).contains(key) {
      return [.oidc, .oauth2]
    }
    let ofLogins = ["client_id", "refresh_reuse", "empty_refusal", "invalid_grant_value"]
    let isOfLogins =
      ofLogins.contains(key) || key == Provider.revocationEndsKey
      || Provider.Field.allCases.map(\.key).contains(key)
    return isOfLogins ? Provider.Kind.allCases.filter { $0 != .static } : []
  }

  /// Parses a case of an enumeration by its raw value.
  static func choice<Choice>(_ text: String) throws(ConfigurationError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    if let choice = Choice(named: text) { return choice }
    throw bad(text, Choice.allCases.map(\.rawValue).listed("or"))
  }

  static func truth(_ text: String) throws(ConfigurationError) -> Bool {
    try truth(text, yes: "true", no: "false")
  }

  /// Parses yes or no in the words of a key.
  static func truth(_ text: String, yes: String, no: String) throws(ConfigurationError) -> Bool {
    guard text == yes || text == no else { throw bad(text, "\(yes) or \(no)") }
    return text == yes
  }

  /// VSCHAR of RFC 6749, appendix A, without the space.
  static func identifier(_ text: String) throws(ConfigurationError) -> String {
    guard (1...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw bad(text, "1 to 256 printable ASCII characters without spaces") }
    return text
  }

  static func path(_ text: String) throws(ConfigurationError) -> String {
    guard WebAddress.isPath(text) else {
      throw bad(text, "a path that begins with / and holds no query, '..' or '//'")
    }
    return text
  }

  /// The value for an endpoint that does not exist.
  static let noPath = "none"

  static func pathOrNone(_ text: String) throws(ConfigurationError) -> String {
    text == noPath ? text : try path(text)
  }

  private static let firstOfName = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)
  private static let ofName = firstOfName.union("0123456789-.".utf8)

  static func fieldName(_ text: String) throws(ConfigurationError) -> String {
    guard let first = text.utf8.first, firstOfName.contains(first), text.utf8.count <= 64,
      text.utf8.allSatisfy(ofName.contains)
    else {
      throw bad(text, "a field name of at most 64 letters, digits, '_', '-' and '.'")
    }
    return text
  }

  /// Public keys in libcurl's spelling (CURLOPT_PINNEDPUBLICKEY(3)), separated by semicolons.
  static func pins(_ text: String) throws(ConfigurationError) -> [String] {
    let rule = "sha256// and the base64 of 32 bytes, several separated by ';'"
    var pins: Set<String> = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let pin = String(part.trimmingSpaces())
      guard isPin(pin) else { throw bad(pin, rule) }
      pins.insert(pin)
    }
    guard pins.count <= maximumPins else { throw bad(nil, "at most \(maximumPins) pins") }
    return pins.sorted()
  }

  /// The base64 of 32 bytes has 43 characters and one `=`; two bits of the last character are zero.
  private static func isPin(_ text: String) -> Bool {
    let prefix = "sha256//"
    guard text.hasPrefix(prefix) else { return false }
    let code = Array(text.utf8.dropFirst(prefix.utf8.count))
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    guard code.count == 44, code[43] == UInt8(ascii: "="),
      code[..<43].allSatisfy(alphabet.contains), let last = alphabet.firstIndex(of: code[42])
    else { return false }
    return last % 4 == 0
  }

  /// Parses numeric user ids (`id -u`), separated by semicolons.
  static func users(_ text: String) throws(ConfigurationError) -> [UInt32] {
    var users: Set<UInt32> = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let digits = part.trimmingSpaces()
      // The kernel shows 65534 for users that it cannot map; the last number is never a user.
      guard (1...10).contains(digits.utf8.count),
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let user = UInt32(digits), ![65_534, UInt32.max].contains(user)
      else {
        throw bad(String(digits), "the number of a user (id -u NAME), several separated by ';'")
      }
      users.insert(user)
    }
    guard users.count <= maximumUsers else { throw bad(nil, "at most \(maximumUsers) users") }
    return users.sorted()
  }

  /// Parses a proxy URL of a kind that libcurl supports.
  ///
  /// The URL holds no password, because settings are not secret.
  static func proxy(_ text: String) throws(ConfigurationError) -> String {
    let ports: KeyValuePairs = ["http": 1080, "https": 443, "socks5": 1080, "socks5h": 1080]
    guard let address = WebAddress(text, ports: ports), address.path.isEmpty else {
      throw bad(
        text.contains("@") ? nil : text,
        "http://, https://, socks5:// or socks5h:// with only host and port"
      )
    }
    return address.text
  }

  private static func bad(_ text: String?, _ rule: String) -> ConfigurationError {
    ConfigurationError(.badValue(text: text, rule: rule))
  }
}

extension Substring {
  /// The text without spaces and tabs at both ends.
  func trimmingSpaces() -> Substring {
    let spaces = " \t".utf8
    guard let first = utf8.firstIndex(where: { !spaces.contains($0) }),
      let last = utf8.lastIndex(where: { !spaces.contains($0) })
    else { return "" }
    return Substring(utf8[first...last])
  }
}
