import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Prompts that wait for another prompt.
extension DialogueTests {
  /// A waiting prompt arms no reader.
  ///
  /// Neither the touch for the first prompt nor a touch right after it counts for the second.
  @Test
  func anotherQuestionWaitsAndIsAskedAgain() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let first = try await need { _ = try await vault.token() }
    let second = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller(2))
    }
    async let check = vault.check(first.prompt, by: .fingerprint, caller: caller()) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let notice = Box<CheckNotice>()
    let waiting = Task {
      try await vault.check(second.prompt, by: .fingerprint, mayWait: true, caller: caller(2)) {
        notice.put($0)
      }
    }
    while notice.value == nil { await Task.yield() }
    #expect(notice.value == .queued)
    reader.tell(.matched)
    #expect(try await check == .passed)
    #expect(try await waiting.value == .free)
    #expect(bench.check.conversations.count == begun + 1)
    bench.check.plan([.ready, .matched])
    let now = try await vault.check(
      second.prompt,
      by: .fingerprint,
      mayWait: true,
      caller: caller(2)
    ) { _ in }
    #expect(now == .passed)
    let facts = try await vault.setProtection(
      false,
      account: "me",
      prompt: second.prompt,
      caller: caller(2)
    )
    #expect(!facts.isProtected)
  }

  @Test
  func whoWaitsForAnotherPromptMayGiveUp() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let first = try await need { _ = try await vault.token() }
    let second = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller(2))
    }
    async let check = vault.check(first.prompt, by: .fingerprint, caller: caller()) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let notice = Box<CheckNotice>()
    let waiting = Task {
      await failure {
        _ = try await vault.check(second.prompt, by: .fingerprint, mayWait: true, caller: caller(2))
        {
          notice.put($0)
        }
      }
    }
    while notice.value == nil { await Task.yield() }
    await vault.disconnect(2)
    #expect(isRefused(await waiting.value))
    reader.tell(.matched)
    #expect(try await check == .passed)
  }
}
