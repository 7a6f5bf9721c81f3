import Glibc
import JSON
import System
import TestSupport
import Testing

/// A person who signs in at a real identity provider, `idp`, through its own pages.
final class Member: Someone {
  let provider: IdentityProvider
  /// The certificates of a provider that speaks TLS.
  let certificates: DevBackendCertificates?

  /// A person who has not signed in yet.
  ///
  /// `options` are the provider's own, as `identity-provider.py --help` lists them. `settings` are
  /// the changed lines of the provider's file. Without certificates the provider speaks plain HTTP.
  init(
    _ kind: IdentityProvider.Kind = .toolkit,
    _ options: [String] = [],
    settings: [String: String] = [:],
    certificate: String? = nil
  ) throws {
    certificates = try certificate.map { _ in try DevBackendCertificates() }
    var options = options
    if let certificates, let certificate {
      options += ["--tls", certificates.path(certificate), certificates.path("leaf.key")]
    }
    provider = try IdentityProvider(kind, options)
    try super.init()
    try shell(asRoot: "install -m 755 \(IdentityProvider.directory)/sign-in.py \(base)/sign-in.py")
    if let certificates {
      try shell(asRoot: "install -m 644 \(certificates.path("ca.pem")) \(base)/ca.pem")
    }
    try configure(settings: settings)
  }

  /// Writes the provider's file, as a person would by hand.
  func configure(_ name: String = "idp", settings: [String: String] = [:]) throws {
    var all = ["kind": "oidc", "issuer": provider.issuer, "client_id": IdentityProvider.client]
    if provider.issuer != provider.url {
      all["scope"] = "openid profile email read"
      all["device_authorization_endpoint"] = provider.issuer + "/device-authorization/"
      all["revocation_endpoint"] = provider.issuer + "/revoke_token/"
      all["password_grant"] = "true"
      // One test covers the effect of this setting on a sign-in. The other tests skip the question.
      all["refresh_scope"] = "any"
    } else {
      all["client_secret"] = "any"
      all["scope"] = "openid profile email"
    }
    if certificates != nil { all["ca"] = base + "/ca.pem" }
    all.merge(settings) { $1 }
    let lines = all.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    let text = (["[Provider]"] + lines.map { "\($0.key) = \($0.value)" }).joined(separator: "\n")
    let directory = home + "/.config/thumblatch/providers.d"
    try write(text + "\n", to: base + "/provider.conf")
    try shell(
      asRoot: """
        install -d -m 700 -o \(user.name) \(home)/.config \(home)/.config/thumblatch \(directory)
        install -m 600 -o \(user.name) \(base)/provider.conf \(directory)/\(name).conf
        """
    )
  }

  /// A value for `BROWSER` that completes the provider's pages automatically.
  ///
  /// The options are those of `sign-in.py`, such as `--deny`.
  func browser(_ options: [String] = []) throws -> String {
    let path = base + "/browser"
    let words = options + (certificates == nil ? [] : ["--ca", base + "/ca.pem"])
    try write(
      """
      #!/bin/sh
      exec /usr/bin/python3 \(base)/sign-in.py \(words.joined(separator: " ")) "$1" \\
        >\(home)/page 2>&1
      """ + "\n",
      to: path
    )
    try shell(asRoot: "chmod 755 \(path)")
    return "BROWSER=" + path
  }

  /// Goes through the provider's pages, from an address that a program has shown.
  @discardableResult
  func visit(_ url: String, _ options: [String] = []) throws -> Outcome {
    let trust = certificates == nil ? [] : ["--ca", base + "/ca.pem"]
    let (text, end) = try output(
      of: "/usr/bin/python3",
      [IdentityProvider.directory + "/sign-in.py"] + trust + options + [url]
    )
    return Outcome(text: text, end: end)
  }

  /// Signs in by a browser.
  @discardableResult
  func login(
    _ account: String = "work",
    _ arguments: [String] = [],
    browser options: [String] = []
  ) throws -> Outcome {
    try run(
      ["login", account, "--provider", "idp", "--browser"] + arguments,
      variables: [try browser(options)]
    )
  }

  /// Signs in by the password grant, which is the quickest.
  @discardableResult
  func signIn(_ account: String = "work", _ arguments: [String] = []) throws -> Outcome {
    try run(
      ["login", account, "--provider", "idp", "--password", "--email", IdentityProvider.user]
        + ["--password-stdin"] + arguments,
      input: IdentityProvider.password + "\n"
    )
  }

  /// A newer access token than the stored one.
  func newerToken(_ account: String = "work") throws -> String {
    let old = try run("token", account).succeeded()
    let new = try run("token", account, "--rejected", input: old).succeeded()
    #expect(new != old)
    return new
  }

  /// The state of an account.
  func standing(_ account: String = "work") throws -> String {
    try self.account(account).string("state")
  }

  /// The status of an account, as `account list --json` prints it.
  func account(_ name: String = "work") throws -> JSONObject {
    let all = try object(try run("account", "list", "--json").succeeded()).array("accounts")
    for case .object(let account) in all where try account.string("name") == name {
      return account
    }
    throw SystemError("account", code: ENOENT, subject: name)
  }

  /// Allows an immediate retry of a refresh whose outcome is uncertain.
  func forgetRetryWait() throws {
    try endEngine()
    try python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("UPDATE intents SET not_before = 0")
      """,
      state + "/vault.db"
    )
  }

  private func shell(asRoot script: String) throws {
    try IntegrationTests.shell(script)
  }

  private func write(_ text: String, to path: String) throws {
    try python("import sys; open(sys.argv[1], 'w').write(sys.argv[2])", path, text)
  }
}

/// The JSON object that a command printed.
func object(_ text: String) throws -> JSONObject {
  guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
    throw SystemError("json", code: EBADMSG, subject: text)
  }
  return object
}

extension JSONObject {
  /// The same fault for requests of one grant.
  func at(grant: String) -> JSONObject {
    JSONObject(members.map { ($0.name, $0.value) } + [("grant", .string(grant))])
  }
}
