import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// What an earlier showing or wait of a prompt leaves behind must not end a later one.
extension AskAtDesktopTests {
  /// The agent leaves, comes back, and gets the same prompt again.
  @Test
  func theTimeOfAnEarlierShowingDoesNotEndALaterOne() async throws {
    let prompt = try await prompt()
    async let first = failure { try await vault.askAtDesktop(prompt, caller: caller()) }
    _ = await agents.prompt()
    await bench.clock.untilAsleep(milliseconds: 2000)
    await vault.disconnect(9)
    #expect(await first == .noDesktop(DesktopObjection("the agent of your session has ended")))
    bench.clock.advance(1)
    async let second: Void = vault.askAtDesktop(prompt, caller: caller())
    _ = await agents.prompt(2)
    await bench.clock.untilAsleep(milliseconds: 2000, count: 2)
    // The two seconds of the first showing are over now.
    bench.clock.advance(1)
    await bench.clock.untilAsleep(milliseconds: 120_000)
    for _ in 0..<1000 { await Task.yield() }
    bench.check.plan([.ready, .matched])
    _ = try await vault.check(prompt, by: .fingerprint, caller: caller(9)) { _ in }
    try await second
    #expect(agents.given.map(\.agent) == [9, 9])
  }

  /// The first agent, which has stopped, goes on after the second one got the prompt.
  @Test
  func anAgentThatIsPassedOverSaysNothingAboutTheNextOne() async throws {
    agents.set(8, 9)
    let prompt = try await prompt()
    async let asked = failure { try await vault.askAtDesktop(prompt, caller: caller()) }
    _ = await agents.prompt()
    await bench.clock.untilAsleep(milliseconds: 2000)
    bench.clock.advance(2)
    _ = await agents.prompt(2)
    let late = await failure {
      _ = try await vault.check(prompt, by: .fingerprint, caller: caller(8)) { _ in }
    }
    #expect(late == .presenceFailed(.denied("no such prompt on this connection"), methods: []))
    await vault.cancel(prompt, caller: caller(9))
    #expect(await asked == .presenceFailed(.cancelled, methods: []))
  }

  @Test
  func theCancellationOfAnEarlierWaitDoesNotEndALaterOne() async throws {
    let waiters = Waiters()
    async let first = waiters.wait(for: "leader", number: 1)
    while await waiters.count < 1 { await Task.yield() }
    await waiters.change { $0.wakeJoined("leader", with: nil) }
    #expect(await first == nil)
    async let second = waiters.wait(for: "leader", number: 2)
    while await waiters.count < 1 { await Task.yield() }
    // The handler of the first wait runs late.
    await waiters.change { $0.cancelWait(1) }
    #expect(await waiters.count == 1)
    await waiters.change { $0.wakeJoined("leader", with: .timedOut) }
    #expect(await second == .timedOut)
  }
}

/// The waits of one prompt.
private actor Waiters {
  private var waiters = PromptWaiters()

  var count: Int { waiters.joined.values.reduce(0) { $0 + $1.count } }

  func wait(for leader: String, number: UInt64) async -> PresenceFailure? {
    await withCheckedContinuation { wake in
      waiters.join(leader, JoinedWaiter(number: number, prompt: "mine", wake: wake))
    }
  }

  func change(_ body: @Sendable (inout PromptWaiters) -> Void) { body(&waiters) }
}
