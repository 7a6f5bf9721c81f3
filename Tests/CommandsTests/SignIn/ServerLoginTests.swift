import HelperInterface
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// The files that a login for an MCP server writes, and the scopes that it requests.
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
    registration: String = #"{"client_id":"c1"}"#,
    resource: String = server
  ) -> [String: WebAnswer] {
    let document =
      #"{"resource":"\#(resource)","authorization_servers":["\#(issuer)"],"scopes_supported":["z"]}"#
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

  /// Runs a login, and returns the settings of the provider that it was begun with, and the file.
  private func settings(
    _ home: ProviderHome,
    _ options: [String] = [],
    web: [String: WebAnswer] = web(),
    isMoved: Bool = false,
    answer: String? = nil,
    succeeds: Bool = true
  ) throws -> (provider: VaultProvider, file: String?) {
    let begun = Begun()
    let play = try run(home, ["--paste"] + options, web: web) { stage in
      if let answer { try stage.answer(Self.question, answer) }
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
      try stage.reply(BeginLoginReply(login: "l1", url: WebSignInTests.url, expiresIn: 300))
      try stage.terminal.waitFor("Paste it here")
      try stage.terminal.type("code=c&state=s\n")
      _ = try stage.expect(FinishLoginCall.self)
      guard succeeds else {
        return try stage.fail(.loginRequired(account: "me", message: "expired"))
      }
      try stage.reply(AccountReply(account: WebSignInTests.account))
      try stage.knowAccounts([WebSignInTests.account])
    }
    #expect((play.code == .done) == succeeds, "\(play.talk)")
    return (try #require(begun.provider), try? home.text("me"))
  }

  private static let question = "Sign in there instead? [y/N] "

  private func run(
    _ home: ProviderHome,
    _ options: [String],
    terminal: Bool = true,
    web: [String: WebAnswer] = web(),
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    try Play.run(
      ["login", "me", "--mcp", Self.server] + options,
      terminal: terminal,
      environment: home.environment.merging(["BROWSER": "/nowhere"]) { $1 },
      prepare: { $0.answer(web) },
      script: { stage in
        _ = try stage.expect(GetAccountCall.self)
        try stage.fail(.noSuchAccount(account: "me"))
        try script(stage)
      }
    )
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
      #expect(file?.contains("\(key) = \(found[key] ?? "")\n") == true, "\(file ?? "")")
    }
    // The same client serves a second login, and no scope is lost.
    let again = try settings(home, web: Self.web(registration: #"{"client_id":"c2"}"#))
    #expect(again.provider == provider && again.file == file)
    // So it does for another scope.
    let wider = try settings(
      home,
      ["--scope", "d"],
      web: Self.web(registration: #"{"client_id":"c3"}"#)
    )
    #expect(wider.provider.settings["client_id"] == "c1")
    #expect(wider.provider.settings["redirect_uri"] == found["redirect_uri"])
    #expect(wider.provider.settings["scope"] == "a b c d offline_access")
    #expect(wider.file?.contains("scope = a b c d offline_access\n") == true)
    // Another redirect URI needs another registration.
    let moved = try settings(
      home,
      ["--redirect-uri", "http://127.0.0.1/other"],
      web: Self.web(registration: #"{"client_id":"c4"}"#)
    )
    #expect(moved.provider.settings["client_id"] == "c4")
  }

  @Test
  func aLoginThatFailsLeavesTheFileAsItWas() throws {
    let home = try ProviderHome()
    #expect(try settings(home, succeeds: false).file == nil)
    let file = Self.file(issuer: Self.issuer, "client_secret = s3cret\ntimeout = 20s\n")
    try home.write(file, "me")
    let failed = try settings(home, ["--scope", "d"], succeeds: false)
    #expect(failed.file == file)
    // Settings that the person wrote by hand are used.
    #expect(failed.provider.settings["client_id"] == "c0")
    #expect(WebSignInTests.text(try #require(failed.provider.clientSecret)) == "s3cret")
    let done = try settings(home, ["--scope", "d"])
    #expect(done.provider == failed.provider)
    for line in ["client_id = c0", "client_secret = s3cret", "timeout = 20"] {
      #expect(done.file?.contains("\n\(line)") == true, "\(done.file ?? "")")
    }
  }

  /// The error says what to set in the file, such as for a server that gives no refresh tokens.
  @Test
  func aNewFileIsKeptIfTheSettingsDoNotFit() throws {
    let home = try ProviderHome()
    for isNew in [true, false] {
      let play = try run(home, ["--paste"]) { stage in
        _ = try stage.expect(TestProviderCall.self)
        try stage.reply(Self.metadata)
        _ = try stage.expect(BeginLoginCall.self)
        try stage.fail(.misconfigured(message: "set refresh_token_field in the file"))
      }
      #expect(play.code == .usage)
      #expect(play.talk.contains("kept as the provider me") == isNew, "\(play.talk)")
    }
    try home.write(try home.text("me") + "refresh_token_field = access_token\n", "me")
    let provider = try settings(home, web: Self.web(registration: #"{"client_id":"c2"}"#)).provider
    #expect(provider.settings["client_id"] == "c1")
    #expect(provider.settings["refresh_token_field"] == "access_token")
  }

  private static func file(issuer: String, _ more: String = "") -> String {
    """
    [Provider]
    kind = oauth2
    issuer = \(issuer)
    client_id = c0
    scope = a b offline_access x
    resource = \(server)
    resource_only = true
    \(more)
    """
  }

  @Test
  func anotherIssuerIsAskedForAndGetsAClientOfItsOwn() throws {
    let old = Self.file(issuer: "https://old.example.com")
    let ways: [(options: [String], answer: String?)] = [([], "y"), (["--yes"], nil)]
    for way in ways {
      let home = try ProviderHome()
      try home.write(old, "me")
      let failed = try settings(home, way.options, answer: way.answer, succeeds: false)
      #expect(failed.file == old)
      let (provider, file) = try settings(home, way.options, answer: way.answer)
      #expect(provider.settings["client_id"] == "c1" && provider.settings["issuer"] == Self.issuer)
      #expect(provider.settings["scope"] == "a b offline_access")
      #expect(file?.contains("c0") == false && file?.contains("old.example.com") == false)
    }
  }

  @Test
  func anotherIssuerWithoutConsentIsNotAsked() throws {
    let home = try ProviderHome()
    let old = Self.file(issuer: "https://old.example.com")
    try home.write(old, "me")
    let denied = try run(home, ["--browser"]) { stage in
      try stage.answer(Self.question, "n")
      try stage.expectEnd()
    }
    #expect(denied.code == .interrupted && denied.screen.contains(Self.issuer))
    let unasked = try run(home, ["--browser"], terminal: false) { try $0.expectEnd() }
    #expect(unasked.code == .promptNeeded, "\(unasked.talk)")
    #expect(try home.text("me") == old)
  }

  @Test
  func metadataMayBeWhereOpenIDConnectPutsItForAPath() throws {
    let (provider, file) = try settings(try ProviderHome(), isMoved: true)
    let url = "https://id.example.com/.well-known/openid-configuration/t"
    #expect(provider.settings["discovery_url"] == url)
    #expect(file?.contains("discovery_url = \(url)\n") == true)
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
    #expect(file?.contains("client_secret = s3cret") == true)
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
