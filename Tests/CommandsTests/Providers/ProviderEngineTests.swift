import Configuration
import JSON
import PresenceTerms
import Testing
import VaultInterface

@testable import Commands

/// `provider test`, `provider apply`, and the message of `status` about edited files.
struct ProviderEngineTests {
  static let file = """
    [Provider]
    kind = oidc
    issuer = https://id.example.com
    client_id = cli

    """

  static func account(
    _ name: String,
    provider: String = "work",
    state: AccountState = .ready
  ) -> VaultAccount {
    VaultAccount(
      name: name,
      provider: provider,
      kind: "oidc",
      issuer: "https://id.example.com",
      presenceProtection: false,
      state: state,
      isDefault: false
    )
  }

  /// The settings of an account after a sign-in with `file`.
  ///
  /// Discovery has filled in the rest.
  static func bound(
    _ name: String,
    _ more: [String: String] = [:],
    token: String = "https://id.example.com/token"
  ) throws -> AccountProviderReply {
    let written = try Provider(
      name: ProviderName("work"),
      settings: [
        "kind": "oidc", "issuer": "https://id.example.com", "client_id": "cli",
      ].merging(more) { $1 }
    )
    let provider = try written.completed(
      with: [.token: token, .jwks: "https://id.example.com/keys"],
      responseIssuerRequired: true
    )
    return AccountProviderReply(
      account: name,
      provider: VaultProvider(
        name: "work",
        settings: provider.settings,
        clientSecret: provider.oauth?.clientSecret?.secret
      )
    )
  }

  private static let seen = TestProviderReply(
    issuer: "https://id.example.com",
    discovered: true,
    endpoints: [
      "token_endpoint": "https://id.example.com/token",
      "userinfo_endpoint": "https://id.example.com/me",
    ],
    flows: ["browser", "device"],
    keys: 2,
    warnings: ["has no revocation endpoint\u{1B}[31m"],
    scopes: ["email", "openid"],
    askedScopes: ["openid"]
  )

  @Test
  func aTestShowsWhatWasFound() throws {
    let home = try ProviderHome()
    let pin = "sha256//" + String(repeating: "A", count: 43) + "="
    try home.write(
      Self.file + "userinfo_endpoint = https://id.example.com/me\npins = \(pin)\n",
      "work"
    )
    let play = try home.run("provider test work") { stage in
      let call = try stage.expect(TestProviderCall.self)
      #expect(call.provider.name == "work")
      #expect(call.provider.settings["client_id"] == "cli")
      #expect(call.tries == true)
      try stage.reply(Self.seen)
    }
    #expect(play.code == .done)
    for part in [
      "work, oidc", "the provider publishes its endpoints", "https://id.example.com/token\n",
      "https://id.example.com/me (from the file)", "browser, device",
      "the system's certificates, 1 pinned key", "warning: work has no revocation endpoint",
      "email openid", "http://127.0.0.1/callback (register it there)",
    ] { #expect(play.out.contains(part)) }
    #expect(!play.out.contains("\u{1B}"))
  }

  @Test
  func aTestAsJSONHasStableKeys() throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let play = try home.run("provider test work --json") { stage in
      _ = try stage.expect(TestProviderCall.self)
      var seen = Self.seen
      seen.warnings = []
      try stage.reply(seen)
    }
    #expect(
      play.out == """
        {"provider":"work","kind":"oidc","issuer":"https://id.example.com","discovered":true,\
        "endpoints":{"token_endpoint":"https://id.example.com/token",\
        "userinfo_endpoint":"https://id.example.com/me"},"flows":["browser","device"],"keys":2,\
        "own_certificates":false,"pins":0,"proxy":null,\
        "redirect_uri":"http://127.0.0.1/callback","scopes_offered":["email","openid"],\
        "scopes_asked":["openid"],"insecure":false,"warnings":[]}

        """
    )
  }

  @Test
  func aProviderThatIsNotReachedIsExitFive() throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let play = try home.run("provider test work") { stage in
      _ = try stage.expect(TestProviderCall.self)
      try stage.fail(.providerUnavailable(message: "no answer", retryAfter: nil, offline: true))
    }
    #expect(play.code == .unavailable)
    #expect(play.error?.hint?.contains("check the network and the host name") == true)
    #expect(play.out.isEmpty)
    #expect(try home.run("provider test nowhere").code == .notFound)
  }

  @Test
  func aListTellsWhichFilesWereEdited() throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let script: @Sendable (Stage) throws -> Void = { stage in
      try stage.knowAccounts([
        Self.account("a"), Self.account("b"), Self.account("d", provider: "dev"),
        Self.account("e", state: .signedOut),
      ])
      #expect(try stage.expect(AccountProviderCall.self).account == "a")
      try stage.reply(try Self.bound("a"))
      #expect(try stage.expect(AccountProviderCall.self).account == "b")
      try stage.reply(try Self.bound("b", ["audience": "x"]))
      try stage.expectEnd()
    }
    let text = try home.run("account list", script: script).out
    #expect(text.contains("b: provider file differs: thumblatch provider apply work b"))
    #expect(!text.contains("a: provider file differs"))
    let object = try JSONReader.read(
      Array(try home.run("account list --json", script: script).out.utf8),
      secretMembers: []
    )
    guard case .object(let members) = object, case .array(let accounts)? = members["accounts"]
    else { throw CommandError(.bug, "not a list") }
    let told = accounts.map { value -> JSONValue? in
      guard case .object(let account) = value else { return nil }
      return account["provider_differs"]
    }
    #expect(told == [.boolean(false), .boolean(true), .null, .null])
  }

  @Test
  func anEngineThatDoesNotTellIsNoReasonToFail() throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let play = try home.run("account list") { stage in
      try stage.knowAccounts([Self.account("a")])
      _ = try stage.expect(AccountProviderCall.self)
      try stage.fail(.vaultUnsafe(message: "damaged", hint: nil))
      try stage.expectEnd()
    }
    #expect(play.code == .done)
    #expect(!play.out.contains("differs"))
  }
}
