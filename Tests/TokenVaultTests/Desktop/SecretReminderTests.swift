import PresenceTerms
import SecretMemory
import System
import Testing

@testable import TokenVault

/// The reminder at the desktop of a static secret that expires soon.
@Suite(.timeLimit(.minutes(10)))
struct SecretReminderTests {
  private static let day: Int64 = 24 * 3600

  let bench: Bench
  let vault: Vault
  let locations = ScriptedPlaces()
  let agents = ScriptedAgents()
  let administrator = Administrator()
  /// When the secret of `me` expires: thirty days after its storage.
  let end: Int64

  /// Connection 1 is a program at the desk, and 9 the agent.
  init() async throws {
    bench = try Bench()
    locations.seat(1, 2, 9, 77, at: "session 1")
    agents.set(9)
    vault = try await bench.open(rules: administrator, locations: locations, agents: agents)
    end = bench.clock.wall.seconds + 30 * Self.day
    try await vault.put("ghp_1", StaticSecret(secret: shared(""), expiresAt: end))
  }

  private var reminder: Notice { .secretExpires(account: "me", at: end) }

  /// The notices so far, after the engine has stopped looking for an agent.
  private func notices() async -> [Notice] {
    while await vault.isGivingNotices { await Task.yield() }
    return agents.notices.map(\.notice)
  }

  private func use() async throws {
    _ = try await vault.token()
  }

  @Test
  func aUseRemindsOnceInTheLastTwoWeeks() async throws {
    bench.clock.advance(16 * Self.day - 1)
    try await use()
    #expect(await notices() == [])
    bench.clock.advance(1)
    try await use()
    try await use()
    #expect(await notices() == [reminder])
    bench.clock.advance(13 * Self.day)
    try await use()
    #expect(await notices() == [reminder])
    // Another secret may end, too.
    let later = end + 5 * Self.day
    try await vault.put("ghp_2", StaticSecret(secret: shared(""), expiresAt: later))
    try await use()
    #expect(await notices() == [reminder, .secretExpires(account: "me", at: later)])
  }

  /// Only a job at night uses the secret.
  ///
  /// The person is at the desk when a check passes.
  @Test
  func aPassedCheckRemindsOfEachSecret() async throws {
    bench.clock.advance(20 * Self.day)
    #expect(await notices() == [])
    let need = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    #expect(await notices() == [reminder])
  }

  /// Git stores passwords that are valid for an hour, and no person can renew them.
  @Test
  func aSecretOfLessThanADayNeedsNoReminder() async throws {
    let soon = bench.clock.wall.seconds + Self.day
    func levels() async -> [VaultFinding.Level] { await vault.examineAccounts().map(\.level) }
    try await vault.put("ghp_2", StaticSecret(secret: shared(""), expiresAt: soon - 1))
    try await use()
    #expect(await notices() == [])
    #expect(await levels() == [.ok])
    try await vault.put("ghp_3", StaticSecret(secret: shared(""), expiresAt: soon))
    try await use()
    #expect(await notices() == [.secretExpires(account: "me", at: soon)])
    #expect(await levels() == [.warning])
  }

  @Test
  func anExpiredSecretIsARequiredLogin() async throws {
    bench.clock.advance(30 * Self.day + 1)
    _ = await failure { _ = try await vault.token() }
    #expect(await notices().contains(reminder) == false)
  }

  /// The one token of a provider is sealed too, and its end requires a login.
  @Test
  func theTokenOfALoginHasNoReminder() async throws {
    let answer = #"{"token":"one-1","expires_in":\#(Self.day)}"#
    bench.exchange.plan(.answer(status: 200, body: answer))
    _ = try await vault.signIn(
      account: "login",
      provider: try provider(["access_token_field": "token", "refresh_token_field": "token"]),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    try await bench.unlock(vault)
    #expect(try await vault.token("login").accessToken == "one-1")
    #expect(await notices() == [])
  }

  @Test
  func theRuleOffShowsNone() async throws {
    administrator.write("[Policy]\nnotify = off\n")
    bench.clock.advance(20 * Self.day)
    try await use()
    #expect(await notices() == [])
    #expect(agents.searches == 0)
  }

  /// A check brings all reminders at once, and the release that it allows must still be shown.
  @Test
  func manyRemindersLeaveRoomForOtherNotices() {
    var queue = NoticeQueue()
    for number in 0..<100 { _ = queue.add(.secretExpires(account: "a\(number)", at: end)) }
    let login = Notice.loginRequired(account: "me", byBrowser: false)
    _ = queue.add(login)
    let waiting = queue.takeAll()
    #expect(waiting.count == 5 && waiting.last == login)
  }

  /// A reminder that no agent has shown is sent again with the next use.
  @Test
  func aReminderThatNoAgentTookIsGivenAgain() async throws {
    bench.clock.advance(20 * Self.day)
    agents.set()
    try await use()
    #expect(await notices() == [])
    agents.set(9)
    agents.fill(true)
    try await use()
    #expect(await notices() == [])
    agents.fill(false)
    try await use()
    #expect(await notices() == [reminder])
  }
}
