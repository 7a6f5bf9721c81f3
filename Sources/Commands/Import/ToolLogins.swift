internal import Configuration
internal import JSON
internal import PlainText
internal import SecretMemory

/// Reads the logins in the JSON files of AI tools.
///
/// A file is recognized by its members, so that a copy under another name is read as well. An entry
/// with unknown members or types is not movable, and hides no other entry.
struct ToolLogins {
  /// The members whose strings stay in locked memory.
  static let rules = JSONRules(
    secretMembers: [
      "refreshToken", "refresh_token", "refresh", "clientSecret", "client_secret", "key",
      "OPENAI_API_KEY", "password",
    ],
    longestMixedText: 4096
  )

  private static let noRefreshToken = "it has no refresh token"
  private static let unknownForm = "its format is not known"
  /// The redirect URI with which opencode registers its clients, as in its published source.
  private static let redirectOfOpencode = "http://127.0.0.1:19876/mcp/oauth/callback"
  /// The system's certificates, one of which oidc-agent writes into each login, as in its published
  /// source.
  private static let systemCertificates = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
  ]
  private static let keyWithoutHost =
    "it is an API key: use thumblatch store NAME --host HOST, then delete it from the file"

  let source: ImportSource
  let document: JSONValue

  /// The entries of the file, in its order; several of one name have the names of the file.
  var entries: [ForeignEntry] {
    let all = found
    return all.map { entry in
      let isShared = all.count { $0.name.utf8.elementsEqual(entry.name.utf8) } > 1
      var entry = entry
      if isShared, let key = entry.key { entry.name = key }
      return entry
    }
  }

  private var found: [ForeignEntry] {
    switch (source, document) {
    case (.claude, .object(let object)): claude(object)
    case (.codex, .object(let object)): codex(object)
    case (.gemini, .object): [own(.gemini, document, removal: .wholeFile)]
    case (.gemini, .array(let elements)): gemini(elements)
    case (.opencode, .object(let object)): opencode(object)
    case (.oidcAgent, .object(let object)): oidcAgent(object)
    default: []
    }
  }

  // MARK: - The tools

  private func claude(_ object: JSONObject) -> [ForeignEntry] {
    var entries: [ForeignEntry] = []
    if object["claudeAiOauth"] != nil {
      entries.append(
        ForeignEntry(
          name: source.rawValue,
          content: .unmovable("its provider documents no client that another program may use"),
          removal: .value([.member("claudeAiOauth")])
        )
      )
    }
    guard case .object(let servers)? = object["mcpOAuth"] else { return entries }
    return entries
      + servers.members.map { key, value in
        entry(key, value, at: [.member("mcpOAuth"), .member(key)]) { login throws(JSONError) in
          (
            try login.optionalString("serverName"),
            try login.optionalSecret("refreshToken").map { token throws(JSONError) in
              ForeignLogin(
                refreshToken: token,
                clientID: try login.optionalString("clientId"),
                clientSecret: try login.optionalSecret("clientSecret"),
                server: try login.string("serverUrl"),
                issuer: try login.optionalString("issuer"),
                redirect: try login.optionalString("redirectUri"),
                scopes: Self.words(try login.optionalString("scope")),
                expiresAt: Self.seconds(login["expiresAt"])
              )
            }
          )
        }
      }
  }

  private func codex(_ object: JSONObject) -> [ForeignEntry] {
    var entries: [ForeignEntry] = []
    if let tokens = object["tokens"], tokens != .null {
      entries.append(own(.codex, tokens, removal: .value([.member("tokens")])))
    }
    if let key = object["OPENAI_API_KEY"], key != .null {
      entries.append(apiKey("OPENAI_API_KEY"))
    }
    return entries
      + object.members.filter { Self.has($0.value, "server_url") }.map { key, value in
        entry(key, value, at: [.member(key)]) { login throws(JSONError) in
          let scopes = try login.optionalArray("scopes") ?? []
          return (
            try login.optionalString("server_name"),
            try login.optionalSecret("refresh_token").map { token throws(JSONError) in
              ForeignLogin(
                refreshToken: token,
                clientID: try login.optionalString("client_id"),
                server: try login.string("server_url"),
                issuer: try login.optionalString("issuer"),
                scopes: scopes.compactMap { if case .string(let word) = $0 { word } else { nil } },
                expiresAt: Self.seconds(login["expires_at"])
              )
            }
          )
        }
      }
  }

  private func gemini(_ elements: [JSONValue]) -> [ForeignEntry] {
    elements.enumerated().map { index, value in
      entry("\(index + 1)", value, at: [.element(index)]) { login throws(JSONError) in
        let token = try login.object("token")
        return (
          try login.optionalString("serverName"),
          try token.optionalSecret("refreshToken").map { secret throws(JSONError) in
            ForeignLogin(
              refreshToken: secret,
              clientID: try login.optionalString("clientId"),
              server: try login.string("mcpServerUrl"),
              tokenEndpoint: try login.optionalString("tokenUrl"),
              scopes: Self.words(try token.optionalString("scope")),
              expiresAt: Self.seconds(token["expiresAt"])
            )
          }
        )
      }
    }
  }

  private func opencode(_ object: JSONObject) -> [ForeignEntry] {
    object.members.compactMap { key, value in
      if Self.has(value, "key") { return apiKey(key) }
      if Self.has(value, "refresh") {
        guard key == "openai" else {
          return ForeignEntry(
            name: key,
            content: .unmovable("the client of \(key) is not known here"),
            removal: .value([.member(key)])
          )
        }
        return own(
          .codex,
          value,
          called: key,
          token: "refresh",
          expiry: "expires",
          removal: .value([.member(key)])
        )
      }
      return entry(key, value, at: [.member(key)]) { login throws(JSONError) in
        let tokens = try login.object("tokens")
        let client = try login.optionalObject("clientInfo")
        return (
          nil,
          try tokens.optionalSecret("refreshToken").map { secret throws(JSONError) in
            ForeignLogin(
              refreshToken: secret,
              clientID: try client?.optionalString("clientId"),
              clientSecret: try client?.optionalSecret("clientSecret"),
              server: try login.string("serverUrl"),
              redirect: Self.redirectOfOpencode,
              scopes: Self.words(try tokens.optionalString("scope")),
              expiresAt: Self.seconds(tokens["expiresAt"], perSecond: 1)
            )
          }
        )
      }
    }
  }

  /// The output of `oidc-gen --print`: one account, with all members, of which some are empty.
  private func oidcAgent(_ object: JSONObject) -> [ForeignEntry] {
    guard let name = try? object.string("name"), !name.isEmpty else { return [] }
    var entry = entry(name, .object(object), at: []) { login throws(JSONError) in
      let redirects = try login.optionalArray("redirect_uris") ?? []
      let secret = try login.optionalSecret("client_secret")
      let audience = try login.optionalString("audience")
      let certificates = try login.optionalString("cert_path") ?? ""
      let isSystem = certificates.isEmpty || Self.systemCertificates.contains(certificates)
      return (
        name,
        try login.optionalSecret("refresh_token").flatMap { token throws(JSONError) in
          guard token.bytes.count > 0 else { return nil }
          return ForeignLogin(
            refreshToken: token,
            clientID: try login.string("client_id"),
            clientSecret: secret.flatMap { $0.bytes.count > 0 ? $0 : nil },
            issuer: try login.string("issuer_url"),
            isIssuerWithSlash: true,
            certificateFile: isSystem ? nil : certificates,
            // Its redirect URIs may also be of a scheme of its own.
            redirect: redirects.lazy.compactMap { uri in
              if case .string(let text) = uri, text.hasPrefix("http:") { text } else { nil }
            }.first,
            scopes: Self.words(try login.optionalString("scope")),
            audience: audience.flatMap { $0.isEmpty ? nil : $0 }
          )
        }
      )
    }
    entry = ForeignEntry(name: name, content: entry.content, removal: .wholeFile)
    return [entry]
  }

  // MARK: - Parts

  /// A program's login at its own service.
  private func own(
    _ client: KnownClient,
    _ value: JSONValue,
    called name: String? = nil,
    token: String = "refresh_token",
    expiry: String = "expiry_date",
    removal: ForeignEntry.Removal
  ) -> ForeignEntry {
    var content = ForeignEntry.Content.unmovable(Self.unknownForm)
    if case .object(let object) = value {
      let scopes = Self.words((try? object.optionalString("scope")) ?? nil)
      if let secret = try? object.optionalSecret(token) {
        content = .login(
          ForeignLogin(
            refreshToken: secret,
            client: client,
            scopes: scopes,
            expiresAt: Self.seconds(object[expiry])
          )
        )
      } else if object[token] == nil || object[token] == .null {
        content = .unmovable(Self.noRefreshToken)
      }
    }
    return ForeignEntry(name: name ?? source.rawValue, content: content, removal: removal)
  }

  private func apiKey(_ name: String) -> ForeignEntry {
    ForeignEntry(
      name: name,
      content: .unmovable(Self.keyWithoutHost),
      removal: .value([.member(name)])
    )
  }

  /// An entry for an MCP server, which `read` takes apart into its name and its login.
  private func entry(
    _ key: String,
    _ value: JSONValue,
    at path: [JSONStep],
    _ read: (JSONObject) throws(JSONError) -> (name: String?, login: ForeignLogin?)
  ) -> ForeignEntry {
    var (name, content) = (key, ForeignEntry.Content.unmovable(Self.unknownForm))
    if case .object(let object) = value, let found = try? read(object) {
      if let login = found.login {
        content =
          login.clientID == nil ? .unmovable("it does not name its client") : .login(login)
      } else {
        content = .unmovable(Self.noRefreshToken)
      }
      name = found.name ?? key
    }
    return ForeignEntry(name: name, content: content, removal: .value(path), key: key)
  }

  private static func has(_ value: JSONValue, _ member: String) -> Bool {
    guard case .object(let object) = value, let found = object[member] else { return false }
    return found != .null
  }

  /// A time in seconds, which opencode writes with a fraction; `nil` if it is not known.
  ///
  /// The time is only shown, so a time in another form must not prevent the import.
  private static func seconds(_ time: JSONValue?, perSecond units: Double = 1000) -> Int64? {
    switch time {
    case .integer(let number)?: Int64(exactly: (Double(number) / units).rounded(.down))
    case .number(let number)?: Int64(exactly: (number / units).rounded(.down))
    default: nil
    }
  }

  private static func words(_ text: String?) -> [String] {
    (text ?? "").split(separator: " ").map(String.init)
  }
}
