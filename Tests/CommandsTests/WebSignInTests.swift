import Glibc
import SecretMemory
import System
import Testing
import VaultInterface

@testable import Commands

/// Logins at a provider's own page, from the words to the page that the browser shows.
struct WebSignInTests {
  static var account: VaultAccount {
    var account = VerbTests.account
    account.kind = "oidc"
    account.provider = "idp"
    account.state = .signedOut
    account.displayName = "Ada <Lovelace>"
    return account
  }

  private static let url = "https://id.example/authorize?client_id=cli&state=s"

  /// A known account whose provider is asked for.
  static func know(
    _ stage: Stage,
    _ settings: [String: String] = [:],
    account: VaultAccount = account
  ) throws {
    try stage.knowAccount(account)
    #expect(try stage.expect(AccountProviderCall.self).account == "me")
    let all = ["kind": "oidc", "issuer": "https://id.example", "client_id": "cli"]
    let provider = VaultProvider(name: "idp", settings: all.merging(settings) { $1 })
    try stage.reply(AccountProviderReply(account: "me", provider: provider))
  }

  /// Begins a login in a browser, and returns the port that is listened at.
  private static func begin(_ stage: Stage, words: BeginLoginCall? = nil) throws -> UInt16 {
    let call = try stage.expect(BeginLoginCall.self)
    #expect(call.account == "me" && call.flow == .browser && call.provider == nil)
    try stage.reply(BeginLoginReply(login: "l1", url: url, expiresIn: 300))
    let redirect = try #require(call.redirect)
    let parts = redirect.split(separator: ":")[2].split(separator: "/")
    #expect(redirect.hasPrefix("http://127.0.0.1:") && parts[1] == "callback")
    return try #require(UInt16(parts[0]))
  }

  private static func nobodyListens(_ port: UInt16) -> Bool {
    (try? LoopbackSocket.connect(.ipv4, port: port)) == nil
  }

  private static func text(_ secret: SharedSecret) -> String {
    secret.bytes.withBytes { span in
      String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
    }
  }

  /// What a browser sends when it comes back, and gets for it, once the engine has answered.
  private static func comeBack(
    _ port: UInt16,
    _ stage: Stage,
    _ answer: (FinishLoginCall) throws -> Void
  ) throws -> String {
    let peer = try LoopbackSocket.connect(.ipv4, port: port)
    try peer.write("GET /callback?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let call = try stage.expect(FinishLoginCall.self)
    #expect(call.login == "l1")
    #expect(text(call.query) == "code=c&state=s")
    try answer(call)
    return String(decoding: try peer.readAll(limit: 1 << 20), as: UTF8.self)
  }

  private static let noBrowser = ["BROWSER": "/nowhere"]

  @Test(arguments: [true, false])
  func aBrowserComesBackAndShowsWhoIsSignedIn(_ hasTerminal: Bool) throws {
    let play = try Play.run(
      ["login", "me", "--browser"],
      terminal: hasTerminal,
      environment: Self.noBrowser
    ) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      if hasTerminal { try stage.terminal.waitFor("waiting for the browser, ") }
      let page = try Self.comeBack(port, stage) { _ in
        try stage.reply(AccountReply(account: Self.account))
      }
      #expect(page.hasPrefix("HTTP/1.1 200 "))
      for part in ["You are signed in", "Ada &lt;Lovelace&gt;", "me@example.org", ">idp<"] {
        #expect(page.contains(part))
      }
    }
    #expect(play.code == .done)
    let talk = hasTerminal ? play.screen : play.talk
    #expect(talk.contains("No browser could be started."))
    #expect(talk.split(whereSeparator: \.isNewline).contains(Self.url[...]))
    #expect(play.talk.contains("signed in: me is me@example.org at idp"))
    #expect(play.out.isEmpty)
  }

  @Test
  func withJSONOneObjectStandsOnStandardOutput() throws {
    let play = try Play.run(
      ["login", "me", "--browser", "--json", "--scope", "read"],
      terminal: false,
      environment: Self.noBrowser
    ) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      _ = try Self.comeBack(port, stage) { _ in
        try stage.reply(AccountReply(account: Self.account))
      }
    }
    #expect(play.code == .done)
    #expect(play.out.hasPrefix("{\"account\":{") && play.out.hasSuffix("}\n"))
    #expect(play.talk.contains(Self.url))
  }

  @Test(arguments: [
    (VaultError.invalidArgument(message: "the state"), ExitCode.serverError, "was not asked for"),
    (.providerRefused(status: 400, message: "access_denied: <b>no</b>"), .serverError, "&lt;b&gt;"),
    (.loginRequired(account: "me", message: "late"), .presence, "took too long"),
    (.providerUnavailable(message: "down", retryAfter: nil), .unavailable, ">down<"),
  ])
  func theBrowserIsToldWhyNobodyIsSignedIn(
    _ error: VaultError,
    _ code: ExitCode,
    _ words: String
  ) throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      let page = try Self.comeBack(port, stage) { _ in try stage.fail(error) }
      #expect(page.hasPrefix("HTTP/1.1 400 "))
      #expect(page.contains(words))
    }
    #expect(play.code == code)
    #expect(!play.talk.contains("signed in:"))
  }

  @Test
  func ctrlCWhileTheBrowserIsAwaitedHangsUp() throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      try stage.terminal.waitFor("waiting for the browser, ")
      try stage.interrupt()
      try stage.expectEnd()
      #expect(Self.nobodyListens(port))
    }
    #expect(play.code == .interrupted)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 500)
  }

  @Test(arguments: [
    ("javascript:alert(1)", 300), ("https://id.example/\u{1B}[2J", 300), ("", 300),
  ])
  func anAddressThatIsNoneIsNotOpened(_ url: String, _ seconds: Int) throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(BeginLoginReply(login: "l1", url: url, expiresIn: seconds))
      try stage.expectEnd()
    }
    #expect(play.code == .unavailable)
    #expect(!play.screen.contains("alert"))
  }

  @Test
  func nobodyComesInTime() throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(BeginLoginReply(login: "l1", url: Self.url, expiresIn: 1))
      try stage.expectEnd()
    }
    #expect(play.code == .presence)
    #expect(play.error?.message.contains("in time") == true)
  }

  // MARK: - Codes

  private static let code = BeginLoginReply(
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
      try stage.terminal.waitFor("idp asks for patience: it is asked every 10 s from now on.")
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
    #expect(!play.screen.contains("▀") && !play.screen.contains("telephone"))
  }

  @Test(arguments: [
    (VaultError.providerRefused(status: 400, message: "access_denied"), ExitCode.serverError),
    (.loginRequired(account: "me", message: "late"), .presence),
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
    let play = try Play.run(["login", "me", "--device"]) { stage in
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

  // MARK: - Paste

  @Test(arguments: [
    "http://127.0.0.1:5000/callback?code=c&state=s", "?code=c&state=s", "code=c&state=s",
    "  \"http://127.0.0.1:5000/callback?code=c&state=s#x\" ",
  ])
  func aPastedAddressSignsInUnseen(_ line: String) throws {
    let play = try Play.run(["login", "me", "--paste"]) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      // Nobody takes the code on its way.
      #expect(Self.nobodyListens(port))
      try stage.terminal.waitFor("Paste it here")
      #expect(try !stage.terminal.echoes())
      try stage.terminal.type("https://id.example/authorize?client_id=cli&state=s\n")
      try stage.terminal.waitFor("Sign in first.\r\nPaste it here")
      try stage.terminal.type("rubbish\u{15}\(line)x\u{7F}\n")
      let call = try stage.expect(FinishLoginCall.self)
      #expect(Self.text(call.query) == "code=c&state=s")
      try stage.reply(AccountReply(account: Self.account))
    }
    #expect(play.code == .done)
    #expect(play.echoes)
    #expect(!play.screen.contains("code=c"))
  }

  /// A terminal that collects lines cuts them at 4095 bytes.
  @Test
  func aLongAddressIsTakenWholeAndAnEndlessOneIsNot() throws {
    for (count, isTaken) in [(9000, true), (PasteSignIn.maximum, false)] {
      let code = String(repeating: "c", count: count)
      let play = try Play.run(["login", "me", "--paste"]) { stage in
        try Self.know(stage)
        _ = try Self.begin(stage)
        try stage.terminal.waitFor("Paste it here")
        let line = Array("http://127.0.0.1:5000/callback?state=s&code=\(code)\n".utf8)
        try stage.terminal.paste(line)
        guard isTaken else { return try stage.expectEnd() }
        let call = try stage.expect(FinishLoginCall.self)
        #expect(call.query.bytes.count == count + 13)
        try stage.reply(AccountReply(account: Self.account))
      }
      #expect(play.code == (isTaken ? .done : .usage))
      #expect(play.echoes)
    }
  }
}
