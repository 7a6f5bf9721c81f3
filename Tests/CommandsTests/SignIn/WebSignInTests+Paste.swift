import Glibc
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// A login whose address the person pastes.
extension WebSignInTests {
  @Test(arguments: [
    "http://127.0.0.1:5000/callback?code=c&state=s", "?code=c&state=s", "code=c&state=s",
    "  \"http://127.0.0.1:5000/callback?code=c&state=s#x\" ",
  ])
  func aPastedAddressSignsInUnseen(_ line: String) throws {
    let play = try Play.run(["login", "me", "--paste"]) { stage in
      try Self.know(stage)
      let port = try Self.begin(stage)
      // No program can receive the code, now or later.
      #expect(Self.noProgramListens(port))
      #expect(throws: SystemError("bind", code: EADDRINUSE)) {
        _ = try LoopbackSocket.bind(.ipv4, port: port, reuse: true)
      }
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

  private static func isFree(_ family: LoopbackSocket.Family, _ port: UInt16) -> Bool {
    (try? LoopbackSocket.bind(family, port: port)) != nil
  }

  /// Only the redirect's own addresses are held, and none once the answer is here.
  @Test(arguments: [
    ("http://127.0.0.1:PORT/", [LoopbackSocket.Family.ipv4]), ("http://[::1]:PORT/", [.ipv6]),
    ("http://localhost:PORT/", [.ipv4, .ipv6]), ("http://localhost/", [.ipv4, .ipv6]),
  ])
  func thePortIsHeldWhereTheRedirectLeads(
    _ redirect: String,
    _ held: [LoopbackSocket.Family]
  ) throws {
    let free = try LoopbackSocket.port(of: try LoopbackSocket.bind(.ipv4))
    let uri = redirect.replacing("PORT", with: "\(free)")
    let play = try Play.run(["login", "me", "--paste"]) { stage in
      try Self.know(stage, ["redirect_uri": uri])
      let call = try stage.expect(BeginLoginCall.self)
      let redirect = try #require(call.redirect)
      let last = redirect.split(separator: ":").last?.split(separator: "/").first
      let port = try #require(UInt16(last ?? ""))
      try stage.reply(BeginLoginReply(login: "l1", url: Self.url, expiresIn: 300))
      try stage.terminal.waitFor("Paste it here")
      for family in [LoopbackSocket.Family.ipv4, .ipv6] {
        if held.contains(family) {
          #expect(!Self.isFree(family, port))
        } else {
          #expect(eventually { Self.isFree(family, port) })
        }
      }
      try stage.terminal.type("code=c&state=s\n")
      _ = try stage.expect(FinishLoginCall.self)
      // A child that another test forked at this moment keeps them open until its exec.
      #expect(eventually { Self.isFree(.ipv4, port) && Self.isFree(.ipv6, port) })
      try stage.reply(AccountReply(account: Self.account))
    }
    #expect(play.code == .done)
    #expect(!play.screen.contains("Another program"))
  }

  @Test
  func aPortThatAnotherProgramHasIsToldAndDoesNotMatterElsewhere() throws {
    let other = try LoopbackSocket.bind(.ipv6)
    try LoopbackSocket.listen(at: other)
    let uri = "http://localhost:\(try LoopbackSocket.port(of: other))/callback"
    let play = try Play.run(["login", "me", "--paste"]) { stage in
      try Self.know(stage, ["redirect_uri": uri])
      #expect(try stage.expect(BeginLoginCall.self).redirect == uri)
      try stage.reply(BeginLoginReply(login: "l1", url: Self.url, expiresIn: 300))
      try stage.terminal.waitFor("Paste it here")
      try stage.terminal.type("code=c&state=s\n")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.reply(AccountReply(account: Self.account))
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("Another program here has the port"))
    #expect(other.number >= 0)
  }

  @Test
  func ctrlCAfterAnAddressWasPastedPromisesNoOutcome() throws {
    let play = try Play.run(["login", "me", "--paste"]) { stage in
      try Self.know(stage)
      _ = try Self.begin(stage)
      try stage.terminal.waitFor("Paste it here")
      try stage.terminal.type("code=c&state=s\n")
      _ = try stage.expect(FinishLoginCall.self)
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.error?.message.contains("may have succeeded anyway") == true)
    #expect(play.error?.hint?.contains("thumblatch status") == true)
  }

  /// A terminal in canonical mode cuts lines at 4095 bytes.
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
