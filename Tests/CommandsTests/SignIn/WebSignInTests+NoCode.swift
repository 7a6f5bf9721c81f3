import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Providers that offer device codes, but refuse one to this client.
extension WebSignInTests {
  /// The two moments at which a provider refuses codes to this client.
  enum Refusal: CaseIterable { case atOnce, whenAsked }

  @Test(arguments: Refusal.allCases)
  func overSSHAnAddressIsPastedWhereTheProviderGivesNoCode(_ refusal: Refusal) throws {
    let why = VaultError.misconfigured(
      message: "the token endpoint answered 401 invalid_client; check provider idp"
    )
    let environment = ["SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22"]
    let play = try Play.run(["login", "me"], environment: environment) { stage in
      try Self.know(stage, ["device_authorization_endpoint": "x"])
      #expect(try stage.expect(BeginLoginCall.self).flow == .device)
      if refusal == .atOnce {
        try stage.fail(why)
      } else {
        try stage.reply(Self.code)
        _ = try stage.call(AwaitLoginCall.self)
        try stage.reply(AwaitLoginReply(event: .waiting, interval: 5), continues: true)
        try stage.fail(why)
      }
      _ = try Self.begin(stage)
      try stage.terminal.waitFor("Paste it here")
      try stage.terminal.type("code=c&state=s\n")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.reply(AccountReply(account: Self.account))
    }
    #expect(play.code == .done)
    let flowing = play.screen.replacing("\r\n", with: " ")
    let line = "by a code failed at idp (the token endpoint answered 401 invalid_client)."
    #expect(flowing.contains(line), "\(play.screen)")
    #expect(!play.screen.contains("check provider"))
  }

  @Test
  func aCodeThatWasAskedForIsNotReplacedButTheOtherWayIsNamed() throws {
    let play = try Play.run(["login", "me", "--device"]) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.fail(.misconfigured(message: "answered 400 unauthorized_client"))
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
    #expect(play.error?.hint?.contains("--paste") == true)
  }

  /// The vault does not know the account of a first login that has failed.
  @Test
  func theOtherWayOfAFirstLoginNamesItsProvider() throws {
    let home = try ProviderHome()
    let text = "[Provider]\nkind = oidc\nissuer = https://id.example\nclient_id = c\n"
    try home.write(text, "idp")
    let play = try home.run("login new --provider idp --device") { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "new"))
      _ = try stage.expect(BeginLoginCall.self)
      try stage.fail(.misconfigured(message: "answered 400 unauthorized_client"))
      try stage.expectEnd()
    }
    let command = "thumblatch login new --provider idp --paste"
    #expect(play.error?.hint == "sign in another way: \(command)")
  }

  /// A provider that has answered "not yet" gives codes: a later error has another cause.
  @Test(arguments: [
    (VaultError.misconfigured(message: "the ID token is not ours"), 2, ExitCode.usage),
    (.providerRefused(status: 400, message: "the sign-in was declined"), 1, .serverError),
    (.providerUnavailable(message: "down", retryAfter: nil), 1, .unavailable),
  ])
  func whatElseGoesWrongWithACodeIsNotHidden(
    _ error: VaultError,
    _ questions: Int,
    _ code: ExitCode
  ) throws {
    let play = try Play.run(["login", "me"], environment: ["SSH_TTY": "/dev/pts/0"]) { stage in
      try Self.know(stage, ["device_authorization_endpoint": "x"])
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(Self.code)
      _ = try stage.call(AwaitLoginCall.self)
      for _ in 0..<questions {
        try stage.reply(AwaitLoginReply(event: .waiting, interval: 5), continues: true)
      }
      try stage.fail(error)
      try stage.expectEnd()
    }
    #expect(play.code == code)
    #expect(!play.screen.contains("Paste it here"))
  }

  @Test
  func whereThereIsNoPageNothingElseIsTried() throws {
    let play = try Play.run(["login", "me"]) { stage in
      try Self.know(stage, ["discovery": "off", "device_authorization_endpoint": "x"])
      _ = try stage.expect(BeginLoginCall.self)
      try stage.fail(.misconfigured(message: "answered 400 unauthorized_client"))
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
  }
}
