import Glibc
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

/// Device codes, pasted addresses, and the choice of the flow.
extension WebSignInTests {
  static let code = BeginLoginReply(
    login: "l1",
    userCode: "WDJB-MJHT",
    verificationURI: "https://id.example/device",
    verificationURIComplete: "https://id.example/device?user_code=WDJB-MJHT",
    expiresIn: 600,
    interval: 5
  )

  @Test
  func aCodeIsShownWithAPictureThatATelephoneReads() throws {
    let environment = ["LANG": "C.UTF-8", "TERM": "xterm"]
    let play = try Play.run(["login", "me", "--device"], environment: environment) { stage in
      try Self.know(stage)
      let call = try stage.expect(BeginLoginCall.self)
      #expect(call.flow == .device && call.redirect == nil)
      try stage.reply(Self.code)
      #expect(try stage.call(AwaitLoginCall.self).more)
      try stage.reply(AwaitLoginReply(event: .waiting, interval: 5), continues: true)
      try stage.terminal.waitFor("waiting for idp, ")
      try stage.reply(AwaitLoginReply(event: .waiting, interval: 10), continues: true)
      try stage.terminal.waitFor("idp asks for fewer requests: the next ones are 10 seconds apart.")
      try stage.reply(AwaitLoginReply(event: .done, account: Self.account))
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("    https://id.example/device\r\n"))
    #expect(play.screen.contains("┃   WDJB-MJHT   ┃"))
    let ink = "\u{1B}[\(QRPicture.colours)m"
    let picture = play.screen.split(separator: "\r\n")
      .filter { $0.hasPrefix(ink) }.map { String($0.dropFirst(ink.count).dropLast(4)) }
    #expect(try QRPictureTests.read(picture) == Self.code.verificationURIComplete)
  }

  @Test(arguments: [
    (["LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"], 80), (["TERM": "xterm"], 80),
    (["LANG": "C.UTF-8", "TERM": "xterm"], 36), (["LANG": "C.UTF-8", "TERM": "dumb"], 80),
  ])
  func whereAPictureCannotBeRightThereAreAddressAndCode(
    _ environment: [String: String],
    _ columns: Int
  ) throws {
    let play = try Play.run(
      ["login", "me", "--device"],
      columns: UInt16(columns),
      kind: environment["TERM"] ?? "",
      environment: environment
    ) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(Self.code)
      _ = try stage.call(AwaitLoginCall.self)
      try stage.reply(AwaitLoginReply(event: .done, account: Self.account))
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("https://id.example/device") && play.screen.contains("WDJB-MJHT"))
    #expect(!play.screen.contains("▀") && !play.screen.contains("phone"))
  }

  @Test(arguments: [
    (VaultError.providerRefused(status: 400, message: "access_denied"), ExitCode.serverError),
    (.loginRequired(account: "me", message: "late"), .loginRequired),
  ])
  func aCodeThatIsDeniedOrExpiresIsTold(_ error: VaultError, _ code: ExitCode) throws {
    let play = try Play.run(["login", "me", "--device"]) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(Self.code)
      _ = try stage.call(AwaitLoginCall.self)
      try stage.reply(AwaitLoginReply(event: .waiting, interval: 5), continues: true)
      try stage.fail(error)
    }
    #expect(play.code == code)
  }

  @Test
  func ctrlCEndsTheWaitForACode() throws {
    let play = try Play.interrupted(["login", "me", "--device"]) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(Self.code)
      _ = try stage.call(AwaitLoginCall.self)
      try stage.terminal.waitFor("waiting for idp")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 500)
  }

  // MARK: - The choice of the flow

  @Test(arguments: [
    (["DISPLAY": ":0", "BROWSER": "/bin/true"], [:], "browser"),
    (
      ["DISPLAY": ":0", "BROWSER": "/nowhere"], ["device_authorization_endpoint": "x"], "device"
    ),
    (
      ["DISPLAY": ":0", "BROWSER": "/nowhere:/bin/true"], ["device_authorization_endpoint": "x"],
      "browser"
    ),
    (
      ["SSH_CONNECTION": "::1 2 ::1 22"],
      ["discovery": "off", "authorization_endpoint": "x"], "paste"
    ),
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
      try Self.know(stage, settings)
      let call = try stage.expect(BeginLoginCall.self)
      #expect((call.flow == .device) == (way == "device"))
      try stage.fail(.refused(message: "enough"))
    }
    #expect(play.code == .refused)
    let seeks = environment["BROWSER"] == "/nowhere"
    #expect(play.screen.contains("No browser was found") == seeks)
  }

  /// If discovery filled in settings, the CLI still sends the file's settings, because the engine
  /// accepts no others.
  @Test(arguments: [
    (["browser", "device"], LoginFlow.device, [:]), (["browser"], .browser, [:]),
    (
      ["browser", "device"], .device,
      [
        "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": "https://id.example/token",
        "jwks_uri": "https://id.example/keys",
        "discovered": "authorization_endpoint;jwks_uri;token_endpoint",
      ]
    ),
  ])
  func aProviderThatHasNotSaidIsLookedAt(
    _ flows: [String],
    _ flow: LoginFlow,
    _ discovered: [String: String]
  ) throws {
    let play = try Play.run(["login", "me"]) { stage in
      try Self.know(stage, discovered)
      let provider = try stage.expect(TestProviderCall.self).provider
      #expect(provider.name == "idp")
      #expect(provider.settings["issuer"] == "https://id.example")
      #expect(Set(provider.settings.keys).isDisjoint(with: ["discovered"] + discovered.keys))
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
      try stage.fail(.refused(message: "enough"))
    }
    #expect(play.code == .refused)
  }

  @Test(arguments: [["--browser"], ["--device"], ["--paste"], []])
  func withoutInputItIsSaidWhatWouldBeAsked(_ words: [String]) throws {
    let play = try Play.run(
      ["login", "me", "--no-input"] + words,
      environment: ["DISPLAY": ":0", "BROWSER": "/bin/true"]
    ) { stage in
      try Self.know(stage)
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.error?.message.contains(words.first ?? "--browser") == true)
  }

  @Test(arguments: [[], ["--paste"]])
  func aSignInWithoutATerminalEndsAtOnce(_ words: [String]) throws {
    let play = try Play.run(["login", "me"] + words, terminal: false) { stage in
      try Self.know(stage, ["device_authorization_endpoint": "x"])
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
  }

  @Test(arguments: [
    (["--browser", "--device"], "--browser, --device"), (["--email", "a@b.c"], "--password"),
    (["--password"], "does not take passwords"),
  ])
  func whatDoesNotGoTogetherIsRefused(_ words: [String], _ part: String) throws {
    let play = try Play.run(["login", "me"] + words) { stage in
      if words.count < 2 || words[0] == "--email" { try Self.know(stage) }
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
