internal import Configuration
internal import JSON
public import SecretMemory

// The answer of a provider that gives one token (`Provider.hasOneToken`): it comes as the refresh
// token, and no access token comes beside it, so that no text is made of it here.
extension TokenJudge {
  /// The member of RFC 6749, section 5.1, that a provider with one token must not give.
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
    // It becomes a header, where a space would end it.
    guard token.bytes.withBytes({ bytes in bytes.indices.allSatisfy { bytes[$0] != 0x20 } }) else {
      return misconfigured("`\(member(.accessToken))` holds a space", refreshToken: nil)
    }
    if provider.oauth != nil, member(.refreshToken) != Self.refreshTokenOfOAuth,
      case .secret(let other) = object[Self.refreshTokenOfOAuth], other.bytes.count > 0
    {
      return .misconfigured(
        message: "the provider gives a `\(Self.refreshTokenOfOAuth)`: take refresh_token_field out"
          + " of the file of provider \(provider.name)",
        refreshToken: other
      )
    }
    guard isBearer(object) else {
      return misconfigured("`\(member(.tokenType))` is not Bearer", refreshToken: token)
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

  /// The lifetime that a JWT says of itself (RFC 7519, sections 4.1.4 and 4.1.6); nil for others.
  ///
  /// Nothing is checked: it says when to ask for the next one, and the provider judges the token. The
  /// difference does not depend on the clock of this machine. What is read is not the secret: without
  /// the signature it is worth nothing.
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
  /// The access token, also where it is the one token: for what takes a text.
  public var presentedToken: String {
    guard accessToken.isEmpty, let refreshToken else { return accessToken }
    return refreshToken.text
  }
}

extension SharedSecret {
  /// A bearer token as a text, for what is sent as a header or handed to a caller.
  public var text: String {
    unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension SecretBytes {
  /// Whether a text has the same bytes; only what came with it is compared, so time tells nothing.
  func isEqual(to text: String) -> Bool {
    withBytes { bytes in
      bytes.count == text.utf8.count
        && zip(bytes.indices, text.utf8).allSatisfy { bytes[$0] == $1 }
    }
  }
}
