import Configuration
import SecretMemory
import System
import TestSupport
import Testing

@testable import TokenVault

/// The answers of the tests' OpenID provider, signed with real keys.
enum OpenProvider {
  static let issuer = "https://id.example.com"
  static let redirect = "http://127.0.0.1:4711/callback"

  /// Keys are made only once, because that is slow.
  private static let signer = Result { try TokenSigner() }

  static func settings(_ more: [String: String] = [:]) -> [String: String] {
    ["kind": "oidc", "issuer": issuer, "client_id": "thumblatch"].merging(more) { $1 }
  }

  static func provider(_ more: [String: String] = [:]) throws -> Provider {
    try Provider(name: ProviderName("dev"), settings: settings(more))
  }

  static func metadata(_ more: String = "", issuer: String = issuer) -> String {
    #"""
    {"issuer":"\#(issuer)","authorization_endpoint":"\#(issuer)/authorize",
    "token_endpoint":"\#(issuer)/token","jwks_uri":"\#(issuer)/keys",
    "device_authorization_endpoint":"\#(issuer)/device","userinfo_endpoint":"\#(issuer)/me",
    "revocation_endpoint":"\#(issuer)/revoke"\#(more)}
    """#
  }

  static func keys(_ kid: String = "k1", _ key: TokenSigner.Key = .p256) throws -> String {
    #"{"keys":[\#(try signer.get().jwk(key, kid: kid))]}"#
  }

  /// An ID token.
  ///
  /// `claims` replace the usual ones, or are added to them.
  static func idToken(
    nonce: String?,
    at clock: ManualClock,
    kid: String = "k1",
    _ key: TokenSigner.Key = .p256,
    claims: [String: String] = [:]
  ) throws -> String {
    let now = clock.wall.seconds
    var members = [
      "iss": #""\#(issuer)""#, "aud": #""thumblatch""#, "sub": #""s-1""#, "iat": "\(now)",
      "exp": "\(now + 600)", "email": #""ann@example.org""#, "name": #""Ann""#,
    ]
    if let nonce { members["nonce"] = #""\#(nonce)""# }
    let payload = members.merging(claims) { $1 }.map { #""\#($0.key)":\#($0.value)"# }
    return try signer.get().token(
      header: #"{"alg":"ES256","kid":"\#(kid)"}"#,
      payload: "{" + payload.joined(separator: ",") + "}",
      key: key,
      algorithm: "ES256"
    )
  }

  static func tokens(
    access: String = "at-1",
    refresh: String? = "rt-1",
    idToken: String?
  ) -> String {
    var members = [
      #""access_token":"\#(access)""#, #""token_type":"Bearer""#, #""expires_in":3600"#,
    ]
    if let refresh { members.append(#""refresh_token":"\#(refresh)""#) }
    if let idToken { members.append(#""id_token":"\#(idToken)""#) }
    return "{" + members.joined(separator: ",") + "}"
  }
}

/// The value of a parameter in a URL or a form.
func parameter(_ name: String, of text: String) -> String? {
  text.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix(name + "=") }
    .map { String($0.dropFirst(name.count + 1)) }
}

extension Bench {
  /// Plans one answer each for the provider's metadata and keys.
  func planDiscovery() throws {
    exchange.plan(
      .answer(status: 200, body: OpenProvider.metadata()),
      .answer(status: 200, body: try OpenProvider.keys())
    )
  }

  func begin(
    _ vault: Vault,
    _ flow: LoginFlow = .browser(redirect: OpenProvider.redirect),
    _ name: String = "me",
    settings: [String: String] = [:],
    caller: Caller = caller()
  ) async throws -> LoginStart {
    try await vault.beginLogin(
      account: name,
      provider: try OpenProvider.provider(settings),
      flow: flow,
      caller: caller
    )
  }

  /// Signs an account in by the browser: generation 1, refresh token `rt-1`, access token `at-1`.
  @discardableResult
  func openSignIn(
    _ vault: Vault,
    _ name: String = "me",
    refresh: String = "rt-1",
    access: String = "at-1",
    settings: [String: String] = [:]
  ) async throws -> AccountFacts {
    try planDiscovery()
    let start = try await begin(
      vault,
      .browser(redirect: OpenProvider.redirect),
      name,
      settings: settings
    )
    let url = try #require(start.url)
    exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(
          access: access,
          refresh: refresh,
          idToken: try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: clock)
        )
      )
    )
    return try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
  }
}

/// The query of a redirect that grants the request.
func answer(to url: String, code: String = "code-1") throws -> SharedSecret {
  shared("code=\(code)&state=\(try #require(parameter("state", of: url)))")
}
