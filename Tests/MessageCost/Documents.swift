import Configuration
import OAuth
import SecretMemory
import System
import TestSupport

/// Every document of a provider with one hostile member, and its judge.
struct Documents {
  private let providers: [Provider]
  private let bodies: Bodies
  private let signer: TokenSigner

  init() throws {
    let issuer = "https://id.example.com"
    let ends = ["authorization", "token", "device_authorization", "userinfo", "revocation"]
    var settings = ["issuer": issuer, "client_id": "client-1", "discovery": "off"]
    for end in ends { settings[end + "_endpoint"] = "\(issuer)/\(end)" }
    var openID = settings
    openID["kind"] = "oidc"
    openID["jwks_uri"] = issuer + "/keys"
    settings["kind"] = "oauth2"
    let name = try ProviderName("dev")
    providers = [
      try Provider(name: name, settings: ["kind": "password-backend", "issuer": issuer]),
      try Provider(name: name, settings: settings), try Provider(name: name, settings: openID),
    ]
    // Of the settings, only these two files name members.
    bodies = try Bodies(
      sources: [
        "OAuth/Answers", "Configuration/Provider/OAuthEndpoint.swift",
        "Configuration/Provider/ProviderMembers.swift",
      ],
      members: Provider.Field.allCases.map(\.rawValue)
    )
    signer = try TokenSigner()
  }

  /// Measures every judge.
  func measure(_ gauge: Gauge) throws {
    try measureAnswers(gauge)
    try measureMetadata(gauge)
    try measureKeys(gauge)
    try measureTokens(gauge)
    try measureOneToken(gauge)
    try measureRedirects(gauge)
  }

  private func measureAnswers(_ gauge: Gauge) throws {
    // A repetitive refresh token is the most expensive to look for.
    let sent = try SharedSecret(
      SecretBytes(copying: [UInt8](repeating: UInt8(ascii: "a"), count: 8000) + [UInt8(ascii: "b")])
    )
    let ordinary = #""access_token":"a","refresh_token":"b","token_type":"Bearer""#
    for provider in providers {
      let client = ProviderClient(provider: provider)
      let kind = provider.kind.rawValue
      try bodies.each(ordinary, gauge) { name, bytes in
        let body = try SecretBytes(copying: bytes)
        for status in [200, 400] {
          // The refusals of a login and a registration differ from those of a code.
          let typed: [TokenPurpose] = status == 400 ? [.login, .register] : []
          for purpose in [.refresh, .code, .device] + typed {
            gauge.measure("\(kind), \(purpose) \(status), \(name)", bytes: bytes.count) {
              _ = client.judge(
                status: status,
                retryAfter: nil,
                body: body,
                for: purpose,
                sent: sent
              )
            }
          }
          // A verification is judged as a profile as well.
          gauge.measure("\(kind), verify \(status), \(name)", bytes: bytes.count) {
            _ = client.judgeVerification(
              status: status,
              retryAfter: nil,
              body: body,
              subject: "a"
            )
          }
          gauge.measure("\(kind), introspection \(status), \(name)", bytes: bytes.count) {
            _ = client.judgeIntrospection(status: status, retryAfter: nil, body: body)
          }
          gauge.measure("\(kind), revocation \(status), \(name)", bytes: bytes.count) {
            _ = client.judgeLogout(status: status, body: body, sent: sent)
          }
          gauge.measure("\(kind), device \(status), \(name)", bytes: bytes.count) {
            _ = client.judgeDeviceAuthorization(status: status, retryAfter: nil, body: body)
          }
        }
      }
    }
  }

  private func measureMetadata(_ gauge: Gauge) throws {
    let ordinary = #""issuer":"https://id.example.com""#
    for provider in providers where provider.oauth != nil {
      try bodies.each(ordinary, gauge) { name, bytes in
        guard bytes.count <= ServerMetadata.maximumCount else { return }
        let body = try SecretBytes(copying: bytes)
        gauge.measure("metadata, \(name)", bytes: bytes.count) {
          guard let metadata = try? ServerMetadata(body, for: provider) else { return }
          _ = metadata.warnings(for: provider)
          _ = try? metadata.completed(provider)
        }
      }
    }
  }

  private func measureKeys(_ gauge: Gauge) throws {
    var sets: [(String, [UInt8])] = []
    for key in TokenSigner.Key.allCases {
      let one = try signer.jwk(key, kid: "k")
      let count = min(KeySet.maximumKeys, Bodies.size / (one.utf8.count + 1))
      let all = [String](repeating: one, count: count).joined(separator: ",")
      sets.append(("\(count) keys of \(key)", Array("{\"keys\":[\(all)]}".utf8)))
    }
    let one = try signer.jwk(.p256, kid: nil)
    for filler in Filler.all {
      let value = filler.value(Bodies.size)
      sets.append(("keys, \(filler.name)", Array("{\"keys\":".utf8) + value + Array("}".utf8)))
      for member in ["kty", "crv", "kid", "alg", "use", "key_ops", "n", "e", "x", "y", "d", "a"] {
        let key =
          Array("{\"keys\":[{\"\(member)\":".utf8) + value
          + Array(",\(Bodies.without(member, String(one.dropFirst().dropLast())))}]}".utf8)
        sets.append(("key.\(member), \(filler.name)", key))
      }
    }
    for (name, bytes) in sets where bytes.count <= KeySet.maximumCount {
      let body = try SecretBytes(copying: bytes)
      gauge.measure(name, bytes: bytes.count) {
        guard let keys = try? KeySet(body) else { return }
        _ = try? KeySet(keys.encoded)
      }
    }
  }

  /// A token of each algorithm, with another key of the same key ID that might have signed it.
  private func measureSignatures(_ gauge: Gauge) throws {
    for (key, other, algorithm) in [
      (TokenSigner.Key.rsa, TokenSigner.Key.otherRSA, "PS512"), (.p256, .otherP256, "ES256"),
      (.p384, .p384, "ES384"), (.p521, .p521, "ES512"), (.ed25519, .ed25519, "EdDSA"),
    ] {
      let keys = try [signer.jwk(other, kid: "k"), signer.jwk(key, kid: "k")]
      let set = try KeySet(Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
      let token = try signer.token(
        header: #"{"alg":"\#(algorithm)","kid":"k"}"#,
        payload: #"{"iss":"https://id.example.com"}"#,
        // Not the first key, so that both are tried.
        key: key,
        algorithm: algorithm
      )
      gauge.measure("ID token, \(algorithm)", bytes: token.utf8.count) {
        _ = try? IDToken.check(token, keys: set, expectations: Self.expectations)
      }
    }
  }

  private static let expectations = IDToken.Expectations(
    issuer: "https://id.example.com",
    clientID: "client-1",
    nonce: "n",
    accessToken: "a",
    now: 1000,
    subject: "a"
  )

  private func measureTokens(_ gauge: Gauge) throws {
    try measureSignatures(gauge)
    // The largest number of keys, all with one key ID: each might have signed.
    let sets = try [TokenSigner.Key.p256, .rsa].map { key in
      let others = [String](
        repeating: try signer.jwk(key == .rsa ? .otherRSA : .otherP256, kid: "k"),
        count: key == .rsa ? 60 : 99
      )
      let all = (others + [try signer.jwk(key, kid: "k")]).joined(separator: ",")
      return (key, try KeySet(Array("{\"keys\":[\(all)]}".utf8)))
    }
    let header = #"{"alg":"ES256","kid":"k"}"#
    let claims =
      #""iss":"https://id.example.com","aud":"client-1","sub":"a","exp":2000,"iat":999,"nonce":"n""#
    func check(_ name: String, _ token: String) {
      for (key, set) in sets {
        gauge.measure("ID token, \(key), \(name)", bytes: token.utf8.count) {
          _ = try? IDToken.check(token, keys: set, expectations: Self.expectations)
        }
      }
    }
    check(
      "RSA",
      try signer.token(
        header: #"{"alg":"RS256","kid":"k"}"#,
        payload: "{\(claims)}",
        key: .rsa,
        algorithm: "RS256"
      )
    )
    for filler in Filler.all {
      // Base64 is a third longer.
      let value = String(decoding: filler.value(22_000), as: UTF8.self)
      check("dots, \(filler.name)", value)
      for member in ["alg", "kid", "typ", "crit", "a"] {
        let rest = Bodies.without(member, String(header.dropFirst().dropLast()))
        let text = Array("{\"\(member)\":\(value),\(rest)}".utf8)
        check("header \(member), \(filler.name)", "\(TokenSigner.base64(text)).e30.AAAA")
      }
    }
    for filler in Filler.few {
      let value = String(decoding: filler.value(22_000), as: UTF8.self)
      for member in [
        "iss", "aud", "azp", "sub", "nonce", "at_hash", "exp", "nbf", "email", "name", "a",
      ] {
        let payload = "{\"\(member)\":\(value),\(Bodies.without(member, claims))}"
        check(
          "\(member), \(filler.name)",
          try signer.token(header: header, payload: payload, key: .p256, algorithm: "ES256")
        )
      }
    }
  }

  /// A backend's one token, a JWT whose payload states the lifetime.
  private func measureOneToken(_ gauge: Gauge) throws {
    let settings = ["access_token_field": "token", "refresh_token_field": "token"]
    let backend = ["kind": "password-backend", "issuer": "https://id.example.com"]
    let client = ProviderClient(
      provider: try Provider(
        name: try ProviderName("dev"),
        settings: settings.merging(backend) { $1 }
      )
    )
    for filler in Filler.all {
      // Base64 is a third longer.
      let value = filler.value(Bodies.size * 3 / 4 - 100)
      for (start, end) in [
        ("", ""), (#"{"exp":2000,"iat":"#, "}"), (#"{"iat":999,"exp":"#, "}"),
        (#"{"exp":2000,"iat":999,"a":"#, "}"),
      ] {
        let payload = TokenSigner.base64(Array(start.utf8) + value + Array(end.utf8))
        let body = try SecretBytes(copying: Array(#"{"token":"e30.\#(payload).AAAA"}"#.utf8))
        gauge.measure("one token, \(start)\(filler.name)", bytes: body.count) {
          _ = client.judge(status: 200, retryAfter: nil, body: body, for: .refresh, sent: nil)
        }
      }
    }
  }

  private func measureRedirects(_ gauge: Gauge) throws {
    for filler in Filler.all where filler.isText {
      let value = filler.value(16_000).dropFirst().dropLast()
      for start in [
        "", "https://a/?", "state=s&code=", "state=s&error=", "state=", "iss=",
        "state=s&error=a&error_description=",
      ] {
        let query = try SecretBytes(copying: Array(start.utf8) + value)
        gauge.measure("redirect, \(start)\(filler.name)", bytes: 65_536) {
          _ = try? RedirectAnswer.parse(query, state: "s", provider: providers[2])
        }
      }
    }
  }
}
