internal import Configuration
internal import OAuth
internal import Storage

// The scopes that a provider grants, compared with those that were requested. A refresh that names
// no scopes asks for all scopes that the sign-in was granted (RFC 6749, section 6). So the account
// has these, whatever a file says now.
extension Vault {
  /// The scopes that a provider says it granted, sorted; `nil` if the text is not a scope list.
  ///
  /// RFC 6749, section 3.3, separates them by spaces; GitHub uses commas.
  static func granted(_ scope: String) -> String? {
    guard let request = try? ScopeRequest(scope: scope.replacing(",", with: " ")),
      !request.scopes.isEmpty
    else { return nil }
    return request.scopes.joined(separator: " ")
  }

  /// Notes the scopes that a sign-in was granted.
  ///
  /// An answer that names no scopes grants exactly those of `asked` (section 5.1).
  ///
  /// - Returns: the requested scopes that were not granted, for the audit log.
  func noteLoginScopes(
    of token: AccessTokenRow,
    in row: inout AccountRow,
    asked: [String]
  ) -> String? {
    row.loginScope = token.grantedScope ?? Self.joined(asked)
    row.missingScope = nil
    handedOut.forgetUngranted(of: row.id)
    return Self.notGranted(Self.missing(of: asked, in: token))
  }

  /// Notes the scopes that a refresh was granted.
  ///
  /// The first caller that gets the token learns which are newly missing.
  ///
  /// The store still holds the previous token. The provider gives the scopes of the sign-in if it
  /// is not known which were granted.
  ///
  /// - Returns: the requested scopes that were not granted, for the audit log.
  func noteScopes(
    of token: AccessTokenRow,
    in row: inout AccountRow,
    _ provider: Provider
  ) throws(VaultFailure) -> String? {
    let before = try self.token(of: row, token.scopeSet)?.grantedScope
    let asked = ScopeRequest(key: token.scopeSet)?.scopes ?? []
    let missing: [String]
    let known: [String]
    if token.scopeSet.isEmpty {
      row.loginScope = row.loginScope ?? before ?? Self.joined(provider.oauth?.scopes ?? [])
      missing = Self.missing(of: Self.words(row.loginScope), in: token)
      known = Self.words(row.missingScope)
      row.missingScope = Self.joined(missing)
    } else {
      // Another audience may have scopes of its own.
      let wanted = asked.isEmpty ? Self.words(before) : asked
      missing = Self.missing(of: wanted, in: token)
      known = before == nil ? [] : wanted.filter { !Self.words(before).contains($0) }
    }
    let isNew = !Set(missing).isSubset(of: known)
    if isNew { handedOut.noteUngranted(Self.joined(missing), TokenCacheKey(token)) }
    return Self.notGranted(missing)
  }

  /// Adds the scopes that a token lacks to its grant; only the first caller learns of them.
  func telling(_ grant: AccessGrant, _ key: TokenCacheKey) -> AccessGrant {
    guard let missing = handedOut.takeUngranted(key) else { return grant }
    var grant = grant
    grant.missingScope = missing
    return grant
  }

  private static func missing(of wanted: [String], in token: AccessTokenRow) -> [String] {
    guard let granted = token.grantedScope.map(words) else { return [] }
    return Set(wanted).subtracting(granted).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func notGranted(_ missing: [String]) -> String? {
    joined(missing).map { "not granted: \($0)" }
  }

  static func words(_ scope: String?) -> [String] {
    (scope ?? "").split(separator: " ").map(String.init)
  }

  private static func joined(_ scopes: [String]) -> String? {
    scopes.isEmpty ? nil : scopes.joined(separator: " ")
  }
}
