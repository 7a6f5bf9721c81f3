internal import Configuration
internal import Cryptography
internal import JSON
internal import OAuth
internal import SecretMemory

extension Fuzzer {
  /// Answers of a token endpoint.
  ///
  /// Four choices come first: provider, purpose, status, and the length of the sent secret in units
  /// of 64 of the next bytes.
  static let tokenAnswers = Fuzzer("token-answers", maximum: mostAnswer, dictionary: "json") {
    try judge(&$0, of: Providers.openIDs, for: [.refresh, .code, .device, .login])
  }

  /// The same for a password backend.
  static let passwordBackend = Fuzzer("password-backend", maximum: mostAnswer, dictionary: "json") {
    try judge(&$0, of: Providers.backends, for: [.refresh, .login, .register])
  }

  /// Answers of a userinfo endpoint or of a revocation endpoint, after two choices: provider and
  /// status.
  static let userinfo = Fuzzer("userinfo", maximum: mostAnswer, dictionary: "json") { input in
    let client = ProviderClient(
      provider: input.choice(Providers.openIDs + Providers.backends)
    )
    let status = input.choice(statuses)
    let body = try input.secret()
    let judgement = client.judgeProfile(
      status: status,
      retryAfter: nil,
      body: body.bytes,
      subject: "u1"
    )
    if case .profile(_, let object) = judgement { _ = try JSONWriter.write(.object(object)) }
    _ = client.judgeLogout(status: status, body: body.bytes)
  }

  /// Answers of an endpoint that says whether a token is valid.
  ///
  /// Three choices come first: provider, status, and whether the endpoint is for introspection.
  static let verifications = Fuzzer(
    "verifications",
    maximum: mostAnswer,
    dictionary: "json"
  ) { input in
    let client = ProviderClient(provider: input.choice(Providers.openIDs + Providers.backends))
    let status = input.choice(statuses)
    let isIntrospection = input.choice([false, true])
    let body = try input.secret()
    let judgement =
      isIntrospection
      ? client.judgeIntrospection(status: status, retryAfter: 1, body: body.bytes)
      : client.judgeVerification(status: status, retryAfter: 1, body: body.bytes, subject: "u1")
    guard case .accepted = judgement else { return }
    demand((200...299).contains(status), "an answer with status \(status) accepts a token")
  }

  /// Answers to a request for a device code, after two choices: provider and status.
  static let deviceAuthorization = Fuzzer(
    "device-authorization",
    maximum: mostAnswer,
    dictionary: "json"
  ) { input in
    let client = ProviderClient(provider: input.choice(Providers.openIDs))
    let status = input.choice(statuses)
    let body = try input.secret()
    let judgement = client.judgeDeviceAuthorization(status: status, retryAfter: 1, body: body.bytes)
    guard case .authorization(let device) = judgement else { return }
    demand(
      device.verificationURI.hasPrefix("https://") && device.interval > 0 && device.expiresIn > 0,
      "a device authorization leads to \(device.verificationURI)"
    )
  }

  /// A provider's metadata, after one choice: the provider.
  static let metadata = Fuzzer(
    "metadata",
    maximum: ServerMetadata.maximumCount + 1,
    dictionary: "json"
  ) { input in
    let provider = input.choice(Providers.discovered)
    let metadata = try ServerMetadata(input.secret().bytes, for: provider)
    _ = metadata.warnings(for: provider)
    let completed = try metadata.completed(provider)
    demand(completed.issuer == provider.issuer, "metadata changes the issuer")
    for endpoint in OAuthEndpoint.allCases {
      let isGood = completed.endpoint(endpoint)?.hasPrefix("https://") ?? true
      demand(isGood, "metadata of an https issuer names a plain endpoint")
    }
  }

  /// The limit of the exchange helper.
  private static let mostAnswer = ExchangeOutcome.maximumBodyCount + 4
  private static let statuses = [
    200, 201, 204, 302, 400, 401, 403, 404, 408, 422, 429, 500, 503, 0, 999,
  ]

  private static func judge(
    _ input: inout Input,
    of providers: [Provider],
    for purposes: [TokenPurpose]
  ) throws {
    let client = ProviderClient(provider: input.choice(providers))
    let purpose = input.choice(purposes)
    let status = input.choice(statuses)
    let count = Int(input.byte()) * 64
    let sent = try SharedSecret(SecretBytes(copying: input.bytes(count)))
    let body = try input.secret()
    _ = client.judge(
      status: status,
      retryAfter: status,
      body: body.bytes,
      for: purpose,
      sent: sent
    )
  }
}

/// Providers whose answers are judged.
private enum Providers {
  static let openIDs = made {
    try [
      provider("oidc", ["jwks_uri": "https://id.example.com/keys"]), provider("oauth2"),
      provider("oauth2", ["invalid_grant_value": "bad_refresh", "empty_refusal": "true"]),
    ]
  }

  static let backends = made {
    try [
      backend([:]),
      backend(["refresh_token_field": "refreshToken", "user_field": "data", "id_field": "_id"]),
      backend(["access_token_field": "token", "refresh_token_field": "token"]),
    ]
  }

  static let discovered = made {
    let settings = ["issuer": "https://id.example.com", "client_id": "client-1"]
    return try ["oidc", "oauth2"].map { kind in
      try Provider(name: ProviderName("dev"), settings: settings.merging(["kind": kind]) { $1 })
    }
  }

  static func provider(_ kind: String, _ more: [String: String] = [:]) throws -> Provider {
    let settings = [
      "kind": kind, "issuer": "https://id.example.com", "client_id": "client-1",
      "discovery": "off",
      "authorization_endpoint": "https://id.example.com/authorize",
      "token_endpoint": "https://id.example.com/token",
      "device_authorization_endpoint": "https://id.example.com/device",
      "userinfo_endpoint": "https://id.example.com/me",
    ]
    return try Provider(name: ProviderName("dev"), settings: settings.merging(more) { $1 })
  }

  private static func backend(_ more: [String: String]) throws -> Provider {
    let settings = ["kind": "password-backend", "issuer": "https://api.example.com"]
    return try Provider(name: ProviderName("dev"), settings: settings.merging(more) { $1 })
  }
}
