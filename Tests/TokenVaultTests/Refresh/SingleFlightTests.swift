import Presence
import PresenceTerms
import System
import Testing

@testable import TokenVault

/// Many callers, one exchange, one prompt.
@Suite(.timeLimit(.minutes(10)))
struct SingleFlightTests {
  @Test
  func sixtyFourCallersShareOneExchange() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let callers = await vault.tokens(1...64)
    await bench.exchange.untilRequested(2)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    for waiting in callers {
      #expect(try await waiting.value.get().accessToken == "at-2")
    }
    #expect(bench.exchange.refreshes.count == 1)
    #expect(try await vault.events().filter { $0.hasPrefix("refresh") }.count == 2)
  }

  @Test
  func theyShareItsFailure() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let callers = await vault.tokens(1...64)
    await vault.barrier()
    bench.exchange.plan(.answer(status: 500, body: ""))
    for waiting in callers {
      let found = await waiting.value
      guard case .failure(.unavailable(.uncertain, _, retryAfter: 2, _)) = found else {
        Issue.record("not the same failure")
        continue
      }
    }
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test
  func twoAccountsDoNotWaitForEachOther() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, "slow", refresh: "rt-slow")
    try await bench.signIn(vault, "fast", refresh: "rt-fast")
    bench.clock.advance(3600)
    bench.exchange.hold()
    async let slow = vault.token("slow")
    await bench.exchange.untilRequested(3)
    async let fast = vault.token("fast", caller: caller(2))
    await bench.exchange.untilRequested(4)
    bench.exchange.plan(.tokens(access: "at-a", refresh: "rt-a"))
    bench.exchange.plan(.tokens(access: "at-b", refresh: "rt-b"))
    #expect(try await Set([slow.accessToken, fast.accessToken]) == ["at-a", "at-b"])
    #expect(Set(bench.exchange.refreshes).count == 2)
  }

  @Test
  func whoAsksForTheSameJoinsThePromptAndFindsTheNewToken() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    let begun = bench.check.conversations.count
    bench.clock.advance(3600)
    let leader = try await need { _ = try await vault.token(caller: caller(1)) }
    let joiner = try await need { _ = try await vault.token(caller: caller(2)) }
    #expect(leader.prompt != joiner.prompt)
    #expect(leader.account == "me" && leader.purpose == .refresh)
    #expect(leader.requester == "bash, PID 1" && joiner.requester == "bash, PID 2")
    #expect(leader.methods == [.fingerprint, .password])
    async let first = vault.check(leader.prompt, by: .fingerprint, caller: caller(1)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    #expect(reader.fingers == ["right-index"])
    let waiting = Box<CheckNotice>()
    let second = Task {
      try await vault.check(joiner.prompt, by: .fingerprint, caller: caller(2)) { event in
        waiting.put(event)
      }
    }
    while waiting.value == nil { await Task.yield() }
    #expect(waiting.value == .waiting)
    reader.tell(.matched)
    #expect(try await first == .passed)
    #expect(try await second.value == .passed)
    bench.exchange.hold()
    // The joined waiter is faster than the caller with the proof, and waits for it.
    let joined = Task { try await vault.token(prompt: joiner.prompt, caller: caller(2)) }
    let led = Task { try await vault.token(prompt: leader.prompt, caller: caller(1)) }
    await bench.exchange.untilRequested(2)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await led.value.accessToken == "at-2")
    #expect(try await joined.value.accessToken == "at-2")
    #expect(bench.exchange.refreshes.count == 1)
    #expect(bench.check.conversations.count == begun + 1)
  }

  @Test
  func aCancelByTheLeaderIsTheOutcomeForAll() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let begun = bench.check.conversations.count
    let leader = try await need { _ = try await vault.token(caller: caller(1)) }
    let first = Task {
      await failure {
        _ = try await vault.check(leader.prompt, by: .password, caller: caller(1)) { _ in }
      }
    }
    let reader = await bench.check.conversation(begun + 1)
    var joiners: [Task<VaultFailure?, Never>] = []
    for connection in UInt64(2)...9 {
      let joiner = try await need { _ = try await vault.token(caller: caller(connection)) }
      let waiting = Box<CheckNotice>()
      joiners.append(
        Task {
          await failure {
            _ = try await vault.check(
              joiner.prompt,
              by: .password,
              caller: caller(connection)
            ) { waiting.put($0) }
          }
        }
      )
      while waiting.value == nil { await Task.yield() }
    }
    await vault.disconnect(1)
    #expect(reader.isCancelled)
    for joiner in [first] + joiners {
      guard case .presenceFailed(.cancelled, _)? = await joiner.value else {
        Issue.record("not cancelled")
        continue
      }
    }
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aJoinedWaiterCanLeaveByItself() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    let begun = bench.check.conversations.count
    let leader = try await need { _ = try await vault.token(caller: caller(1)) }
    let joiner = try await need { _ = try await vault.token(caller: caller(2)) }
    async let first = vault.check(leader.prompt, by: .fingerprint, caller: caller(1)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let waiting = Box<CheckNotice>()
    let second = Task {
      await failure {
        _ = try await vault.check(joiner.prompt, by: .fingerprint, caller: caller(2)) {
          waiting.put($0)
        }
      }
    }
    while waiting.value == nil { await Task.yield() }
    second.cancel()
    guard case .presenceFailed(.cancelled, let methods)? = await second.value else {
      Issue.record("not cancelled")
      return
    }
    #expect(methods == [.fingerprint, .password])
    #expect(!reader.isCancelled)
    reader.tell(.matched)
    #expect(try await first == .passed)
  }

  /// A protected account whose token has expired, and the prompts of two callers for it.
  private func promptedTwice(
    _ bench: Bench
  ) async throws -> (vault: Vault, first: PresenceNeed, second: PresenceNeed) {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let first = try await need { _ = try await vault.token(caller: caller(1)) }
    let second = try await need { _ = try await vault.token(caller: caller(2)) }
    return (vault, first, second)
  }

  /// The prompt was shown before the touch, and the call came after it: one touch is enough.
  @Test
  func whoWasAboutToJoinFindsTheNewToken() async throws {
    let bench = try Bench()
    let (vault, leader, late) = try await promptedTwice(bench)
    let begun = bench.check.conversations.count
    try await bench.pass(leader, vault, caller(1))
    let step = try await vault.check(late.prompt, by: .fingerprint, caller: caller(2)) { _ in }
    #expect(step == .passed)
    // Joining gave it no proof: it waits for the token of the first caller.
    let second = Task { try await vault.token(prompt: late.prompt, caller: caller(2)) }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    let first = try await vault.token(prompt: leader.prompt, caller: caller(1))
    #expect(first.accessToken == "at-2")
    #expect(try await second.value.accessToken == "at-2")
    #expect(bench.exchange.refreshes.count == 1)
    #expect(bench.check.conversations.count == begun + 1)
    #expect(await vault.holdsNothing)
  }

  /// If the first caller brings no token, the second one gets its own check.
  @Test
  func whoWasAboutToJoinOneThatBringsNothingIsAskedItself() async throws {
    let bench = try Bench()
    let (vault, leader, late) = try await promptedTwice(bench)
    try await bench.pass(leader, vault, caller(1))
    _ = try await vault.check(late.prompt, by: .fingerprint, caller: caller(2)) { _ in }
    await vault.disconnect(1)
    let again = try await need {
      _ = try await vault.token(prompt: late.prompt, caller: caller(2))
    }
    #expect(again.prompt != late.prompt)
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aNewTokenFreesThoseWhoWaitForAProof() async throws {
    let bench = try Bench()
    let (vault, leader, joiner) = try await promptedTwice(bench)
    let begun = bench.check.conversations.count
    async let first = vault.check(leader.prompt, by: .password, caller: caller(1)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let waiting = Box<CheckNotice>()
    let second = Task {
      try await vault.check(joiner.prompt, by: .password, caller: caller(2)) { waiting.put($0) }
    }
    while waiting.value == nil { await Task.yield() }
    reader.tell(.matched)
    _ = try await first
    _ = try await second.value
    let joined = Task { try await vault.token(prompt: joiner.prompt, caller: caller(2)) }
    // A sign-in brings a token before the first caller has used its proof.
    try await bench.signIn(vault, refresh: "rt-9", access: "at-9")
    #expect(try await vault.token(prompt: leader.prompt, caller: caller(1)).accessToken == "at-9")
    #expect(try await joined.value.accessToken == "at-9")
    #expect(bench.exchange.refreshes.isEmpty)
  }
}
