internal import PlainText

/// What a reader of JSON does with members that are secret, and with what it cannot use.
public struct JSONRules: Sendable {
  let keepsRest: Bool
  let longestMixedText: Int
  /// A list: a table would hash each name of the document.
  private let secretMembers: [String]

  /// - Parameters:
  ///   - secretMembers: the members whose strings, at any depth, are unescaped straight into
  ///     `SecretBytes` and never are a `String`. Strings in an array or object under such a name are
  ///     secrets too, so that a secret of a wrong shape does not leak into one.
  ///   - keepsRest: whether a document is read although it holds a member or a value of no use. Such
  ///     a member, by its name, is left out; such a value is `JSONValue.unusable`. A provider's
  ///     answer is read so: a rotated refresh token must not be lost because of another member.
  ///   - longestMixedText: the most bytes of a string that is not ASCII; a longer one is `unusable`.
  ///     Operations on ASCII take about a hundredth of the time.
  public init(
    secretMembers: Set<String> = [],
    keepsRest: Bool = false,
    longestMixedText: Int = .max
  ) {
    self.secretMembers = Array(secretMembers)
    self.keepsRest = keepsRest
    self.longestMixedText = longestMixedText
  }

  func isSecret(_ name: String) -> Bool {
    secretMembers.contains { $0.isByteEqual(to: name) }
  }
}
