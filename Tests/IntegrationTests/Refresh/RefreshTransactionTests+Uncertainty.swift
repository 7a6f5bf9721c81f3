import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// A refresh whose outcome the engine cannot know.
extension RefreshTransactionTests {
  @Test
  func withoutEngineAndExchangeHelperTheOutcomeIsUncertainAndTriedOnceMore() throws {
    // The provider forgives a second use, as the authors of RFC 9700 ask after a lost answer.
    let (backend, vault, old, exchangeHelper) = try killedDuringTheExchange(["--reuse", "allow"])
    kill(exchangeHelper, SIGKILL)
    try waitForEnd(exchangeHelper)
    try vault.start()
    #expect(try vault.connect().state() == .refreshing)
    // The provider is not asked again at once, for any caller and any number of calls. The wait is
    // long enough for the slowest machine.
    for waits in [1...3, 500...603, 500...603, 500...603] {
      let caller = try vault.connect()
      guard
        case .providerUnavailable(_, let wait?, _, _, _) = try caller.failure(
          AccessTokenCall(account: "me")
        )
      else {
        Issue.record("there is no word of waiting")
        return
      }
      #expect(waits.contains(wait))
      #expect(try caller.state() == .uncertain)
      guard waits.contains(1) else { continue }
      try vault.stopEngine()
      try vault.edit("UPDATE intents SET not_before = not_before + 600 * 1000000000")
      try vault.start()
    }
    #expect(try backend.requests().map(\.path) == [Self.path])
    try backend.release()
    try vault.forgetRetryWait()
    let after = try vault.connect()
    #expect(try after.state() == .uncertain)
    #expect(try after.token() != old)
    #expect(try after.state() == .ready)
    let sent = try backend.requests().compactMap(\.refreshToken)
    #expect(sent.count == 2 && sent[0] == sent[1])
    try backend.clear()
    try goesOn(vault, backend, after: try after.token())
  }

  @Test
  func aRetryThatIsRefusedEndsInALoginAndErasesNothing() throws {
    let (backend, vault, _, exchangeHelper) = try killedDuringTheExchange()
    kill(exchangeHelper, SIGKILL)
    try waitForEnd(exchangeHelper)
    try backend.release()
    try vault.start()
    #expect(try vault.connect().failure(AccessTokenCall(account: "me")) != nil)
    try vault.forgetRetryWait()
    let caller = try vault.connect()
    guard case .loginRequired("me", let message) = try caller.failure(AccessTokenCall()) else {
      Issue.record("a dead grant was not told")
      return
    }
    #expect(message.contains("answer lost"))
    #expect(try caller.account()?.cause == "answer lost")
    #expect(try caller.state() == .loginRequired)
    // The grant has ended: no further request is sent.
    let count = try backend.requests().count
    #expect(try caller.failure(AccessTokenCall(account: "me")) != nil)
    #expect(try backend.requests().count == count)
    try vault.stopEngine()
    let kept = try python(
      """
      import sqlite3, sys
      print(sqlite3.connect(sys.argv[1]).execute(
        "SELECT count(*) FROM accounts WHERE sealed_refresh_token IS NOT NULL").fetchone()[0])
      """,
      vault.state + "/vault.db"
    )
    #expect(kept == "1\n")
    try vault.start()
    let login = LoginCall(
      account: "me",
      email: "me@example.org",
      password: try secret(password)
    )
    #expect(try vault.connect().call(login).account.state == .ready)
  }

  @Test
  func whereAReuseRevokesNothingIsSentWhileTheAccessTokenLives() throws {
    let (backend, vault, _, exchangeHelper) = try killedDuringTheExchange(
      settings: ["refresh_reuse": "revokes"]
    )
    kill(exchangeHelper, SIGKILL)
    try waitForEnd(exchangeHelper)
    try backend.release()
    // The token that the caller called rejected is gone. Give the account a valid one.
    try vault.edit(
      """
      INSERT INTO access_tokens (account, scope_set, token, token_type, expires_at, stored_at)
        SELECT id, '', 'still-good', 'Bearer', unixepoch() + 300, unixepoch() FROM accounts
      """
    )
    try vault.start()
    #expect(try vault.connect().token() == "still-good")
    let wanted = AccessTokenCall(account: "me", minimumLifetime: 295)
    try vault.stopEngine()
    try vault.edit("UPDATE intents SET not_before = 0")
    try vault.age(seconds: 10)
    try vault.start()
    guard case .providerUnavailable(_, let wait?, _, _, _) = try vault.connect().failure(wanted)
    else {
      Issue.record("the used token was sent again although the access token lives")
      return
    }
    #expect((200...300).contains(wait))
    #expect(try vault.connect().token() == "still-good")
    #expect(try backend.requests().map(\.path) == [Self.path])
  }

  @Test
  func aKilledExchangeHelperIsNoLogout() throws {
    let backend = try DevBackend(["--reuse", "allow"])
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.fail(.init(Self.path, hold: true))
    let caller = try vault.connect()
    try caller.send(AccessTokenCall(account: "me", rejected: old))
    try backend.waitForRequests(Self.path)
    kill(try vault.exchangeHelper(), SIGKILL)
    guard case .providerUnavailable = try caller.failure(of: AccessTokenCall.self) else {
      Issue.record("a helper that was killed is told as something else")
      return
    }
    #expect(try caller.state() == .uncertain)
    try backend.release()
    try vault.forgetRetryWait()
    #expect(try vault.connect().token() != old)
  }
}
