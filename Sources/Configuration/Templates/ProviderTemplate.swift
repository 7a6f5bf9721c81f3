/// The settings of a well-known provider that are the same for every user.
package struct ProviderTemplate: Sendable {
  /// A part of the settings that only the person knows.
  package struct Placeholder: Sendable {
    /// Its name, which stands between braces in the settings.
    package let name: String
    /// A description for the person, as a clause.
    package let meaning: String
    /// The default value; `nil` if a value is required.
    package let standard: String?
    let rule: String
    let isValid: @Sendable (String) -> Bool
  }

  package let name: String
  package let title: String
  /// The values that the person must or can give.
  package let placeholders: [Placeholder]
  /// Whether the provider requires a secret from installed programs.
  package let needsSecret: Bool
  /// The steps to do at the provider first, a sentence each.
  package let notes: [String]

  private let settings: [String: String]
  /// Settings that are useful only with a secret.
  private let settingsWithSecret: [String: String]

  init(
    name: String,
    title: String,
    placeholders: [Placeholder] = [],
    needsSecret: Bool = false,
    notes: [String],
    settings: [String: String],
    settingsWithSecret: [String: String] = [:]
  ) {
    self.name = name
    self.title = title
    self.placeholders = placeholders
    self.needsSecret = needsSecret
    self.notes = notes
    self.settings = settings
    self.settingsWithSecret = settingsWithSecret
  }

  /// The redirect URI that the notes name, and that its providers have unless another one is set.
  package var redirectURI: String { settings["redirect_uri"] ?? LoopbackRedirect.standard.text }

  package static func named(_ name: String) -> ProviderTemplate? { all.first { $0.name == name } }

  /// The required placeholders without a value.
  package func missing(of values: [String: String]) -> [Placeholder] {
    placeholders.filter { $0.standard == nil && values[$0.name] == nil }
  }

  /// The settings, without the client id.
  ///
  /// - Parameters:
  ///   - values: the values of the placeholders, by name.
  ///   - issuer: the issuer, if it is not the one from the placeholders.
  ///   - hasSecret: whether there is a client secret.
  /// - Throws: an error with the placeholder's name as its key, if a value is missing or malformed.
  /// - Returns: the settings of a provider file.
  package func settings(
    filledWith values: [String: String],
    issuer: String? = nil,
    hasSecret: Bool = false
  ) throws(ConfigurationError) -> [String: String] {
    var filled: [String: String] = [:]
    for placeholder in placeholders where issuer == nil {
      guard let value = values[placeholder.name] ?? placeholder.standard else {
        throw ConfigurationError(.missingKey, key: placeholder.name)
      }
      guard placeholder.isValid(value) else {
        throw ConfigurationError(
          .badValue(text: value, rule: placeholder.rule),
          key: placeholder.name
        )
      }
      filled[placeholder.name] = value
    }
    let found = issuer ?? Self.filling(settings["issuer"] ?? "", filled)
    filled["issuer"] = found.hasSuffix("/") ? String(found.dropLast()) : found
    var result = hasSecret ? settings.merging(settingsWithSecret) { $1 } : settings
    for (key, text) in result { result[key] = Self.filling(text, filled) }
    result["issuer"] = found
    return result
  }

  private static func filling(_ text: String, _ values: [String: String]) -> String {
    values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }
}

extension ProviderTemplate.Placeholder {
  /// A host, with an optional port and path, as in a URL.
  static func host(_ name: String, _ meaning: String, standard: String? = nil) -> Self {
    Self(
      name: name,
      meaning: meaning,
      standard: standard,
      rule: "a host such as id.example.com, without https://"
    ) { text in
      text.last != "/" && WebAddress("https://" + text, ports: ["https": 443]) != nil
    }
  }

  /// A component of a path.
  static func word(_ name: String, _ meaning: String) -> Self {
    Self(name: name, meaning: meaning, standard: nil, rule: "one word, as in the URL") {
      (1...128).contains($0.utf8.count) && !$0.contains("/") && WebAddress.isPath("/" + $0)
    }
  }

  /// A UUID.
  ///
  /// A tenant's name would give another issuer than the one in its tokens.
  static func uuid(_ name: String, _ meaning: String) -> Self {
    Self(
      name: name,
      meaning: meaning,
      standard: nil,
      rule: "the id, such as 00000000-0000-0000-0000-000000000000, and not a name"
    ) { text in
      let groups = text.split(separator: "-", omittingEmptySubsequences: false)
      return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
        && groups.joined().utf8.allSatisfy {
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
  }
}
