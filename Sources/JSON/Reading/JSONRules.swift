internal import PlainText

/// What a reader of JSON does with members that are secret, and with what it cannot use.
public struct JSONRules: Sendable {
  let keepsRest: Bool
  let allowsRepeated: Bool
  let longestMixedText: Int
  /// A list: a table would hash each name of the document.
  private let secretMembers: [String]
  /// The most secrets below the members of the outermost object.
  ///
  /// Those members keep their room: a list of strings under the name of a secret must not take the place
  /// of the refresh token behind it.
  let mostNestedSecrets: Int

  /// - Parameters:
  ///   - secretMembers: the members whose strings, at any depth, are unescaped straight into
  ///     `SecretBytes` and never are a `String`. Strings in an array or object under such a name are
  ///     secrets too, so that a secret of a wrong shape does not leak into one.
  ///   - keepsRest: whether a document is read although it holds a member or a value of no use. Such
  ///     a member, by its name, is left out; such a value is `JSONValue.unusable`. So is an array or
  ///     an object beyond `JSONReader.maximumDepth` or `JSONReader.maximumContainers`, and a nested
  ///     secret beyond `JSONReader.maximumSecrets`. A provider's answer is read so: a rotated refresh
  ///     token must not be lost because of another member.
  ///   - allowsRepeated: whether a member whose name comes twice is `JSONValue.unusable` instead of an
  ///     error. A secret of the outermost object is an error in any case: nothing says which of the
  ///     two is the one that counts.
  ///   - longestMixedText: the most bytes of a string that is not ASCII; a longer one is `unusable`.
  ///     Operations on ASCII take about a hundredth of the time.
  public init(
    secretMembers: Set<String> = [],
    keepsRest: Bool = false,
    allowsRepeated: Bool = false,
    longestMixedText: Int = .max
  ) {
    self.secretMembers = Array(secretMembers)
    self.keepsRest = keepsRest
    self.allowsRepeated = allowsRepeated
    mostNestedSecrets = max(0, JSONReader.maximumSecrets - secretMembers.count)
    self.longestMixedText = longestMixedText
  }

  func isSecret(_ name: String) -> Bool {
    secretMembers.contains { $0.isByteEqual(to: name) }
  }
}
