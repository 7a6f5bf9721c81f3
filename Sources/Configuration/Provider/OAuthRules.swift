internal import PlainText

/// Parsers for the values of an OAuth provider's keys.
enum OAuthRules {
  static let maximumList = 64

  static func required(_ text: String) throws(ConfigurationError) -> Bool {
    try ProviderSettings.truth(text, yes: "required", no: "optional")
  }

  static func scopes(_ text: String) throws(ConfigurationError) -> [String] {
    guard let scopes = ScopeList.scopes(in: text), !scopes.isEmpty else {
      let most = ScopeList.maximumCount
      throw bad(text, "1 to \(most) scopes separated by spaces, without quotes and backslashes")
    }
    return scopes
  }

  /// Absolute URIs without a fragment (RFC 8707, section 2), separated by semicolons.
  static func resources(_ text: String) throws(ConfigurationError) -> [String] {
    var resources: Set<String> = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let resource = String(part.trimmingSpaces())
      guard isURI(resource) else {
        throw bad(
          quotable(resource),
          "an absolute URI without a fragment, several separated by ';'"
        )
      }
      resources.insert(resource)
    }
    guard resources.count <= maximumList else { throw bad(nil, "at most \(maximumList) resources") }
    return resources.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  static func algorithms(
    _ text: String
  ) throws(ConfigurationError) -> [OAuthSettings.IDTokenAlgorithm] {
    let all = OAuthSettings.IDTokenAlgorithm.allCases
    var chosen: Set<OAuthSettings.IDTokenAlgorithm> = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let name = String(part.trimmingSpaces())
      guard let algorithm = OAuthSettings.IDTokenAlgorithm(named: name) else {
        let names = all.map(\.rawValue).joined(separator: ", ")
        throw bad(name, "one of \(names), several separated by ';'")
      }
      chosen.insert(algorithm)
    }
    let first: Set<OAuthSettings.IDTokenAlgorithm> = [.rs256, .ps256, .es256, .edDSA]
    return chosen == first ? all : all.filter(chosen.contains)
  }

  /// A whole URL: https, or http on this machine if the issuer uses it too.
  ///
  /// A query is allowed (RFC 6749, section 3.1), but not user information or a fragment.
  static func endpoint(_ text: String, issuer: Issuer) throws(ConfigurationError) -> String {
    let rule = "a whole https:// URL without user and fragment"
    guard isURI(text), let target = try? RequestTarget(text),
      text.utf8.count <= WebAddress.maximumLength
    else { throw bad(quotable(text), rule) }
    guard target.scheme == "https" || issuer.isPlain else {
      throw bad(quotable(text), rule + "; http:// only on this machine, for an issuer there")
    }
    return target.text
  }

  /// The keys that discovery filled in, in the program's own spelling.
  static func discovered(_ text: String) throws(ConfigurationError) -> [String] {
    let known = Set(
      OAuthEndpoint.allCases.map(\.key) + [OAuthSettings.responseIssuerKey, OAuthSettings.scopeKey]
    )
    let keys = text.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
    guard keys == Set(keys).sorted(), known.isSuperset(of: keys) else {
      throw ConfigurationError(.damaged)
    }
    return keys
  }

  private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let ofScheme = letters.union("0123456789+-.".utf8)
  private static let ofRest = ofScheme.union("_~:/?[]@!$&'()*,;=%".utf8)

  /// Checks for a scheme, a colon and the characters of RFC 3986, section 2, without `#`.
  private static func isURI(_ text: String) -> Bool {
    guard text.utf8.count <= ProviderSettings.maximumValueLength, let first = text.utf8.first,
      let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { return false }
    let rest = text.utf8[colon...].dropFirst()
    return letters.contains(first) && text[..<colon].utf8.allSatisfy(ofScheme.contains)
      && !rest.isEmpty && rest.allSatisfy(ofRest.contains)
  }

  /// Omits a URL with an @, which may hold a password.
  private static func quotable(_ text: String) -> String? { text.contains("@") ? nil : text }

  private static func bad(_ text: String?, _ rule: String) -> ConfigurationError {
    ConfigurationError(.badValue(text: text, rule: rule))
  }
}
