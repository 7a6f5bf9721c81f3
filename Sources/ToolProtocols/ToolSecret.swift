/// A secret that another tool gives to keep: a password, or a token that it got elsewhere.
package struct ToolSecret: Sendable, Equatable {
  package let text: String
  /// The user's name at the host; `nil` if the tool knows none.
  package let username: String?
  /// When it expires, in seconds since 1970; `nil` if the tool does not say.
  package let expiresAt: Int64?

  package init(_ text: String, username: String? = nil, expiresAt: Int64? = nil) {
    self.text = text
    self.username = username
    self.expiresAt = expiresAt
  }
}
