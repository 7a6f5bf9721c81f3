internal import Configuration
internal import OAuth
internal import Storage

// What a provider grants, beside what it was asked for. A refresh that names no scopes asks for all
// that the login was granted (RFC 6749, section 6), so that stands in the account, and not what some
// file says by now.
extension Vault {
  /// The scopes that a provider says it granted, sorted; nil for a text that is none.
  ///
  /// RFC 6749, section 3.3, parts them by spaces; GitHub does it by commas.
  static func granted(_ scope: String) -> String? {
    guard let request = try? ScopeRequest(scope: scope.replacing(",", with: " ")),
      !request.scopes.isEmpty
    else { return nil }
    return request.scopes.joined(separator: " ")
  }

  /// Takes down which scopes a login brought.
  ///
  /// - Parameters:
  ///   - token: its access token.
  ///   - row: the account as it will be.
  ///   - asked: what it asked for. An answer that tells no scopes grants just these (section 5.1).
  /// - Returns: which of them it was not granted, for the trail.
  func noteLoginScopes(
    of token: AccessTokenRow,
    in row: inout AccountRow,
    asked: [String]
  ) -> String? {
    row.loginScope = token.grantedScope ?? Self.joined(asked)
    row.missingScope = nil
    narrowings = narrowings.filter { $0.key.account != row.id }
    return Self.notGranted(Self.missing(of: asked, in: token))
  }

  /// Takes down which scopes a refresh brought; whoever gets the token first is told what is new.
  ///
  /// - Parameters:
  ///   - token: its access token, whose place still holds the one of before.
  ///   - row: the account as it will be.
  ///   - provider: what the login asked for, where it is not known what that was granted.
  /// - Returns: which it did not grant of those that it was asked for, for the trail.
  /// - Throws: what the store cannot do.
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
    if isNew { narrowings[TokenPlace(token)] = Self.joined(missing) }
    return Self.notGranted(missing)
  }

  /// A token on its way to a caller: the first one is told of the scopes that it lacks.
  func telling(_ grant: AccessGrant, _ place: TokenPlace) -> AccessGrant {
    // To take nothing out would still count as a change.
    guard let missing = narrowings[place] else { return grant }
    narrowings[place] = nil
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
