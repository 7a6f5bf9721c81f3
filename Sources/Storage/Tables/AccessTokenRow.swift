/// The access token of an account for one set of scopes.
package struct AccessTokenRow: Sendable, Equatable {
  /// The account's sixteen bytes.
  package var account: [UInt8]
  /// The requested scopes in a canonical form, equal for equal requests; empty for the default set.
  package var scopeSet: String
  package var token: String
  /// Usually `Bearer`.
  package var tokenType: String
  /// When it expires, in seconds since 1970; `nil` if the provider did not say.
  package var expiresAt: Int64?
  /// When it was stored, in seconds since 1970.
  ///
  /// A later value than now means that the clock was set back.
  package var storedAt: Int64
  /// The requested lifetime in seconds.
  package var requestedLifetime: Int64?
  /// The granted scopes, sorted and separated by spaces; `nil` if the provider did not say.
  package var grantedScope: String?

  package init(
    account: [UInt8],
    scopeSet: String = "",
    token: String,
    tokenType: String = "Bearer",
    expiresAt: Int64?,
    storedAt: Int64,
    requestedLifetime: Int64? = nil,
    grantedScope: String? = nil
  ) {
    self.account = account
    self.scopeSet = scopeSet
    self.token = token
    self.tokenType = tokenType
    self.expiresAt = expiresAt
    self.storedAt = storedAt
    self.requestedLifetime = requestedLifetime
    self.grantedScope = grantedScope
  }
}
