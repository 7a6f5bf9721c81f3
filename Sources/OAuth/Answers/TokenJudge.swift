internal import Configuration
internal import JSON
internal import PlainText
internal import SecretMemory

/// Judges a provider's answers.
///
/// The rules are the same for every kind and follow the provider's settings.
struct TokenJudge {
  let provider: Provider

  /// Judges an answer.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - retryAfter: the header Retry-After in seconds, if there was one.
  ///   - body: the body, at most `SecretBytes.maximumCount` bytes.
  ///   - purpose: the purpose of the request.
  ///   - sent: the secret that was sent; a message that quotes it is dropped.
  /// - Returns: the meaning; never tokens that could not be used or stored.
  func judge(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    for purpose: TokenPurpose,
    sent: SharedSecret?
  ) -> Judgement {
    let wait = retryAfter.map { min(max($0, 0), Self.longestWait) }
    // Accept a repeated member: its value is unusable, but the refresh token beside it is needed.
    // The provider has already invalidated the previous token.
    let answer = Answer(body, secretMembers: secretMembers, mayHoldTokens: true)
    switch status {
    case 200...299:
      guard case .object(let object) = answer else {
        // This is also how tokens that were issued and lost on the way look.
        return .failing(status: status, retryAfter: nil, message: "the answer is not a JSON object")
      }
      if isRefusalInDisguise(object) { return refusal(400, answer, wait, purpose, sent) }
      return tokens(in: object, for: purpose)
    case 429: return tooMany(answer, wait, purpose)
    case 300...399: return misconfigured(purpose, "a redirect (\(status))")
    case 404, 405, 410, 415: return misconfigured(purpose, "\(status)")
    case 408, 421, 425: return failing(status, wait)
    case 400...499: return refusal(status, answer, wait, purpose, sent)
    default: return failing(status, wait)
    }
  }

  /// A success status with an error and no token: GitHub refuses this way.
  private func isRefusalInDisguise(_ object: JSONObject) -> Bool {
    guard provider.kind != .passwordBackend, errorCode(in: object) != nil else { return false }
    return [Provider.Field.accessToken, .refreshToken].allSatisfy { field in
      provider.name(of: field).flatMap { object[$0] } == nil
    }
  }

  /// The longest wait in seconds before a retry, even if Retry-After asks for more.
  private static let longestWait = 86_400

  /// The members that never become a `String`, at any depth.
  var secretMembers: Set<String> {
    Set([Provider.Field.refreshToken, .password].compactMap { provider.name(of: $0) })
      .union(provider.kind == .passwordBackend ? [] : ["device_code", Self.refreshTokenOfOAuth])
  }

  private func refusal(
    _ status: Int,
    _ answer: Answer,
    _ wait: Int?,
    _ purpose: TokenPurpose,
    _ sent: SharedSecret?
  ) -> Judgement {
    if let judgement = oauthRefusal(status, answer, wait, purpose, sent) { return judgement }
    guard purpose == .refresh else {
      return refusal(status: status, answer.object, for: purpose, hiding: sent)
    }
    let isRefusal = status == 400 || status == 401 || status == 403
    guard case .object(let object) = answer else {
      guard isRefusal else { return failing(status, nil) }
      if provider.emptyRefusal { return .invalidGrant }
      let isEmpty = if case .empty = answer { true } else { false }
      return .unexplained(status: status, isEmpty: isEmpty)
    }
    let code = errorCode(in: object)
    if isRefusal, isInvalidGrant(code) { return .invalidGrant }
    // Without the secret that was sent, a message that quotes it could not be recognized.
    let words = sent == nil ? nil : description(in: object, hiding: sent)
    guard let code, Self.isHarmless(code, hiding: sent) else {
      let message = misfit(purpose, "\(status) without a known `\(member(.error))`", words)
      guard isRefusal else { return .misconfigured(message: message, refreshToken: nil) }
      return .otherError(status: status, code: nil, message: message)
    }
    if code == Self.invalidScope, provider.kind != .passwordBackend {
      return .scopeRefused(status: status, message: words)
    }
    if Self.wantsPerson.contains(code), provider.kind != .passwordBackend {
      return .signInWanted(status: status, code: code, words: words)
    }
    let message = misfit(purpose, "\(status) \(code)", words, code: code)
    guard isRefusal, !Self.ofClients.contains(code) else {
      return .misconfigured(message: message, refreshToken: nil)
    }
    return .otherError(status: status, code: code, message: message)
  }

  /// The codes of RFC 6749, section 5.2, and RFC 8707, section 2, that are about the client and its
  /// request.
  private static let ofClients = ofBoundTokens.union([
    "invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type",
    "invalid_target", invalidScope,
  ])

  /// The codes of RFC 9449, sections 5 and 8, that demand a proof with the client's key.
  private static let ofBoundTokens: Set = ["invalid_dpop_proof", "use_dpop_nonce"]

  /// The codes with which some providers, such as Microsoft Entra ID, ask for another sign-in
  /// (OpenID Connect Core 1.0, section 3.1.2.6, defines them for the browser).
  ///
  /// They do not say that the refresh token is dead, but a retry without the person fails again.
  private static let wantsPerson: Set = [
    "interaction_required", "login_required", "account_selection_required", "consent_required",
  ]

  /// RFC 6749, section 5.2.
  private static let invalidScope = "invalid_scope"

  /// The meaning of OAuth's error codes other than a dead refresh token; `nil` for other codes and
  /// for password backends.
  private func oauthRefusal(
    _ status: Int,
    _ answer: Answer,
    _ wait: Int?,
    _ purpose: TokenPurpose,
    _ sent: SharedSecret?
  ) -> Judgement? {
    guard provider.kind != .passwordBackend, case .object(let object) = answer,
      let code = errorCode(in: object), !isInvalidGrant(code)
    else { return nil }
    switch ErrorMeaning(code, for: purpose) {
    case .pending: return .pending(slowDown: false)
    case .slowDown: return .pending(slowDown: true)
    case .outOfOrder: return failing(status, wait)
    case .refused(let words):
      let message = words ?? self.message(in: object, hiding: sent) ?? Self.noReason
      // The resource owner's credentials are the grant in this flow (RFC 6749, section 5.2).
      guard purpose == .login else { return .refused(status: status, message: message) }
      let details = RefusalDetails(reason: .wrongCredentials)
      return .refused(status: status, message: message, details: details)
    case .configuration where purpose != .refresh:
      guard Self.isHarmless(code, hiding: sent) else {
        return misconfigured(purpose, "\(status) with an unknown `\(member(.error))`")
      }
      let words = description(in: object, hiding: sent)
      guard code != Self.invalidScope else { return .scopeRefused(status: status, message: words) }
      return misconfigured(purpose, "\(status) \(code)", words, code: code)
    case .configuration: return nil
    }
  }

  private func isInvalidGrant(_ code: String?) -> Bool {
    code?.isByteEqual(to: provider.invalidGrantValue) ?? false
  }

  /// The code for machines: `{"error": "code"}` or `{"error": {"code": "code"}}`.
  func errorCode(in object: JSONObject) -> String? {
    switch provider.name(of: .error).flatMap({ object[$0] }) {
    case .string(let code): return code
    case .object(let nested):
      guard case .string(let code) = nested["code"] else { return nil }
      return code
    default: return nil
    }
  }

  /// The text for people, from any member that backends use, or the error code.
  func message(in object: JSONObject, hiding sent: SharedSecret?) -> String? {
    if let text = description(in: object, hiding: sent) { return text }
    if let code = errorCode(in: object), Self.isHarmless(code, hiding: sent) { return code }
    return nil
  }

  /// The text for people without the error code as a fallback: one line, bounded.
  func description(in object: JSONObject, hiding sent: SharedSecret?) -> String? {
    let field = provider.name(of: .message) ?? "message"
    for name in [field, "error_description", "detail", "message", "title"] {
      guard case .string(let text) = object[name], !text.isEmpty else { continue }
      if let sent, Self.quotes(text, sent) { continue }
      return DisplayText.of(text, most: 200)
    }
    return nil
  }

  /// Whether a code can be shown: words, too short and too plain to be a token that the provider
  /// sent back.
  static func isHarmless(_ code: String, hiding sent: SharedSecret?) -> Bool {
    if let sent, quotes(code, sent) { return false }
    return ProviderClient.isErrorCode(code)
  }

  static func quotes(_ text: String, _ secret: SharedSecret) -> Bool {
    secret.bytes.withBytes { secret in SecretSearch(secret).finds(secret, in: text) }
  }

  private func failing(_ status: Int, _ wait: Int?) -> Judgement {
    .failing(status: status, retryAfter: wait, message: "the provider answered \(status)")
  }

  private func misconfigured(
    _ purpose: TokenPurpose,
    _ what: String,
    _ words: String? = nil,
    code: String? = nil
  ) -> Judgement {
    .misconfigured(message: misfit(purpose, what, words, code: code), refreshToken: nil)
  }

  /// The text for settings that do not fit the provider; `words` is the provider's own explanation.
  private func misfit(
    _ purpose: TokenPurpose,
    _ what: String,
    _ words: String? = nil,
    code: String? = nil
  ) -> String {
    let what = what + (words.map { " (\($0))" } ?? "")
    let endpoint: Provider.Endpoint? =
      switch purpose {
      case .login: .login
      case .register: .register
      case .refresh: .refresh
      case .code, .device: nil
      }
    guard provider.kind == .passwordBackend, let endpoint else {
      // The client of an MCP server was registered by a login, and servers forget such clients.
      let remedy =
        if code == "invalid_client", let resource = provider.onlyResource {
          "for a new client: thumblatch provider remove \(provider.name), then thumblatch login "
            + "\(provider.name) --mcp \(resource)"
        } else if let code, Self.ofBoundTokens.contains(code) {
          Self.noBoundTokens
        } else {
          "check client, scope and endpoints of provider \(provider.name)"
        }
      return "the token endpoint answered \(what); \(remedy)"
    }
    // A file that names no path uses the default path.
    let none =
      endpoint == .refresh && provider.hasOneToken
      ? "; without such an endpoint: \(endpoint.key) = none" : ""
    return "\(provider.path(of: endpoint)) answered \(what); check `\(endpoint.key)` and the "
      + "field names of provider \(provider.name)\(none)"
  }
}

extension ProviderClient {
  /// Whether a text looks like an error code: at most 40 letters and underscores.
  package static func isErrorCode(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { letters.contains($0 | 0x20) || $0 == UInt8(ascii: "_") }
  }
}

/// The meaning of an error code of RFC 6749, section 5.2, or RFC 8628, section 3.5.
private enum ErrorMeaning {
  /// The person has not answered on the other device yet.
  case pending
  /// The same, and the client polls too often.
  case slowDown
  /// This sign-in has ended; the text is ours if it says more than the provider's.
  case refused(String?)
  /// The provider is temporarily unavailable.
  case outOfOrder
  /// Client, scope and provider do not fit together.
  case configuration

  init(_ code: String, for purpose: TokenPurpose) {
    // A longer code matches no case, so compare nothing with it.
    switch (code.utf8.count <= 64 ? code : "", purpose) {
    case ("authorization_pending", .device): self = .pending
    case ("slow_down", .device): self = .slowDown
    case ("access_denied", .device), ("authorization_declined", .device):
      self = .refused("the sign-in was declined")
    case ("expired_token", .device): self = .refused("the code has expired")
    case ("invalid_grant", .refresh): self = .configuration
    case ("invalid_grant", _), ("bad_verification_code", .code): self = .refused(nil)
    // Codes of section 4.1.2.1, defined for the browser. Some providers send them here too.
    case ("temporarily_unavailable", _), ("server_error", _): self = .outOfOrder
    default: self = .configuration
    }
  }
}
