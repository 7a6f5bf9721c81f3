internal import PlainText

/// How a reader of JSON treats secret members and unusable values.
package struct JSONRules: Sendable {
  let keepsRest: Bool
  let allowsRepeated: Bool
  let allowsFaultyText: Bool
  let longestMixedText: Int
  /// An array: a table would hash each name of the document.
  private let secretMembers: [String]
  /// The most secrets below the members of the outermost object.
  ///
  /// Those members have reserved room: a list of strings under the name of a secret must not take
  /// the place of the refresh token after it.
  let mostNestedSecrets: Int

  /// - Parameters:
  ///   - secretMembers: the members whose strings, at any depth, are unescaped straight into
  ///     `SecretBytes` and never become a `String`. Strings in an array or object under such a name
  ///     are secrets too, so that a secret of a wrong shape does not leak into a `String`.
  ///   - keepsRest: whether to read a document with unusable members or values. A member with an
  ///     unusable name is left out; an unusable value is `JSONValue.unusable`. So is an array or an
  ///     object over `JSONReader.maximumDepth` or `JSONReader.maximumContainers`, and a nested
  ///     secret over `JSONReader.maximumSecrets`. A provider's answer is read this way: a rotated
  ///     refresh token must not be lost because of another member.
  ///   - allowsRepeated: whether a member with a repeated name is `JSONValue.unusable` instead of
  ///     an error. A repeated secret of the outermost object is always an error, because nothing
  ///     says which of the two counts.
  ///   - allowsFaultyText: whether to read a document whose text has faults that common software
  ///     makes. A string with a byte that is not UTF-8 or with a control character is
  ///     `JSONValue.unusable`, or left out with its member if it is a name. A byte order mark, and
  ///     all that follows the outermost object, are ignored. A secret of the outermost object with
  ///     such a fault is still an error.
  ///   - longestMixedText: the most bytes of a string that is not ASCII; a longer one is
  ///     `unusable`. Operations on ASCII take about a hundredth of the time.
  package init(
    secretMembers: Set<String> = [],
    keepsRest: Bool = false,
    allowsRepeated: Bool = false,
    allowsFaultyText: Bool = false,
    longestMixedText: Int = .max
  ) {
    self.secretMembers = Array(secretMembers)
    self.keepsRest = keepsRest
    self.allowsRepeated = allowsRepeated
    self.allowsFaultyText = allowsFaultyText
    mostNestedSecrets = max(0, JSONReader.maximumSecrets - secretMembers.count)
    self.longestMixedText = longestMixedText
  }

  func isSecret(_ name: String) -> Bool {
    secretMembers.contains { $0.isByteEqual(to: name) }
  }
}
