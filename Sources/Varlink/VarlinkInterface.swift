/// An interface of a service, and the limits of its messages.
package final class VarlinkInterface: Sendable {
  package let name: String
  /// The interface file, byte for byte.
  package let description: String
  /// The greatest length of a message in bytes, its NUL included.
  package let maximumMessage: Int
  /// Members of calls whose strings are secret.
  ///
  /// A reader never makes a `String` of them.
  ///
  /// A JSON reader knows a member only by its name, so these names are secret in every call.
  package let callSecrets: Set<String>
  /// Members of replies whose strings are secret.
  package let replySecrets: Set<String>

  /// The most bytes of a text in a call that is not ASCII.
  ///
  /// Names, addresses and reasons that people type are shorter, and any other text is ASCII.
  static let longestMixedText = 1024

  package init(
    name: String,
    description: String,
    maximumMessage: Int,
    callSecrets: Set<String>,
    replySecrets: Set<String>
  ) {
    self.name = name
    self.description = description
    self.maximumMessage = maximumMessage
    self.callSecrets = callSecrets
    self.replySecrets = replySecrets
  }
}
