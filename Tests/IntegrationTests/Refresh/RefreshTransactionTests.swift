import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// The table of the refresh transaction, with processes that are really killed.
@Suite(.serialized)
struct RefreshTransactionTests {
  static let path = "/auth/refresh"

  /// A vault whose engine was killed after it sent a refresh, which the backend holds.
  func killedDuringTheExchange(
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
  func goesOn(_ vault: TestVault, _ backend: DevBackend, after token: String) throws {
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
