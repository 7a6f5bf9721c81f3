internal import AuditLog
internal import Configuration
internal import OAuth
internal import Storage
internal import System

/// The shortest remaining life of a token that is handed out, in seconds.
let leastLifetime: Int64 = 10
/// The assumed life of a token without a stated one, in seconds.
let assumedLifetime: Int64 = 300

// The access tokens of an account, one for each requested set of scopes, audience and resources.
// The usual set has the empty key; only its token has a file for the front.
extension Vault {
  /// The limit of sets of an account besides the usual one; the one that was stored first is
  /// dropped.
  static let mostScopeSets: Int64 = 16

  /// The request of a caller, in a form that is the same for all requests that mean the same.
  ///
  /// - Throws: `invalidArgument` for a text that is not a scope or audience, and if the account's
  ///   provider knows neither.
  func request(
    _ scope: String?,
    _ audience: String?,
    of account: AccountRow
  ) throws(VaultFailure) -> ScopeRequest {
    guard scope != nil || audience != nil else { return .standard }
    let provider = try provider(of: account)
    guard let settings = provider.oauth else {
      let what =
        provider.kind == .static
        ? "keeps a static secret, which has" : "signs in at a password backend, which knows"
      throw .invalidArgument("\(account.name) \(what) neither scopes nor audiences")
    }
    // Naming the usual audience is the same as naming none. A provider that was sent a resource at
    // the sign-in (RFC 8707) is sent one here.
    let isResource = settings.audience == nil && !settings.resources.isEmpty
    let other =
      audience == settings.audience || settings.resources == audience.map { [$0] }
      ? nil : audience
    guard other == nil || !settings.resourceOnly else {
      throw .invalidArgument("the tokens of \(account.name) are only for their resource")
    }
    let asked = try mappingErrors(to: .invalidArgument) {
      try ScopeRequest(
        scope: try isUsual(scope, settings, account, hasAudience: other != nil) ? nil : scope,
        audience: isResource ? nil : other,
        resources: isResource ? other.map { [$0] } ?? [] : []
      )
    }
    guard !provider.hasOneToken || asked == .standard else {
      throw .invalidArgument(
        "\(account.provider) issues only one token, with the scopes of the login"
      )
    }
    guard settings.refreshScope != .whole || asked.scopes.isEmpty else {
      throw .invalidArgument(
        "at \(account.provider), a refresh with fewer scopes permanently narrows the login of"
          + " account '\(account.name)' (refresh_scope = whole): sign in to a separate account for"
          + " these scopes:"
          + " thumblatch login NAME --provider \(account.provider) --scope SCOPES"
      )
    }
    return asked
  }

  /// Whether these are the scopes of the sign-in, so that the usual token is meant.
  ///
  /// If a refresh asks for all scopes or none, the usual token is meant whatever scopes it has.
  private func isUsual(
    _ scope: String?,
    _ settings: OAuthSettings,
    _ account: AccountRow,
    hasAudience: Bool
  ) throws(OAuthError) -> Bool {
    let asked = try ScopeRequest(scope: scope).scopes
    if settings.refreshScope == .whole {
      let login = account.loginScope ?? settings.scopes.joined(separator: " ")
      return asked == (try ScopeRequest(scope: login).scopes)
    }
    guard !hasAudience, let login = account.loginScope, Self.scopes(login) == asked else {
      return false
    }
    // If the usual token has fewer scopes, request one that names these scopes.
    guard let granted = (try? token(of: account))?.grantedScope else { return true }
    return Self.scopes(granted) == asked
  }

  /// The scopes of the store: sorted by their bytes, each once; `nil` if the text is no scope list.
  private static func scopes(_ text: String) -> [String]? {
    (try? ScopeRequest(scope: text))?.scopes
  }

  /// The stored token, if it may be handed out; the usual token's file is written again if it
  /// differs.
  ///
  /// If `wanted` is `nil`, the token has just come, and is the best there is. The token `doubted`
  /// is not handed out.
  func storedGrant(
    of account: AccountRow,
    _ asked: ScopeRequest,
    wanted: Int64?,
    besides doubted: String? = nil
  ) throws(VaultFailure) -> AccessGrant? {
    guard account.state != .signedOut else { return nil }
    if let row = try token(of: account, asked.key), row.token != doubted,
      let grant = storedGrant(of: account, row, wanted: wanted)
    {
      return grant
    }
    // The usual token may have exactly these scopes, although the sign-in has others.
    guard wanted != nil, doubted == nil, !asked.scopes.isEmpty, asked.audience == nil,
      asked.resources.isEmpty, let usual = try token(of: account),
      let scope = usual.grantedScope ?? account.loginScope,
      Self.scopes(scope) == asked.scopes
    else { return nil }
    return storedGrant(of: account, usual, wanted: wanted)
  }

  private func storedGrant(
    of account: AccountRow,
    _ row: AccessTokenRow,
    wanted: Int64?
  ) -> AccessGrant? {
    guard !row.isSealed else { return nil }
    guard let left = secondsLeft(of: row) else { return nil }
    guard let wanted else {
      guard left > 0 else { return nil }
      return AccessGrant(account.name, row, isShorterThanRequested: left < leastLifetime)
    }
    guard row.serves(wanted, left: left) else { return nil }
    handedOut.noteUse(of: row)
    if row.scopeSet.isEmpty {
      writeTokenFile(of: account, row, isNew: false)
      putAtHand(account, row)
    }
    return AccessGrant(account.name, row, isShorterThanRequested: left < wanted)
  }

  /// Seconds until a stored token expires; `nil` if the clock is earlier than the time of storing
  /// and so cannot tell.
  func secondsLeft(of row: AccessTokenRow) -> Int64? {
    let now = clock.wall.seconds
    guard now >= row.storedAt else { return nil }
    return row.end - now
  }

  /// The access token of an account for a set, expired or not.
  func token(
    of account: AccountRow,
    _ scopeSet: String = ""
  ) throws(VaultFailure) -> AccessTokenRow? {
    try stored(try store.accessToken(account: account.id, scopeSet: scopeSet))
  }

  /// All access tokens of an account, expired or not.
  func tokens(of account: AccountRow) throws(VaultFailure) -> [AccessTokenRow] {
    try stored(try store.accessTokens(account: account.id))
  }

  /// Drops the stored token that a server refused, of any set, and no other.
  ///
  /// Its file is removed first: the front must not hand it out after the row is gone.
  func discard(_ rejected: String, of account: AccountRow, caller: Caller) throws(VaultFailure) {
    let rows = try tokens(of: account).filter { $0.token == rejected && !$0.isSealed }
    guard !rows.isEmpty else { return }
    if rows.contains(where: \.scopeSet.isEmpty) { try removeTokenFile(of: account.name) }
    let resumed = try intentWithoutPause(of: account)
    try change {
      if let resumed { try store.put(resumed) }
      for row in rows {
        try store.deleteAccessToken(account: row.account, scopeSet: row.scopeSet)
      }
      try record(.rejected, .done, account, by: caller)
    }
  }

  // MARK: - What an answer brings

  /// Stores an access token in place of the last one of its set, inside the transaction.
  func keep(_ token: AccessTokenRow) throws(StorageError) {
    noteToken(of: token.account)
    try store.put(token)
    try store.trimAccessTokens(
      account: token.account,
      keeping: Self.mostScopeSets,
      newest: token.scopeSet
    )
  }

  /// The access token of an answer, for the set that the intent was for.
  func accessToken(in answer: TokenAnswer, _ settlement: Settlement) -> AccessTokenRow {
    let intent = settlement.intent
    // If an earlier engine sent the request, some of the token's life has passed.
    let came = answerMoment(of: intent, settlement.provider)
    return AccessTokenRow(
      account: intent.account,
      scopeSet: scopeSet(of: intent),
      token: answer.accessToken.isEmpty ? AccessTokenRow.sealed : answer.accessToken,
      tokenType: answer.tokenType,
      expiresAt: answer.expiresIn.map { came + Int64($0) },
      storedAt: clock.wall.seconds,
      grantedScope: answer.scope.flatMap(Self.granted)
    )
  }

  /// The key of the set that a refresh was for; it is bound to the answer with the rest of the
  /// intent.
  func scopeSet(of intent: IntentRow) -> String {
    intent.purpose == .refresh ? String(decoding: intent.context, as: UTF8.self) : ""
  }
}

extension ScopeRequest {
  /// The request as shown in a prompt; `nil` for the usual one.
  var shown: String? {
    guard self != .standard else { return nil }
    var parts: [String] = []
    parts += ((audience.map { [$0] } ?? []) + resources).map { "for \($0)" }
    if !scopes.isEmpty { parts.append("scope " + scopes.joined(separator: " ")) }
    return parts.joined(separator: ", ")
  }
}

extension AccessGrant {
  /// The grant of a stored token, or of the one that its row only describes.
  init(
    _ account: String,
    _ row: AccessTokenRow,
    isShorterThanRequested: Bool,
    token: String? = nil,
    opened: OpenedToken? = nil
  ) {
    self.init(
      account: account,
      accessToken: token ?? row.token,
      tokenType: row.tokenType,
      expiresAt: row.expiresAt,
      isShorterThanRequested: isShorterThanRequested,
      scope: row.grantedScope,
      opened: opened
    )
  }
}
