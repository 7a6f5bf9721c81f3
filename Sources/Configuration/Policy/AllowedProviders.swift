/// Where users may sign in: anywhere, or at some of the machine's providers.
package enum AllowedProviders: Sendable, Equatable {
  case any
  /// Those in `providers.d` that have one of these names.
  case only(Set<ProviderName>)

  private static let anywhere = "any"
  private static let nowhere = "none"

  /// Reads `any`, `none`, or names that are separated by spaces.
  init(parsing text: String) throws(ConfigurationError) {
    switch text {
    case Self.anywhere: self = .any
    case Self.nowhere: self = .only([])
    default:
      let names = text.split(separator: " ").map(String.init)
      guard !names.isEmpty, !names.contains(where: [Self.anywhere, Self.nowhere].contains) else {
        let rule = "any, none, or the names of providers, separated by spaces"
        throw ConfigurationError(.badValue(text: text, rule: rule))
      }
      self = .only(
        Set(try names.map { name throws(ConfigurationError) in try ProviderName(name) })
      )
    }
  }

  /// The value in the spelling of a policy file, with the names in alphabetical order.
  package var text: String {
    switch self {
    case .any: Self.anywhere
    case .only(let names) where names.isEmpty: Self.nowhere
    case .only(let names): names.sorted().map(\.text).joined(separator: " ")
    }
  }

  /// The providers that both allow.
  func both(_ other: AllowedProviders) -> AllowedProviders {
    switch (self, other) {
    case (.any, let one), (let one, .any): one
    case (.only(let these), .only(let those)): .only(these.intersection(those))
    }
  }
}
