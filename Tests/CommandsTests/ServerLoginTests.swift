import HelperInterface
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// What a login for an MCP server writes and asks for.
struct ServerLoginTests {
  private static let server = "https://mcp.example.com/mcp"
  private static let issuer = "https://id.example.com/t"
  private static let metadata = TestProviderReply(
    issuer: issuer,
    discovered: true,
    endpoints: [:],
    flows: ["browser"],
    warnings: [],
    scopes: ["a", "offline_access"],
    pkce: true,
    registration: "https://id.example.com/register"
  )

  private static func web(
    registration: String = #"{"client_id":"c1"}"#
  ) -> [String: WebAnswer] {
    let document =
      #"{"resource":"\#(server)","authorization_servers":["\#(issuer)"],"scopes_supported":["z"]}"#
    return [
      server: WebAnswer(
        .answered(status: 401, length: 0, headers: ["WWW-Authenticate: Bearer scope=\"b a\""])
      ),
      "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": WebAnswer(
        .answered(status: 200, length: 0),
        document
      ),
      "https://id.example.com/register": WebAnswer(
        .answered(status: 201, length: 0),
        registration
      ),
    ]
  }

  /// Runs a login up to its page, and returns the settings of the provider that it was begun with.
  private func settings(
    _ home: ProviderHome,
    _ options: [String] = [],
    web: [String: WebAnswer] = web(),
    isMoved: Bool = false
  ) throws -> (provider: VaultProvider, file: String) {
    let begun = Begun()
    _ = try Play.run(
      ["login", "me", "--mcp", Self.server, "--browser"] + options,
      environment: home.environment.merging(["BROWSER": "/nowhere"]) { $1 },
      prepare: { $0.answer(web) },
      script: { stage in
        _ = try stage.expect(GetAccountCall.self)
        try stage.fail(.noSuchAccount(account: "me"))
        if isMoved {
          let first = try stage.expect(TestProviderCall.self)
          #expect(first.provider.settings["discovery_url"] == nil)
          try stage.fail(.misconfigured(message: "no metadata"))
        }
        _ = try stage.expect(TestProviderCall.self)
        try stage.reply(Self.metadata)
        let call = try stage.expect(BeginLoginCall.self)
        #expect(call.scope == nil)
        begun.provider = call.provider
        try stage.fail(.misconfigured(message: "enough"))
      }
    )
    return (try #require(begun.provider), try home.text("me"))
  }

  private final class Begun: @unchecked Sendable {
    var provider: VaultProvider?
  }

  @Test
  func theProviderIsWrittenWithItsClientAndItsOnlyResource() throws {
    let home = try ProviderHome()
    let (provider, file) = try settings(home, ["--scope", "c"])
    let found = provider.settings
    #expect(found["kind"] == "oauth2" && found["issuer"] == Self.issuer)
    #expect(found["resource"] == Self.server && found["resource_only"] == "true")
    #expect(found["client_id"] == "c1" && found["client_authentication"] == "none")
    // The challenge counts more than the document, and --scope adds to it.
    #expect(found["scope"] == "a b c offline_access")
    let redirect = try #require(found["redirect_uri"])
    #expect(redirect.contains(/^http:\/\/127\.0\.0\.1:[23]\d{4}\/callback$/))
    for key in ["client_id", "resource_only", "redirect_uri", "scope"] {
      #expect(file.contains("\(key) = \(found[key] ?? "")\n"), "\(file)")
    }
    // The same client serves a second login, and no scope is lost.
    let again = try settings(home, web: Self.web(registration: #"{"client_id":"c2"}"#))
    #expect(again.provider == provider && again.file == file)
    // Another scope needs another registration.
    let wider = try settings(
      home,
      ["--scope", "d"],
      web: Self.web(registration: #"{"client_id":"c3"}"#)
    )
    #expect(wider.provider.settings["client_id"] == "c3")
    #expect(wider.provider.settings["scope"] == "a b c d offline_access")
  }

  @Test
  func anotherIssuerGetsAClientOfItsOwn() throws {
    let home = try ProviderHome()
    try home.write(
      """
      [Provider]
      kind = oauth2
      issuer = https://old.example.com
      client_id = c0
      scope = a b offline_access x
      resource = \(Self.server)
      resource_only = true

      """,
      "me"
    )
    let (provider, file) = try settings(home)
    #expect(provider.settings["client_id"] == "c1" && provider.settings["issuer"] == Self.issuer)
    #expect(provider.settings["scope"] == "a b offline_access")
    #expect(!file.contains("c0") && !file.contains("old.example.com"))
  }

  @Test
  func metadataMayBeWhereOpenIDConnectPutsItForAPath() throws {
    let (provider, file) = try settings(try ProviderHome(), isMoved: true)
    let url = "https://id.example.com/.well-known/openid-configuration/t"
    #expect(provider.settings["discovery_url"] == url)
    #expect(file.contains("discovery_url = \(url)\n"))
  }

  @Test
  func aSecretOfARegistrationStaysASecret() throws {
    let answer = #"{"client_id":"c1","client_secret":"s3cret","registration_access_token":"r"}"#
    let (provider, file) = try settings(
      try ProviderHome(),
      web: Self.web(registration: answer)
    )
    #expect(provider.settings["client_secret"] == nil)
    #expect(WebSignInTests.text(try #require(provider.clientSecret)) == "s3cret")
    #expect(provider.settings["client_authentication"] == "basic")
    // The file of the person is 0600, and has it as any provider's file.
    #expect(file.contains("client_secret = s3cret"))
  }

  @Test
  func aLaterLoginAddsToTheScopesOfTheAccount() throws {
    for (options, expected) in [
      ([], "a b granted"), (["--scope", "c a"], "a b c granted"),
    ] as [([String], String)] {
      let play = try Play.run(
        ["login", "me", "--browser"] + options,
        environment: ["BROWSER": "/nowhere"]
      ) { stage in
        var account = WebSignInTests.account
        account.scope = "granted a"
        try WebSignInTests.know(
          stage,
          [
            "kind": "oauth2", "scope": "a b", "resource": Self.server, "resource_only": "true",
          ],
          account: account
        )
        #expect(try stage.expect(BeginLoginCall.self).scope == expected)
        try stage.fail(.misconfigured(message: "enough"))
      }
      #expect(play.code == .usage)
    }
  }
}
