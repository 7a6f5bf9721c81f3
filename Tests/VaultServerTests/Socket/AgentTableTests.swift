import PresenceTerms
import Synchronization
import System
import Testing

@testable import TokenVault
@testable import VaultServer

/// The agents that wait for prompts.
@Suite(.timeLimit(.minutes(10)))
struct AgentTableTests {
  private static let need = PresenceNeed(
    prompt: "p1",
    requester: "git, PID 7",
    account: "me",
    purpose: .refresh,
    detail: nil,
    methods: [.password],
    timeout: 30,
    reason: nil,
    scan: nil
  )

  private func caller(_ connection: UInt64, user: UInt32 = 1000) -> Caller {
    Caller(connection: connection, user: user, requester: "agent")
  }

  /// Calls that make agents wait.
  private final class Calls: AgentCalls {
    let arriving: [Caller]
    let isAlive: Bool
    let table = Mutex<AgentTable?>(nil)
    let count = Mutex(0)

    init(arriving: [Caller], isAlive: Bool) {
      self.arriving = arriving
      self.isAlive = isAlive
    }

    func call(_ user: UInt32) {
      count.withLock { $0 += 1 }
      guard let table = table.withLock({ $0 }) else { return }
      for agent in arriving { Task { _ = try? await table.next(for: agent) } }
    }

    func hasAgent(of user: UInt32) -> Bool { isAlive }

    func note(_ agent: ProcessNote) {}
  }

  /// A table in which each call makes these agents wait.
  private func table(arriving: [Caller] = [], within limit: Int64 = 500_000) -> AgentTable {
    let calls = Calls(arriving: arriving, isAlive: true)
    let table = AgentTable(arrivalTime: limit, calls)
    calls.table.withLock { $0 = table }
    return table
  }

  @Test
  func aCalledAgentGetsThePrompt() async throws {
    let table = table(arriving: [caller(1)])
    let agent = try #require(await table.newest(of: 1000, besides: [], mayArrive: true))
    #expect(agent.connection == 1)
    #expect(await table.newest(of: 1000, besides: [1], mayArrive: false) == nil)
    // It asks again only after it was given one.
    table.give(Self.need, to: 1)
  }

  @Test
  func withoutAnAgentTheWaitEnds() async {
    #expect(await table(within: 50).newest(of: 1000, besides: [], mayArrive: true) == nil)
    let strange = table(arriving: [caller(1, user: 1001)], within: 50)
    #expect(await strange.newest(of: 1000, besides: [], mayArrive: true) == nil)
  }

  /// The limit is longer than the test may last.
  @Test
  func ifNoAgentLivesNoneIsCalledOrWaitedFor() async throws {
    let calls = Calls(arriving: [], isAlive: false)
    let table = AgentTable(arrivalTime: 3_600_000, calls)
    #expect(!table.mayShow(for: 1000))
    #expect(await table.newest(of: 1000, besides: [], mayArrive: true) == nil)
    #expect(calls.count.withLock { $0 } == 0)
    // One that is connected is asked.
    let waiting = Task { try await table.next(for: caller(1)) }
    while !table.mayShow(for: 1000) { await Task.yield() }
    #expect(await table.newest(of: 1000, besides: [], mayArrive: true)?.connection == 1)
    #expect(!table.mayShow(for: 1001))
    table.remove(1)
    _ = await waiting.result
  }

  @Test
  func aPromptWaitsForAnAgentThatHasNotAskedYet() async throws {
    let table = table()
    async let first = table.next(for: caller(1))
    while await table.newest(of: 1000, besides: [], mayArrive: true) == nil {}
    table.give(Self.need, to: 1)
    #expect(try await first == .prompt(Self.need))
    table.give(Self.need, to: 1)
    #expect(try await table.next(for: caller(1)) == .prompt(Self.need))
    // A prompt that was taken back is not shown later.
    table.give(Self.need, to: 1)
    table.withdraw(from: 1)
    let late = Task { try await table.next(for: caller(1)) }
    // The agent is in the table already. An agent that asks after its removal would be a new one.
    while !table.isWaiting(1) { await Task.yield() }
    table.remove(1)
    await #expect(throws: VaultFailure.presenceFailed(.cancelled, methods: [])) {
      _ = try await late.value
    }
  }

  /// A connection that ends before its call is looked at leaves nothing behind.
  @Test
  func anAgentThatHasLeftIsNotEntered() async {
    let table = table()
    let task = Task { () -> Bool in
      while !Task.isCancelled { await Task.yield() }
      return (try? await table.next(for: caller(1))) == nil
    }
    task.cancel()
    table.remove(1)
    #expect(await task.value)
    #expect(await table.newest(of: 1000, besides: [], mayArrive: false) == nil)
  }

  /// Nothing is given to an agent whose connection is being ended.
  @Test
  func anAgentThatIsHungUpIsGoneAtOnce() async throws {
    let table = table()
    let ended = Mutex<[UInt64]>([])
    table.endConnections { number in ended.withLock { $0.append(number) } }
    let waiting = Task { try await table.next(for: caller(1)) }
    while await table.newest(of: 1000, besides: [], mayArrive: false) == nil { await Task.yield() }
    table.hangUp(1)
    #expect(await table.newest(of: 1000, besides: [], mayArrive: false) == nil)
    #expect(ended.withLock { $0 } == [1])
    _ = await waiting.result
  }

  private static let notice = Notice.loginRequired(account: "me", byBrowser: true)

  @Test
  func onlyAnAgentThatTakesNoticesGetsThem() async throws {
    let table = table()
    let plain = Task { try await table.next(for: caller(2)) }
    while await table.newest(of: 1000, besides: [], mayArrive: false) == nil { await Task.yield() }
    let found = await table.newest(
      of: 1000,
      besides: [],
      mayArrive: false,
      takingNotices: true
    )
    #expect(found == nil)
    let modern = Task { try await table.next(for: caller(1), takingNotices: true) }
    var agent: Caller?
    while agent == nil {
      await Task.yield()
      agent = await table.newest(of: 1000, besides: [], mayArrive: false, takingNotices: true)
    }
    #expect(agent?.connection == 1)
    table.give(Self.notice, to: 1)
    #expect(try await modern.value == .notice(Self.notice))
    table.remove(2)
    _ = await plain.result
  }

  @Test
  func fewNoticesWaitForAnAgentAndAPromptComesFirst() async throws {
    let table = table()
    async let first = table.next(for: caller(1), takingNotices: true)
    while await table.newest(of: 1000, besides: [], mayArrive: false) == nil { await Task.yield() }
    #expect(table.give(Self.notice, to: 1))
    #expect(try await first == .notice(Self.notice))
    // It shows a prompt for a while, and asks for nothing.
    let kept = (0..<20).count { _ in table.give(Self.notice, to: 1) }
    #expect(kept == 8)
    table.give(Self.need, to: 1)
    #expect(try await table.next(for: caller(1)) == .prompt(Self.need))
    for _ in 0..<8 { #expect(try await table.next(for: caller(1)) == .notice(Self.notice)) }
    let late = Task { try await table.next(for: caller(1)) }
    #expect(!table.give(Self.notice, to: 7))
    late.cancel()
    await #expect(throws: VaultFailure.presenceFailed(.cancelled, methods: [])) {
      _ = try await late.value
    }
  }

  @Test
  func aUserHasSixteenAgents() async throws {
    let table = table()
    let waiting = (1...16).map { number in
      Task { try await table.next(for: caller(UInt64(number))) }
    }
    var tried: Set<UInt64> = []
    while tried.count < 16 {
      if let agent = await table.newest(of: 1000, besides: tried, mayArrive: false) {
        tried.insert(agent.connection)
      }
    }
    await #expect(throws: VaultFailure.busy("too many agents show prompts")) {
      _ = try await table.next(for: caller(17))
    }
    waiting[0].cancel()
    _ = await waiting[0].result
    for number in 1...16 { table.remove(UInt64(number)) }
    for task in waiting { _ = await task.result }
  }
}
