import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// The table of the refresh transaction, with processes that are really killed.
@Suite(.serialized)
struct RefreshTransactionTests {
  private static let path = "/auth/refresh"

  /// A vault whose engine was killed after it sent a refresh, which the backend holds.
  private func killedDuringTheExchange(
    _ options: [String] = [],
    settings: [String: String] = [:]
  ) throws -> (backend: DevBackend, vault: TestVault, old: String, exchangeHelper: Int32) {
    let backend = try DevBackend(options)
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend, settings: settings)
    try backend.clear()
    try backend.fail(.init(Self.path, hold: true))
    let caller = try vault.connect()
    try caller.send(AccessTokenCall(account: "me", rejected: old))
    try backend.waitForRequests(Self.path)
    #expect(try vault.connect().state() == .refreshing)
    let exchangeHelper = try vault.exchangeHelper()
    vault.killEngine()
    #expect(try caller.reply() == nil)
    return (backend, vault, old, exchangeHelper)
  }

  /// Expects that the vault holds the newest refresh token.
  private func goesOn(_ vault: TestVault, _ backend: DevBackend, after token: String) throws {
    let caller = try vault.connect()
    #expect(try caller.state() == .ready)
    let next = try caller.token(rejected: token)
    #expect(next != token)
    #expect(try backend.count("sessions") == 1)
    let sent = try backend.requests().compactMap(\.refreshToken)
    #expect(Set(sent).count == sent.count, "a refresh token was sent twice")
  }

  @Test
  func theNextEngineWaitsForTheExchangeHelperOfOneThatWasKilled() throws {
    let (backend, vault, old, exchangeHelper) = try killedDuringTheExchange()
    try vault.start()
    let status = try vault.connect()
    #expect(try status.state() == .refreshing)
    let callers = try (0..<3).map { _ in try vault.connect() }
    for caller in callers { try caller.send(AccessTokenCall(account: "me")) }
    #expect(try status.state() == .refreshing)
    #expect(vault.running("thumblatch-exchange") == [exchangeHelper])
    try backend.release()
    let tokens = try callers.map { try $0.result(of: AccessTokenCall.self).accessToken }
    #expect(Set(tokens).count == 1)
    #expect(tokens[0] != old)
    #expect(try backend.requests().map(\.path) == [Self.path])
    try goesOn(vault, backend, after: tokens[0])
  }

  @Test
  func theNextEngineTakesTheAnswerThatLiesInTheSlot() throws {
    let (backend, vault, old, exchangeHelper) = try killedDuringTheExchange()
    try backend.release()
    try waitForEnd(exchangeHelper)
    try vault.start()
    #expect(try vault.connect().state() == .refreshing)
    let token = try vault.connect().token()
    #expect(token != old)
    #expect(try backend.requests().map(\.path) == [Self.path])
    try goesOn(vault, backend, after: token)
  }

  @Test
  func anAnswerThatWasRefusedIsTakenFromTheSlotAsWell() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    let refusal = #"{"error": "invalid_grant"}"#
    try backend.fail(.init(Self.path, .status(401), hold: true, body: refusal))
    let caller = try vault.connect()
    try caller.send(AccessTokenCall(account: "me", rejected: old))
    try backend.waitForRequests(Self.path)
    let exchangeHelper = try vault.exchangeHelper()
    vault.killEngine()
    try backend.release()
    try waitForEnd(exchangeHelper)
    try vault.start()
    guard case .loginRequired = try vault.connect().failure(AccessTokenCall(account: "me")) else {
      Issue.record("the refusal in the slot was not taken")
      return
    }
    #expect(try vault.connect().state() == .loginRequired)
    #expect(try backend.requests().filter { $0.path == Self.path }.count == 1)
  }

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
    // The grant is over: no request is sent any more.
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
      Issue.record("a courier that was killed is told as something else")
      return
    }
    #expect(try caller.state() == .uncertain)
    try backend.release()
    try vault.forgetRetryWait()
    #expect(try vault.connect().token() != old)
  }

  @Test
  func aSignInIsFinishedByTheNextEngine() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    try backend.fail(.init("/auth/register", hold: true))
    let caller = try vault.connect()
    try caller.send(
      RegisterCall(
        account: "me",
        provider: provider(backend.url),
        email: "me@example.org",
        password: try secret(password)
      )
    )
    try backend.waitForRequests("/auth/register")
    let exchangeHelper = try vault.exchangeHelper()
    vault.killEngine()
    try vault.start()
    try backend.release()
    try waitForEnd(exchangeHelper)
    // A call for a token finds the finished sign-in, so the password need not be typed again.
    let token = try vault.connect().token()
    try goesOn(vault, backend, after: token)
  }

  @Test
  func anotherEngineOnTheSameDirectoryLeavesAtOnce() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let token = try signIn(vault, backend)
    for _ in 0..<5 {
      let second = try vault.launch()
      #expect(second.report == .silent)
      #expect(second.end() == .exited(0))
    }
    #expect(try vault.connect().token() == token)
    let engines = try (0..<6).map { _ in try vault.launch() }
    #expect(engines.allSatisfy { $0.report == .silent && $0.end() == .exited(0) })
    #expect(try vault.connect().token() == token)
  }

  @Test
  func manyCallersOfAnExpiredAccountAreOneRequestAndOneAnswer() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.clear()
    try backend.fail(.init(Self.path, hold: true))
    let callers = try (0..<64).map { _ in try vault.connect() }
    for caller in callers { try caller.send(AccessTokenCall(account: "me", rejected: old)) }
    try backend.waitForRequests(Self.path)
    try backend.release()
    let tokens = try callers.map { try $0.result(of: AccessTokenCall.self).accessToken }
    #expect(Set(tokens).count == 1 && tokens[0] != old)
    #expect(try backend.requests().map(\.path) == [Self.path])
  }

  @Test
  func aFailureIsSharedAndNotTriedAgainForEach() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.clear()
    try backend.fail(.init(Self.path, .status(500), hold: true))
    let callers = try (0..<16).map { _ in try vault.connect() }
    for caller in callers { try caller.send(AccessTokenCall(account: "me", rejected: old)) }
    try backend.waitForRequests(Self.path)
    try backend.release()
    for caller in callers {
      guard case .providerUnavailable = try caller.failure(of: AccessTokenCall.self) else {
        Issue.record("one caller was told something else")
        continue
      }
    }
    #expect(try backend.requests().map(\.path) == [Self.path])
  }

  @Test
  func anEngineKilledAtAnyMomentLosesNothing() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    var token = try signIn(vault, backend)
    let begun = BootInstant.now.nanoseconds
    token = try vault.connect().token(rejected: token)
    let length = BootInstant.now.nanoseconds - begun
    var uncertain = 0
    var refreshed = 0
    var rounds = 0
    var delay: Int64 = 0
    while rounds < 40 || (refreshed <= 5 && rounds < 400) {
      rounds += 1
      let caller = try vault.connect()
      try caller.send(AccessTokenCall(account: "me", rejected: token))
      // From the arrival of the call until after its answer, and again. The steps grow, in case the
      // machine has become slower.
      let moment = BootInstant.now.nanoseconds + delay
      while BootInstant.now.nanoseconds < moment { sched_yield() }
      let isAnswered = try caller.socket.waitReadable(milliseconds: 0)
      delay = isAnswered ? 0 : max(delay + length / 16, delay * 5 / 4)
      vault.killEngine()
      try vault.start()
      var next = try vault.connect()
      if try next.failure(AccessTokenCall(account: "me")) != nil {
        // Killed between the intent and the sending: it is unknown whether a request was sent.
        uncertain += 1
        #expect(try next.state() == .uncertain)
        try vault.forgetRetryWait()
        next = try vault.connect()
      }
      let now = try next.token()
      if now != token { refreshed += 1 }
      token = now
      #expect(try next.state() == .ready)
    }
    // The exchange helper outlives its engine, so that no sent token is ever sent again.
    let sent = try backend.requests().compactMap(\.refreshToken)
    #expect(Set(sent).count == sent.count)
    #expect(refreshed > 5, "\(refreshed) refreshed, \(uncertain) uncertain of \(rounds)")
    #expect(try backend.count("sessions") == 1)
    // A kill after the commit leaves an answer in the slot. The next use of the slot clears it.
    #expect(try vault.connect().token(rejected: token) != token)
    let slots = try shell("cat \(vault.state)/slots/* | tr -d '\\0' | wc -c")
    #expect(slots == "0\n")
  }

  @Test
  func accountsDoNotWaitForEachOther() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try vault.connect().register("other", at: backend)
    try backend.fail(.init(Self.path, hold: true))
    let caller = try vault.connect()
    try caller.send(AccessTokenCall(account: "me", rejected: old))
    try backend.waitForRequests(Self.path)
    let other = try vault.connect()
    let first = try other.token("other")
    #expect(try other.token("other", rejected: first) != first)
    try backend.release()
    #expect(try caller.result(of: AccessTokenCall.self).accessToken != old)
  }

  @Test
  func whoLeavesDoesNotEndTheRefreshOfOthers() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.clear()
    try backend.fail(.init(Self.path, hold: true))
    let stays = try vault.connect()
    do {
      let leaves = try vault.connect()
      try leaves.send(AccessTokenCall(account: "me", rejected: old))
      try backend.waitForRequests(Self.path)
    }
    try stays.send(AccessTokenCall(account: "me"))
    try backend.release()
    #expect(try stays.result(of: AccessTokenCall.self).accessToken != old)
    #expect(try backend.requests().map(\.path) == [Self.path])
  }
}
