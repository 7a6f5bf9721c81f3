internal import TokenFile

/// The name that a user gave to an account, checked on creation.
package struct AccountName: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let text: String

  /// The most bytes of a name.
  package static let longest = NameRule.longest

  /// The characters of a text, with `-` for each byte that a name must not have.
  package static func characters(of text: some StringProtocol) -> String {
    let allowed = text.utf8.map { NameRule.isOfName($0) ? $0 : UInt8(ascii: "-") }
    return String(decoding: allowed, as: UTF8.self)
  }

  /// Accepts only `[a-z0-9][a-z0-9._-]{0,63}`.
  package init(_ text: String) throws(ConfigurationError) {
    self.text = try Self.checked(text, of: "account")
  }

  /// Returns a name that follows the rule of account names; `what` is its kind in the error.
  package static func checked(
    _ text: String,
    of what: String
  ) throws(ConfigurationError) -> String {
    guard NameRule.accepts(text) else {
      throw ConfigurationError(.badName(what: what, text: text))
    }
    return text
  }

  package var description: String { text }

  package static func < (left: AccountName, right: AccountName) -> Bool { left.text < right.text }
}

/// The name that a user gave to a provider, checked on creation.
public struct ProviderName: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The name.
  public let text: String

  /// Accepts only `[a-z0-9][a-z0-9._-]{0,63}`.
  public init(_ text: String) throws(ConfigurationError) {
    guard NameRule.accepts(text) else {
      throw ConfigurationError(.badName(what: "provider", text: text))
    }
    self.text = text
  }

  /// The name.
  public var description: String { text }

  /// Alphabetical order.
  public static func < (left: ProviderName, right: ProviderName) -> Bool { left.text < right.text }
}

extension ProviderName {
  /// Derives a name from an issuer: its host, and its port if that is not the default.
  ///
  /// Characters that are not allowed in a name become `-`, such as the colons of an IPv6 address.
  public init(of issuer: Issuer) throws(ConfigurationError) {
    let address = issuer.origin.split(separator: "/").last ?? ""
    let name = AccountName.characters(of: address).drop { $0 == "-" }
    try self.init(String(name.prefix(NameRule.longest)))
  }
}
