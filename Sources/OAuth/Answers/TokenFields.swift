internal import Configuration
internal import JSON
internal import PlainText
internal import SecretMemory

// Extracts the tokens and the user from an answer.
extension TokenJudge {
  /// The longest accepted lifetime in seconds: ten years.
  ///
  /// The limit keeps sums from overflowing.
  static let longestLifetime = 315_360_000

  /// Extracts the tokens from an answer.
  ///
  /// A refresh token is passed on even if the rest of the answer is useless, because the provider
  /// has already invalidated the previous one.
  func tokens(in object: JSONObject, for purpose: TokenPurpose) -> Judgement {
    if provider.hasOneToken { return oneToken(in: object) }
    let refreshToken: SharedSecret?
    switch self.refreshToken(in: object) {
    case .absent: refreshToken = nil
    case .present(let token): refreshToken = token
    case .unusable(let why):
      return misconfigured("`\(member(.refreshToken))` \(why)", refreshToken: nil)
    }
    guard case .string(let accessToken) = value(.accessToken, object) else {
      return misconfigured(
        "the answer has no text `\(member(.accessToken))`",
        refreshToken: refreshToken
      )
    }
    guard (1...PasswordBackend.maximumAccessToken).contains(accessToken.utf8.count),
      accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      return misconfigured(
        "`\(member(.accessToken))` is empty, longer than \(PasswordBackend.maximumAccessToken) bytes, or "
          + "holds more than printable ASCII",
        refreshToken: refreshToken
      )
    }
    guard isBearer(object) else {
      return notBearer(object, refreshToken: refreshToken)
    }
    guard refreshToken != nil || purpose == .refresh else { return withoutRefreshToken }
    if let refreshToken, refreshToken.bytes.isEqual(to: accessToken) {
      // In unencrypted storage this access token would be the refresh token without its gate.
      return misconfigured(
        "`\(member(.accessToken))` and `\(member(.refreshToken))` are the same token:"
          + " refresh_token_field = \(member(.accessToken)) says that there is only one",
        // Do not keep the refresh token of a sign-in: it could never be used.
        refreshToken: purpose == .refresh ? refreshToken : nil
      )
    }
    return .tokens(
      answer(
        object,
        accessToken: accessToken,
        refreshToken: refreshToken,
        lifetime: value(.expiresIn, object).flatMap(Self.lifetime)
      )
    )
  }

  /// Whether the answer calls its token a bearer token or names no type.
  func isBearer(_ object: JSONObject) -> Bool {
    guard let type = value(.tokenType, object) else { return true }
    return type.isNull || type.isWord("bearer")
  }

  /// The judgement of an answer whose token is not a bearer token.
  func notBearer(_ object: JSONObject, refreshToken: SharedSecret?) -> Judgement {
    guard value(.tokenType, object)?.isWord("dpop") == true else {
      return misconfigured("`\(member(.tokenType))` is not Bearer", refreshToken: refreshToken)
    }
    return .misconfigured(
      message: "`\(member(.tokenType))` is DPoP: \(Self.noBoundTokens)",
      refreshToken: refreshToken,
      isSuccess: true
    )
  }

  /// The remedy if a provider binds access tokens to a key (RFC 9449).
  static let noBoundTokens =
    "DPoP-bound tokens (RFC 9449) are not supported: turn DPoP off for this client at the provider"

  func answer(
    _ object: JSONObject,
    accessToken: String,
    refreshToken: SharedSecret?,
    lifetime: Int?
  ) -> TokenAnswer {
    TokenAnswer(
      accessToken: accessToken,
      tokenType: "Bearer",
      expiresIn: lifetime,
      refreshToken: refreshToken,
      scope: scope(in: object),
      user: provider.kind == .passwordBackend ? user(in: object) : nil,
      idToken: idToken(in: object)
    )
  }

  /// The granted scopes as one text; some providers, such as Twitch, send a list.
  private func scope(in object: JSONObject) -> String? {
    let text: String
    switch value(.scope, object) {
    case .string(let list): text = list
    case .array(let values):
      let words: [String] = values.compactMap { value in
        if case .string(let word) = value { word } else { nil }
      }
      guard !words.isEmpty, words.count == values.count else { return nil }
      text = words.joined(separator: " ")
    default: return nil
    }
    return DisplayText.of(text, most: 1024)
  }

  /// The ID token as it came.
  ///
  /// A value that cannot be a token becomes an empty text, which every check refuses.
  private func idToken(in object: JSONObject) -> String? {
    guard provider.kind == .oidc else { return nil }
    switch object["id_token"] {
    case nil, .null: return nil
    case .string(let text) where text.utf8.count <= IDToken.maximumCount: return text
    default: return ""
    }
  }

  /// Without a refresh token the person would have to sign in again for each access token.
  private var withoutRefreshToken: Judgement {
    let remedy = "refresh_token_field = \(member(.accessToken)) in the file of provider"
    guard provider.kind != .passwordBackend else {
      return misconfigured(
        "the answer has no `\(member(.refreshToken))`; if `\(member(.accessToken))` is the only token"
          + " there: \(remedy) \(provider.name)",
        refreshToken: nil
      )
    }
    // Discovery omits only the default, so that any other list is requested unchanged.
    let dropped =
      provider.oauth?.asksLessThanDefault == true
      ? "offline_access was not asked for, because the provider does not list it; if it grants it "
        + "nonetheless, set scope = openid profile offline_access (openid offline_access counts as "
        + "the default); else " : ""
    return .misconfigured(
      message:
        "the answer has no `\(member(.refreshToken))`: \(dropped)provider \(provider.name) gives one "
        + "for a scope such as offline_access, for a parameter of the authorization, or by the "
        + "client's registration; if it never gives one: \(remedy) \(provider.name), and the "
        + "access token is kept sealed instead",
      refreshToken: nil,
      isSuccess: true
    )
  }

  enum Found {
    case absent
    case present(SharedSecret)
    case unusable(String)
  }

  /// An empty refresh token counts as absent: some backends write "" for "unchanged".
  func refreshToken(in object: JSONObject) -> Found {
    switch value(.refreshToken, object) {
    case nil, .null: return .absent
    case .secret(let secret):
      guard secret.bytes.count > 0 else { return .absent }
      guard secret.bytes.count <= PasswordBackend.maximumRefreshToken else {
        return .unusable("is longer than \(PasswordBackend.maximumRefreshToken) bytes")
      }
      // VSCHAR (RFC 6749, appendix A.17).
      let isPrintable = secret.bytes.withBytes { bytes in
        bytes.indices.allSatisfy { (0x20...0x7E).contains(bytes[$0]) }
      }
      return isPrintable ? .present(secret) : .unusable("holds more than printable ASCII")
    default: return .unusable("is not text")
    }
  }

  /// Whole seconds of a lifetime, in any of the forms that backends use.
  static func lifetime(_ value: JSONValue) -> Int? {
    switch value {
    case .integer(let seconds): return Int(min(max(seconds, 0), Int64(longestLifetime)))
    case .number(let seconds):
      guard !seconds.isNaN else { return nil }
      return Int(min(max(seconds, 0), Double(longestLifetime)))
    case .string(let text):
      guard !text.isEmpty, text.utf8.count <= 20 else { return nil }
      return Int64(text).flatMap { lifetime(.integer($0)) }
    default: return nil
    }
  }

  /// The person who signed in: the member `user`, or the answer itself.
  func user(in object: JSONObject) -> UserFacts? {
    var facts = object
    if case .object(let nested) = value(.user, object) { facts = nested }
    var id: String?
    switch value(.id, facts) {
    case .string(let text): id = DisplayText.of(text, most: 255)
    case .integer(let number): id = String(number)
    default: break
    }
    var isVerified: Bool?
    if case .boolean(let flag) = value(.emailVerified, facts) { isVerified = flag }
    let user = UserFacts(
      id: id,
      email: text(.email, facts),
      name: text(.name, facts),
      role: text(.role, facts),
      emailVerified: isVerified,
      createdAt: value(.createdAt, facts).flatMap(Moment.seconds),
      claims: UserClaims.of(facts, without: knownMembers)
    )
    let isNobody = user.id == nil && user.email == nil && user.name == nil
    return isNobody ? nil : user
  }

  /// The members that are not claims: those with a name here, and those about tokens.
  ///
  /// The latter are among the user's members if the answer has no object for the user.
  private var knownMembers: Set<[UInt8]> {
    let fields: [Provider.Field] = [
      .id, .email, .name, .role, .emailVerified, .createdAt, .user, .accessToken, .refreshToken,
      .tokenType, .expiresIn, .scope, .error, .message,
    ]
    let names = UserClaims.bytes(fields.compactMap(provider.name(of:)))
    // A signed answer has the claims of a token (OpenID Connect Core 1.0, section 5.3.2).
    return provider.kind == .oidc ? names.union(UserClaims.ofTheToken) : names
  }

  private func text(_ field: Provider.Field, _ object: JSONObject) -> String? {
    guard case .string(let text) = value(field, object) else { return nil }
    return DisplayText.of(text, most: PasswordBackend.maximumText)
  }

  func value(_ field: Provider.Field, _ object: JSONObject) -> JSONValue? {
    provider.name(of: field).flatMap { object[$0] }
  }

  func member(_ field: Provider.Field) -> String { provider.name(of: field) ?? "" }

  func misconfigured(_ message: String, refreshToken: SharedSecret?) -> Judgement {
    .misconfigured(
      message: "\(message); check the field names of provider \(provider.name)",
      refreshToken: refreshToken,
      isSuccess: true
    )
  }
}

extension JSONValue {
  fileprivate var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Whether it is this word in lower case: token types are case-insensitive (RFC 6749, section
  /// 5.1).
  fileprivate func isWord(_ word: String) -> Bool {
    guard case .string(let text) = self else { return false }
    return text.utf8.count == word.utf8.count && text.lowercased().isByteEqual(to: word)
  }
}
