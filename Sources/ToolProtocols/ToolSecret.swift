/// A secret that another tool wants to store: a password, or a token from elsewhere.
package struct ToolSecret: Sendable, Equatable {
  package let text: String
  /// The user name at the host; `nil` if the tool gives none.
  package let username: String?
  /// When it expires, in seconds since 1970; `nil` if the tool does not say.
  package let expiresAt: Int64?

  package init(_ text: String, username: String? = nil, expiresAt: Int64? = nil) {
    self.text = text
    self.username = username
    self.expiresAt = expiresAt
  }
}
