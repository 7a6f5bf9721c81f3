import Glibc
import System
import TestSupport
import Testing

/// The same for a sign-in in a browser, whose secrets the engine makes itself, and for a release.
extension MemoryTraceTests {
  @Test
  func noVerifierAndNoReleasedTokenIsLeftInMemory() throws {
    let someone = try Someone()
    let provider = try HaltingProvider()
    let record = try MemoryRecord()
    let first = "rt_FIRST-8d31f7a06c/with+and/5a90cc71e2b4"
    let second = "rt_SECOND-2f64b9d81e/with+and/c07e1d3385fa"
    try someone.run(provider.adding()).succeeded()

    // A sign-in in a browser, first while the person is away, then while the code is redeemed.
    let login = try someone.terminal(
      "login",
      "me",
      "--provider",
      "p",
      "--browser",
      "--exportable"
    )
    try login.expect("System password for")
    try login.enter(Someone.systemPassword)
    let (redeemed, visit) = try redeem(login, at: provider, by: someone, record)
    let verifier = try #require(redeemed["code_verifier"])
    try provider.answer(refreshToken: first, accessToken: "at_CONTROL-1-55ac0e")
    try login.end()
    _ = try visit.text()
    try record.keep("login", of: someone, running: "thumblatchd")

    // A refresh, then the release of the token that it returned.
    try someone.expireTokens()
    let refresh = try someone.start(["token", "me"])
    let sent = try provider.nextRequest()
    #expect(sent["refresh_token"] == first)
    try record.keep(
      "refresh under way",
      of: someone,
      running: "thumblatchd",
      "thumblatch-exchange"
    )
    try provider.answer(refreshToken: second, accessToken: "at_CONTROL-2-55ac0e")
    #expect(try refresh.text() == "at_CONTROL-2-55ac0e\n")
    let release = try someone.terminal("release", "me")
    try release.expect("System password for")
    try record.keep("release asked", of: someone, running: "thumblatch-cli", "thumblatchd")
    try release.enter(Someone.systemPassword)
    #expect(try release.end().contains(second))
    try record.keep("release", of: someone, running: "thumblatchd")

    let places = try record.places(of: [
      "first token": first, "second token": second, "verifier": verifier,
      "system password": Someone.systemPassword,
    ])
    #expect(places == [])
    let control = try record.places(of: ["access token": "at_CONTROL-2-55ac0e"])
    #expect(!control.isEmpty)
  }

  /// Signs in with a browser.
  ///
  /// Records the memory while the person is away and while the code is redeemed. Returns the
  /// request for tokens, which waits for an answer, and the browser.
  func redeem(
    _ login: TerminalSession,
    at provider: HaltingProvider,
    by someone: Someone,
    _ record: MemoryRecord
  ) throws -> (request: [String: String], browser: Run) {
    let url = try login.link()
    try record.keep("browser open", of: someone, running: "thumblatch-cli", "thumblatchd")
    // A redirect counts only if a program of the same user brings it.
    try shell("install -m 755 \(IdentityProvider.directory)/sign-in.py \(someone.base)/sign-in.py")
    let browser = try Run(
      "/usr/bin/setpriv",
      someone.become + ["/usr/bin/python3", someone.base + "/sign-in.py", url],
      environment: someone.environment
    )
    let request = try provider.nextRequest()
    try record.keep(
      "code under way",
      of: someone,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-exchange"
    )
    return (request, browser)
  }
}
