import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// The notices for a person at the desktop.
@Suite(.timeLimit(.minutes(10)))
struct NoticeTests {
  let bench: Bench
  let vault: Vault
  let locations = ScriptedPlaces()
  let agents = ScriptedAgents()
  let administrator = Administrator()

  /// Connection 1 is a program at the desk, and 9 the agent.
  init() async throws {
    bench = try Bench()
    locations.seat(1, 2, 8, 9, 77, at: "session 1")
    agents.set(9)
    vault = try await bench.open(rules: administrator, locations: locations, agents: agents)
  }

  /// The notices so far, after the engine has stopped looking for an agent.
  private func notices() async -> [Notice] {
    while await vault.isGivingNotices { await Task.yield() }
    return agents.notices.map(\.notice)
  }

  private func used(_ method: String, _ purpose: PresencePurpose = .refresh) -> Notice {
    .allowed(purpose, account: "me", detail: nil, method: method, requester: "bash, PID 1")
  }

  /// Uses the protected account `me` once by a check and once by the open window.
  private func useTwice() async throws {
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token(caller: caller()) }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token(prompt: need.prompt, caller: caller())
    try await bench.unlock(vault)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    _ = try await vault.token(rejected: "at-2", caller: caller())
    _ = try await vault.lock(caller: caller())
  }

  /// The provider ends the grant of `me`.
  private func endGrant() async {
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token(rejected: "at-1", caller: caller()) }
  }

  @Test
  func theRuleAllShowsEachUseAndItsCheck() async throws {
    administrator.write("[Policy]\nnotify = all\n")
    try await useTwice()
    let enabled = Notice.allowed(
      .enable,
      account: "me",
      detail: "of me@example.org at dev, and unlock it until it is idle for 10 min",
      method: "password",
      requester: "bash, PID 1"
    )
    let given = await notices()
    #expect(given == [enabled, used("password"), used("unlock-window")], "\(given)")
  }

  @Test(arguments: ["off", "release"])
  func otherRulesShowNoUse(_ rule: String) async throws {
    administrator.write("[Policy]\nnotify = \(rule)\n")
    try await useTwice()
    #expect(await notices() == [])
    #expect(agents.searches == 0)
  }

  @Test(arguments: ["off", "release", "all"])
  func aReleaseIsShownUnlessTheRuleIsOff(_ rule: String) async throws {
    administrator.write("[Policy]\nnotify = \(rule)\n")
    _ = try await bench.signInExportable(vault)
    let before = await notices().count
    let need = try await need {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    #expect(await notices().count == before)
    _ = try await vault.release(account: "me", keep: false, prompt: need.prompt, caller: caller())
    #expect(
      await notices().dropFirst(before) == (rule == "off" ? [] : [used("password", .release)])
    )
  }

  @Test(arguments: [true, false])
  func aRequiredLoginIsShownOnce(hasPage: Bool) async throws {
    try await bench.signInOAuth(
      vault,
      settings: hasPage ? ["authorization_endpoint": "https://id.example.com/authorize"] : [:]
    )
    await endGrant()
    _ = await failure { _ = try await vault.token(caller: caller()) }
    #expect(await notices() == [.loginRequired(account: "me", byBrowser: hasPage)])
    // A new login may end, too.
    try await bench.signInOAuth(vault)
    await endGrant()
    #expect(await notices().count == 2)
  }

  @Test
  func theRuleOffShowsNoRequiredLogin() async throws {
    administrator.write("[Policy]\nnotify = off\n")
    try await bench.signInOAuth(vault)
    await endGrant()
    #expect(await notices() == [])
  }

  /// One agent gets it: the newest one whose desk is not locked.
  @Test
  func aLockedDeskShowsNothing() async throws {
    agents.set(8, 9)
    locations.seat(8, at: "session 2", objection: "its screen is locked")
    try await bench.signInOAuth(vault)
    await endGrant()
    _ = await notices()
    #expect(agents.notices.map(\.agent) == [9])
    agents.set(8)
    try await bench.signInOAuth(vault)
    await endGrant()
    _ = await notices()
    #expect(agents.notices.count == 1)
  }

  /// No caller waits for an agent, and a flood is bounded.
  @Test
  func noCallerWaitsAndAFloodIsDropped() async throws {
    administrator.write("[Policy]\nnotify = all\n")
    try await bench.signIn(vault)
    try await bench.protect(vault)
    _ = await notices()
    agents.hold()
    let before = agents.notices.count
    try await bench.unlock(vault)
    for number in 2..<42 {
      bench.exchange.plan(.tokens(access: "at-\(number)", refresh: "rt-\(number)"))
      _ = try await vault.token(rejected: "at-\(number - 1)", caller: caller())
    }
    await agents.untilHeld()
    #expect(agents.notices.count == before)
    let isGiving = await vault.isGivingNotices
    #expect(isGiving)
    agents.release()
    #expect(await notices().count == before + NoticeQueue.most)
  }

  @Test
  func withoutAnAgentTheyAreDropped() async throws {
    agents.set()
    try await bench.signInOAuth(vault)
    await endGrant()
    #expect(await notices() == [])
    agents.set(9)
    #expect(await notices() == [])
  }

  @Test
  func aUserMayRaiseTheRuleAndNotLowerIt() async throws {
    let laxer = await failure {
      _ = try await vault.setRule("notify", to: "off", prompt: nil, caller: caller())
    }
    guard case .refused(let why)? = laxer else {
      Issue.record("\(String(describing: laxer))")
      return
    }
    #expect(why.contains("notify = off is laxer than the machine's, release"))
    try await bench.setRule(vault, "notify", "all")
    try await useTwice()
    #expect(await notices().count == 3)
  }
}
