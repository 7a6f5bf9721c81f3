import Testing

@testable import VaultServer

/// The allocation of helpers if many users want one.
@Suite
struct HelperQuotaTests {
  /// Waits until this many requests wait.
  private func wait(_ turns: HelperQuota, until waiting: Int) async {
    while turns.counts.waiting != waiting { await Task.yield() }
  }

  @Test
  func aUserHasAtMostItsShareAndHalfOfItForPassingCalls() async {
    let turns = HelperQuota(each: 4, all: 100)
    for _ in 0..<2 { #expect(await turns.take(for: 1, .passing)) }
    let third = Task { await turns.take(for: 1, .passing) }
    await wait(turns, until: 1)
    // Calls that must not be lost do not wait behind those, and other users have their own share.
    for _ in 0..<2 { #expect(await turns.take(for: 1, .pressing)) }
    for _ in 0..<2 { #expect(await turns.take(for: 2, .passing)) }
    let fifth = Task { await turns.take(for: 1, .pressing) }
    await wait(turns, until: 2)
    #expect(turns.counts == (6, 2))
    turns.giveBack(of: 1, .pressing)
    #expect(await fifth.value)
    turns.giveBack(of: 1, .passing)
    #expect(await third.value)
    #expect(turns.counts == (6, 0))
  }

  @Test
  func whoHasFewestComesFirstWhereThereAreNoMore() async {
    let turns = HelperQuota(each: 3, all: 4)
    for _ in 0..<3 { #expect(await turns.take(for: 1, .pressing)) }
    #expect(await turns.take(for: 2, .pressing))
    let again = Task { await turns.take(for: 2, .pressing) }
    await wait(turns, until: 1)
    let other = Task { await turns.take(for: 3, .pressing) }
    await wait(turns, until: 2)
    turns.giveBack(of: 1, .pressing)
    #expect(await other.value)
    #expect(turns.counts == (4, 1))
    turns.giveBack(of: 1, .pressing)
    #expect(await again.value)
    // All of them can be given back.
    for user: UInt32 in [1, 2, 2, 3] { turns.giveBack(of: user, .pressing) }
    #expect(turns.counts == (0, 0))
    for _ in 0..<3 { #expect(await turns.take(for: 1, .pressing)) }
  }

  @Test
  func aPassingOneEndsWithItsTaskAndAPressingOneWaits() async {
    let turns = HelperQuota(each: 2, all: 2)
    #expect(await turns.take(for: 1, .pressing))
    #expect(await turns.take(for: 1, .passing))
    let passing = Task { await turns.take(for: 1, .passing) }
    let pressing = Task { await turns.take(for: 1, .pressing) }
    await wait(turns, until: 2)
    passing.cancel()
    pressing.cancel()
    #expect(await !passing.value)
    #expect(turns.counts == (2, 1))
    turns.giveBack(of: 1, .passing)
    #expect(await pressing.value)
    #expect(turns.counts == (2, 0))
    // A request that was cancelled before it began gets no turn either, even if there is room.
    turns.giveBack(of: 1, .pressing)
    let late = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await turns.take(for: 1, .passing)
    }
    #expect(await !late.value)
    #expect(turns.counts == (1, 0))
  }
}
