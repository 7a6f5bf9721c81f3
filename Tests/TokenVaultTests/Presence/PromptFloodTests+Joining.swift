import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Requests that join a prompt.
extension PromptFloodTests {
  @Test
  func aCrowdThatAsksTheSameIsOneQuestion() async throws {
    let vault = try await open()
    let prompts = try await crowd(10..<50, vault)
    let (first, prompt) = prompts[0]
    bench.check.plan([.matched])
    _ = try await vault.check(prompt, by: .password, caller: caller(first)) { _ in }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: prompt, caller: caller(first)).accessToken == "at-2")
    for (connection, prompt) in prompts.dropFirst() {
      let grant = try await vault.token(prompt: prompt, caller: caller(connection))
      #expect(grant.accessToken == "at-2")
    }
    // None of the callers has refused.
    bench.clock.advance(3600)
    guard case .prompt = await ask(vault, caller(5)) else {
      Issue.record("a pause, although no prompt was refused")
      return
    }
  }

  @Test
  func aCrowdThatComesBeforeThePromptIsMadeIsOneQuestion() async throws {
    let vault = try await open()
    bench.check.holdDesktop()
    let crowd = await vault.tokens(10...60)
    await bench.check.untilHeld()
    await vault.barrier()
    bench.check.release()
    var prompts = 0
    for member in crowd {
      if case .failure(.presenceNeeded) = await member.value { prompts += 1 }
    }
    #expect(prompts == crowd.count)
    // One of three prompts was used, and no other one is pending.
    for number: UInt64 in 10...60 { await vault.disconnect(number) }
    let counts = await flood(vault) { _ in await ask(vault, caller()) }
    #expect(counts == (2, 498))
  }

  @Test
  func aTouchThatComesWhileOthersAreAboutToBeAskedIsForThemToo() async throws {
    let vault = try await open()
    bench.check.holdDesktop()
    let late = Task { await ask(vault, caller(20)) }
    await bench.check.untilHeld()
    // Its helper is slower than the first one's.
    bench.check.stopHolding()
    guard case .prompt(let first) = await ask(vault, caller(10)) else {
      Issue.record("not asked")
      return
    }
    bench.check.plan([.matched])
    _ = try await vault.check(first, by: .password, caller: caller(10)) { _ in }
    bench.check.release()
    guard case .prompt(let second) = await late.value else {
      Issue.record("not told of the prompt")
      return
    }
    let begun = bench.check.conversations.count
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: first, caller: caller(10)).accessToken == "at-2")
    let step = try await vault.check(second, by: .password, caller: caller(20)) { _ in }
    #expect(step == .passed)
    let grant = try await vault.token(prompt: second, caller: caller(20))
    #expect(grant.accessToken == "at-2")
    #expect(bench.check.conversations.count == begun)
  }

  @Test
  func whoHangsUpBeforeThePromptIsMadeLeavesNone() async throws {
    let vault = try await open()
    bench.check.holdDesktop()
    let gone = Task { await failure { _ = try await vault.token(caller: caller(20)) } }
    await bench.check.untilHeld()
    await vault.disconnect(20)
    bench.check.release()
    #expect(await gone.value == .presenceFailed(.cancelled, methods: []))
    #expect(await vault.prompts.isEmpty)
  }

  @Test
  func whoJoinedIsNotAskedDuringThePause() async throws {
    let vault = try await open()
    let prompts = try await crowd(10..<14, vault)
    func check(_ number: Int, _ event: CheckEvent) async -> VaultFailure? {
      bench.check.plan([event])
      let (connection, prompt) = prompts[number]
      return await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller(connection)) { _ in }
      }
    }
    for number in 0..<2 {
      #expect(await check(number, .failed(.cancelled)) != nil)
      await vault.cancel(prompts[number].1, caller: caller(prompts[number].0))
    }
    let begun = bench.check.conversations.count
    let refusal = await check(2, .matched)
    #expect(refusal == .tooManyPrompts(retryAfter: 5))
    #expect(bench.check.conversations.count == begun)
    bench.clock.advance(5)
    // The check that was planned for it has not been used.
    let (connection, prompt) = prompts[2]
    let step = try await vault.check(prompt, by: .password, caller: caller(connection)) { _ in }
    #expect(step == .passed)
  }
}
