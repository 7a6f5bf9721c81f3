internal import Configuration
internal import JSON
public import SecretMemory

// The answer of a provider that gives one token (`Provider.hasOneToken`). The token is returned as
// the refresh token. There is no access token beside it, so no ordinary text of it is made here.
extension TokenJudge {
  /// The member of RFC 6749, section 5.1, that a one-token provider must not send.
  static let refreshTokenOfOAuth = "refresh_token"

  func oneToken(in object: JSONObject) -> Judgement {
    let token: SharedSecret
    switch refreshToken(in: object) {
    case .absent:
      return misconfigured("the answer has no text `\(member(.accessToken))`", refreshToken: nil)
    case .unusable(let why):
      return misconfigured("`\(member(.accessToken))` \(why)", refreshToken: nil)
    case .present(let found): token = found
    }
    // The token becomes part of a header, where a space would end it.
    guard token.bytes.withBytes({ bytes in bytes.indices.allSatisfy { bytes[$0] != 0x20 } }) else {
      return misconfigured("`\(member(.accessToken))` holds a space", refreshToken: nil)
    }
    if provider.oauth != nil, member(.refreshToken) != Self.refreshTokenOfOAuth,
      case .secret(let other) = object[Self.refreshTokenOfOAuth], other.bytes.count > 0
    {
      return .misconfigured(
        message: "the provider gives a `\(Self.refreshTokenOfOAuth)`: take refresh_token_field out"
          + " of the file of provider \(provider.name)",
        refreshToken: other,
        isSuccess: true
      )
    }
    guard isBearer(object) else {
      return notBearer(object, refreshToken: token)
    }
    let told = value(.expiresIn, object).flatMap(Self.lifetime)
    return .tokens(
      answer(
        object,
        accessToken: "",
        refreshToken: token,
        lifetime: told ?? Self.lifetime(ofJWT: token)
      )
    )
  }

  /// The lifetime that a JWT states (RFC 7519, sections 4.1.4 and 4.1.6); `nil` for other tokens.
  ///
  /// Nothing is verified: the result only schedules the next refresh, and the provider judges the
  /// token. The difference of the two times does not depend on this machine's clock. The claims are
  /// not secret: without the signature they are worthless.
  static func lifetime(ofJWT token: SharedSecret) -> Int? {
    let payload: [UInt8]? = token.bytes.withBytes { bytes in
      let dot = UInt8(ascii: ".")
      guard let first = bytes.indices.first(where: { bytes[$0] == dot }),
        let second = bytes.indices.first(where: { $0 > first && bytes[$0] == dot })
      else { return nil }
      return Base64.url.bytes((first + 1..<second).map { bytes[$0] })
    }
    guard let payload,
      case .object(let claims)? = try? JSONReader.read(payload, JSONRules(keepsRest: true)),
      let end = claims["exp"].flatMap(seconds), let start = claims["iat"].flatMap(seconds),
      end > start, end - start <= Double(longestLifetime)
    else { return nil }
    return Int(end - start)
  }

  private static func seconds(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let seconds): Double(seconds)
    case .number(let seconds): seconds
    default: nil
    }
  }
}

extension TokenAnswer {
  /// The access token, or the one token of a one-token provider, for a caller that needs text.
  public var presentedToken: String {
    guard accessToken.isEmpty, let refreshToken else { return accessToken }
    return refreshToken.text
  }
}

extension SharedSecret {
  /// A bearer token as text, to be sent in a header or given to a caller.
  public var text: String {
    unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension SecretBytes {
  /// Whether a text has the same bytes.
  ///
  /// Both came in the same answer, so the timing reveals nothing.
  func isEqual(to text: String) -> Bool {
    withBytes { bytes in
      bytes.count == text.utf8.count
        && zip(bytes.indices, text.utf8).allSatisfy { bytes[$0] == $1 }
    }
  }
}
