import Configuration

@testable import Commands

/// The errors of settings: of a provider, of hosts.conf, of a policy and of a user's own rules.
enum SettingErrors {
  private typealias Case = (what: String, settings: [String: String])

  static var entries: [String] {
    get throws {
      let oauth = [
        "kind": "oidc", "issuer": "https://id.example.com", "client_id": "cli",
      ]
      let password = ["kind": "password-backend", "issuer": "http://localhost:8000"]
      return oauthCases.map { error($0.what, of: oauth.merging($0.settings) { $1 }) }
        + passwordCases.map { error($0.what, of: password.merging($0.settings) { $1 }) }
        + files + hosts + policies + ownRules + [try certificateFile(oauth)]
        + [
          ListedErrors.entry("a bound provider is damaged", "\(ConfigurationError(.damaged))"),
          ListedErrors.entry(
            "a rule that names no caller",
            try UserRules(bytes: Array("[Caller ci]\naccounts = me\n".utf8)).callers[0].condition
          ),
        ]
    }
  }

  private static let oauthCases: [Case] = [
    ("an issuer with other letters", ["issuer": "https://bücher.example"]),
    ("a client's ID with a space", ["client_id": "c li"]),
    ("a client secret with a space", ["client_secret": "a b"]),
    (
      "a client secret, and no authentication",
      ["client_secret": "hunter2", "client_authentication": "none"]
    ),
    ("an authentication without a client secret", ["client_authentication": "post"]),
    ("an OpenID provider without the scope openid", ["scope": "email"]),
    ("only for its resource, and no resource", ["resource_only": "true"]),
    (
      "only for its resource, and hosts",
      ["resource_only": "true", "resource": "https://mcp.example.com/", "api_hosts": "example.com"]
    ),
    ("a resource with a fragment", ["resource": "https://mcp.example.com/#a"]),
    (
      "no discovery, and an address of it",
      ["discovery": "off", "discovery_url": "https://id.example.com/x"]
    ),
    ("no discovery, and no endpoint for tokens", ["discovery": "off"]),
    ("an endpoint that is no URL", ["token_endpoint": "token"]),
    ("an endpoint of this machine", ["token_endpoint": "http://localhost/token"]),
    ("a parameter that the request has", ["authorization_parameters": "state=x"]),
    ("a parameter without a value", ["authorization_parameters": "prompt"]),
    ("a host with a scheme", ["api_hosts": "https://example.com"]),
    (
      "too many hosts",
      ["api_hosts": (0...32).map { "h\($0).example.com" }.joined(separator: ";")]
    ),
    ("a time without its unit", ["timeout": "5"]),
    ("a connection that may last longer", ["timeout": "5s", "connect_timeout": "9s"]),
    ("a user's name in the place of the number", ["loopback_users": "ada"]),
    ("a proxy with a path", ["proxy": "http://proxy.example.com/path"]),
    ("certificates with a private key", ["ca": "-----BEGIN PRIVATE KEY-----\n"]),
    ("certificates that are not base64", ["ca": "-----BEGIN CERTIFICATE-----\n!\n"]),
    ("certificates without an end", ["ca": "-----BEGIN CERTIFICATE-----\nAAAA\n"]),
  ]

  private static let passwordCases: [Case] = [
    ("a path that goes up", ["login_path": "/a/../b"]),
    ("the name of a field with a space", ["access_token_field": "access token"]),
    (
      "two fields with one name",
      ["access_token_field": "token", "token_type_field": "token"]
    ),
    ("no path to refresh, and two tokens", ["refresh_path": "none"]),
  ]

  /// The errors in the lines of any file.
  private static var files: [String] {
    [
      provider("a provider file with a name that is not allowed", "Id.conf", ""),
      provider("a provider file with a section of another file", "idp.conf", "[Policy]\n"),
      provider("an empty provider file", "idp.conf", ""),
      hosts("a line that is none of a file's", "account\n"),
      hosts("a key above all sections", "account = me\n"),
      hosts("a key twice", "[example.com]\naccount = me\naccount = work\n"),
      hosts("a section twice", "[example.com]\naccount = me\n[example.com]\naccount = me\n"),
      hosts("a file that is too large", String(repeating: "#", count: 70_000)),
    ]
  }

  private static var hosts: [String] {
    [
      hosts("a scheme of a host", "[example.com]\naccount = me\nscheme = digest\n"),
      hosts(
        "too many hosts in a file",
        (0...256).map { "[h\($0).example.com]\naccount = me\n" }.joined()
      ),
    ]
  }

  private static var policies: [String] {
    [
      policy("providers with a word for all", "[Policy]\nproviders = any dev\n"),
      policy("a number of a policy", "[Policy]\nwindow = 0\n"),
      policy("a rule for callers without an account", "[Caller ci]\naccounts =\n"),
      policy("a rule for callers without a scope", "[Caller ci]\nscopes =\n"),
      policy("a rule for callers without an audience", "[Caller ci]\naudiences =\n"),
      policy("a rule for a unit without its kind", "[Caller ci]\nunit = ci\n"),
      policy("a rule for two kinds of callers", "[Caller ci]\nunit = a.service\nsandbox = yes\n"),
    ]
  }

  private static var ownRules: [String] {
    [
      error("a rule of one's own with spaces around it") {
        let key = CallerRuleKey(rule: "ci", key: "accounts")
        _ = try UserRules().setting(key, to: " me")
      },
      error("rules of one's own that are damaged") { _ = try UserRules(bytes: Array("x\n".utf8)) },
      error("too many rules of one's own") {
        let rules = (0...64).map { "[Caller c\($0)]\naccounts = me\n" }.joined()
        _ = try UserRules(bytes: Array(rules.utf8))
      },
    ]
  }

  private static func certificateFile(_ settings: [String: String]) throws -> String {
    let provider = try Provider(
      name: ProviderName("idp"),
      settings: settings.merging(["ca": Situation.certificate]) { $1 }
    )
    return error("the path of certificates has a control character") {
      _ = try ProviderFile.text(for: provider, certificateFile: "a\u{7}")
    }
  }

  private static func error(_ what: String, of settings: [String: String]) -> String {
    error(what) { _ = try Provider(name: ProviderName("idp"), settings: settings) }
  }

  private static func provider(_ what: String, _ file: String, _ text: String) -> String {
    error(what) {
      _ = try ProviderFile.parse(bytes: Array(text.utf8), file: file) { _ in "" }
    }
  }

  private static func hosts(_ what: String, _ text: String) -> String {
    error(what) { _ = try HostFile(text: text, file: "hosts.conf") }
  }

  private static func policy(_ what: String, _ text: String) -> String {
    error(what) { _ = try Policy(bytes: Array(text.utf8), file: "thumblatch.conf") }
  }

  /// The entry of a body that fails.
  private static func error(_ what: String, _ body: () throws -> Void) -> String {
    do {
      try body()
      return ListedErrors.entry(what, "(nothing)")
    } catch {
      return ListedErrors.entry(what, "\(error)")
    }
  }
}
