import Glibc
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Sign-ins at a provider's own page, from the command to the page that the browser shows.
struct WebSignInTests {
  static var account: VaultAccount {
    var account = VerbTests.account
    account.kind = "oidc"
    account.provider = "idp"
    account.state = .signedOut
    account.displayName = "Ada <Lovelace>"
    return account
  }

  static let url = "https://id.example/authorize?client_id=cli&state=s"

  /// A known account whose provider the command must ask for.
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

  /// Begins a sign-in in a browser, and returns the listening port.
  static func begin(_ stage: Stage, words: BeginLoginCall? = nil) throws -> UInt16 {
    let call = try stage.expect(BeginLoginCall.self)
    #expect(call.account == "me" && call.flow == .browser && call.provider == nil)
    try stage.reply(BeginLoginReply(login: "l1", url: url, expiresIn: 300))
    let redirect = try #require(call.redirect)
    let parts = redirect.split(separator: ":")[2].split(separator: "/")
    #expect(redirect.hasPrefix("http://127.0.0.1:") && parts[1] == "callback")
    return try #require(UInt16(parts[0]))
  }

  static func noProgramListens(_ port: UInt16) -> Bool {
    eventually { (try? LoopbackSocket.connect(.ipv4, port: port)) == nil }
  }

  static func text(_ secret: SharedSecret) -> String {
    secret.bytes.withBytes { span in
      String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
    }
  }

  /// Sends the request of a returning browser, and returns the answer to it, once the engine has
  /// answered.
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

  /// Each wrong answer is reported once, however many come, and the right one counts afterwards.
  @Test
  func anAnswerThatComesTheWrongWayIsToldAndTheWaitGoesOn() throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      for _ in 0..<2 {
        for (target, host) in [
          ("/other?code=x&state=s", "127.0.0.1:\(port)"), ("/favicon.ico", "127.0.0.1:\(port)"),
          ("/callback?error=x&state=s", "localhost:\(port)"),
          ("/callback?code=x&state=old", "127.0.0.1:\(port)"),
        ] {
          let peer = try LoopbackSocket.connect(.ipv4, port: port)
          try peer.write("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
          _ = try peer.readAll(limit: 1 << 16)
        }
      }
      try stage.terminal.waitFor("a path other than")
      try stage.terminal.waitFor("a host other than")
      try stage.terminal.waitFor("the answer to another login")
      _ = try Self.comeBack(port, stage) { _ in
        try stage.reply(AccountReply(account: Self.account))
      }
    }
    #expect(play.code == .done)
    let flowing = play.screen.replacing("\r\n", with: " ")
    for part in [
      "Refused a request to a path other than /callback.",
      "Refused a request to a host other than 127.0.0.1:",
      "Refused the answer to another login.",
    ] {
      #expect(flowing.ranges(of: part).count == 1, "\(play.screen)")
    }
    #expect(flowing.ranges(of: "Still waiting for the redirect.").count == 3)
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
    (.loginRequired(account: "me", message: "late"), .loginRequired, "took too long"),
    (.providerUnavailable(message: "down", retryAfter: nil), .unavailable, ">down<"),
  ])
  func theBrowserIsToldWhyTheSignInFailed(
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
    let words = ["login", "me", "--browser"]
    let play = try Play.interrupted(words, environment: Self.noBrowser) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      try stage.terminal.waitFor("waiting for the browser, ")
      try stage.interrupt()
      try stage.expectEnd()
      #expect(Self.noProgramListens(port))
    }
    #expect(play.code == .interrupted)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 500)
  }

  /// The engine may still complete the sign-in, so neither page nor terminal can say that nothing
  /// happened.
  @Test
  func ctrlCAfterTheBrowserCameBackPromisesNoOutcome() throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      let page = try Self.comeBack(port, stage) { _ in try stage.interrupt() }
      #expect(page.hasPrefix("HTTP/1.1 400 "))
      for part in ["may have succeeded anyway", "thumblatch status"] {
        #expect(page.contains(part))
      }
      for part in ["called off", "Nothing was changed"] { #expect(!page.contains(part)) }
    }
    #expect(play.code == .interrupted)
    for part in ["may have succeeded anyway", "thumblatch status"] {
      #expect(play.talk.contains(part))
    }
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
  func noBrowserComesInTime() throws {
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage)
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(BeginLoginReply(login: "l1", url: Self.url, expiresIn: 1))
      try stage.expectEnd()
    }
    #expect(play.code == .loginRequired)
    #expect(play.error?.message.contains("took too long") == true)
    // The likely causes: a redirect URI that is not registered, or its port.
    let hint = try #require(play.error?.hint)
    for part in ["register the redirect URI", "--redirect-uri", "thumblatch provider test"] {
      #expect(hint.contains(part), "\(hint)")
    }
  }

  /// Servers forget a client that a program has registered, and then show an error page.
  @Test
  func noBrowserComesInTimeFromTheProviderOfAServer() throws {
    let server = "https://mcp.example.com/mcp"
    let play = try Play.run(["login", "me", "--browser"], environment: Self.noBrowser) { stage in
      try Self.know(stage, ["resource": server, "resource_only": "true"])
      _ = try stage.expect(BeginLoginCall.self)
      try stage.reply(BeginLoginReply(login: "l1", url: Self.url, expiresIn: 1))
      try stage.expectEnd()
    }
    let hint = try #require(play.error?.hint)
    for part in ["thumblatch provider remove idp", "thumblatch login idp --mcp \(server)"] {
      #expect(hint.contains(part), "\(hint)")
    }
  }
}
