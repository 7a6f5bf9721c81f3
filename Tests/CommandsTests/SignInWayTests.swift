import Testing
import VaultInterface

@testable import Commands

/// Which way of signing in is taken, and which is refused.
struct SignInWayTests {
  @Test(arguments: [
    (["DISPLAY": ":0", "BROWSER": "/nowhere"], [:], "http://127.0.0.1"),
    (
      ["SSH_TTY": "/dev/pts/0", "DISPLAY": ":10"], ["device_authorization_endpoint": "x"], "device"
    ),
    ([:], ["discovery": "off", "authorization_endpoint": "x"], "paste"),
    (["DISPLAY": ":0"], ["discovery": "off", "device_authorization_endpoint": "x"], "device"),
  ])
  func theWayThatSuitsIsTaken(
    _ environment: [String: String],
    _ settings: [String: String],
    _ way: String
  ) throws {
    let play = try Play.run(["login", "me"], environment: environment) { stage in
      try WebSignInTests.know(stage, settings)
      let call = try stage.expect(BeginLoginCall.self)
      #expect((call.flow == .device) == (way == "device"))
      try stage.fail(.misconfigured(message: "enough"))
    }
    #expect(play.code == .usage)
  }

  @Test(arguments: [(["browser", "device"], LoginFlow.device), (["browser"], .browser)])
  func aProviderThatHasNotSaidIsLookedAt(_ flows: [String], _ flow: LoginFlow) throws {
    let play = try Play.run(["login", "me"]) { stage in
      try WebSignInTests.know(stage)
      let provider = try stage.expect(TestProviderCall.self).provider
      #expect(provider.settings["issuer"] == "https://id.example")
      try stage.reply(
        TestProviderReply(
          issuer: "https://id.example",
          discovered: true,
          endpoints: [:],
          flows: flows,
          warnings: []
        )
      )
      #expect(try stage.expect(BeginLoginCall.self).flow == flow)
      try stage.fail(.misconfigured(message: "enough"))
    }
    #expect(play.code == .usage)
  }

  @Test(arguments: [["--browser"], ["--device"], ["--paste"], []])
  func withoutInputItIsSaidWhatWouldBeAsked(_ words: [String]) throws {
    let play = try Play.run(
      ["login", "me", "--no-input"] + words,
      environment: ["DISPLAY": ":0"]
    ) { stage in
      try WebSignInTests.know(stage)
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.error?.message.contains(words.first ?? "--browser") == true)
  }

  @Test(arguments: [[], ["--paste"]])
  func withoutATerminalNobodyWaitsForWhatNobodySees(_ words: [String]) throws {
    let play = try Play.run(["login", "me"] + words, terminal: false) { stage in
      try WebSignInTests.know(stage, ["device_authorization_endpoint": "x"])
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
  }

  @Test(arguments: [
    (["--browser", "--device"], "--browser, --device"), (["--email", "a@b.c"], "--password"),
    (["--password"], "not set to take passwords"),
  ])
  func whatDoesNotGoTogetherIsRefused(_ words: [String], _ part: String) throws {
    let play = try Play.run(["login", "me"] + words) { stage in
      if words.count < 2 || words[0] == "--email" { try WebSignInTests.know(stage) }
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
    #expect(play.error?.message.contains(part) == true)
  }

  @Test
  func aPasswordBackendHasNoPage() throws {
    let play = try Play.run(["login", "me", "--device"]) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
    #expect(play.error?.message.contains("password backend") == true)
  }
}
