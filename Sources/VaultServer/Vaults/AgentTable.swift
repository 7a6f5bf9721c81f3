internal import Configuration
internal import PresenceTerms
internal import Synchronization
internal import System
package import TokenVault

/// The connections of all agents.
///
/// They belong to no vault, so that a vault is closed while an agent waits. An agent connects only
/// when it is called, so that no agent keeps the engine running.
package final class AgentTable: DesktopAgents {
  /// The most agents of one user, each a process.
  private static let mostOfUser = 16
  /// The most notices that wait for one agent.
  private static let mostNotices = 8
  /// How long an agent may take to connect when it is called, in milliseconds.
  package static let arrivalTime: Int64 = 2000
  /// How long to wait for a newer agent when one has connected, in nanoseconds.
  private static let gatheringTime: UInt64 = 20_000_000
  /// How often a called agent is looked for, in nanoseconds.
  private static let lookInterval: UInt64 = 5_000_000

  /// The thing that an agent is to show.
  enum Item: Sendable, Equatable {
    case prompt(PresenceNeed)
    case notice(Notice)
  }

  private struct Agent {
    let caller: Caller
    let takesNotices: Bool
    /// When its process started, in ticks since the boot.
    let started: UInt64
    /// A prompt that it was given before it asked.
    var next: PresenceNeed?
    /// Notices that came before it asked, oldest first.
    var notices: [Notice] = []
    var wake: CheckedContinuation<Item?, Never>?

    /// The thing that it is to show now.
    ///
    /// A person waits for a prompt, but not for a notice.
    mutating func takeItem() -> Item? {
      if let next {
        self.next = nil
        return .prompt(next)
      }
      return notices.isEmpty ? nil : .notice(notices.removeFirst())
    }
  }

  private let agents = Mutex<[UInt64: Agent]>([:])
  private let arrivalTime: Int64
  /// Calls and notes agents; `nil` if only connected ones are known.
  private let calls: (any AgentCalls)?
  /// Ends a connection; `nil` before the server runs.
  private let end = Mutex<(@Sendable (UInt64) -> Void)?>(nil)

  /// Makes an empty table, whose agents are called by `calls`.
  package init(arrivalTime: Int64 = arrivalTime, _ calls: (any AgentCalls)?) {
    self.arrivalTime = arrivalTime
    self.calls = calls
  }

  /// Stores the function that ends a connection.
  func endConnections(by end: @escaping @Sendable (UInt64) -> Void) {
    self.end.withLock { $0 = end }
  }

  // MARK: The agents

  /// Waits for a prompt or a notice for this agent.
  ///
  /// A process counts once: its earlier connection is ended.
  ///
  /// - Throws: `busy` if the user has too many agents, `presenceFailed` if the connection ends.
  func next(
    for caller: Caller,
    takingNotices: Bool = false
  ) async throws(VaultFailure) -> Item {
    let process = caller.peer?.identifier
    var known = caller
    known.marks = process.flatMap { CallerMarks(process: $0) }
    let agent = Agent(
      caller: known,
      takesNotices: takingNotices,
      started: process.flatMap { ProcessFacts(process: $0) }?.started ?? 0
    )
    let (isKnown, earlier) = enter(agent, of: process)
    if let earlier { hangUp(earlier) }
    guard isKnown else { throw .busy("too many agents show prompts") }
    if let process {
      calls?.note(
        ProcessNote(user: caller.user, process: process, started: agent.started)
      )
    }
    guard let item = await item(for: caller.connection) else {
      throw .presenceFailed(.cancelled, methods: [])
    }
    return item
  }

  /// Enters an agent; false if there is no room.
  private func enter(_ agent: Agent, of process: Int32?) -> (isKnown: Bool, earlier: UInt64?) {
    let number = agent.caller.connection
    return agents.withLock { agents in
      // Its connection may have ended already, and then nothing would remove it.
      guard agents[number] == nil, !Task.isCancelled else { return (true, nil) }
      let own = agents.filter { $0.value.caller.user == agent.caller.user }
      let earlier = own.first { process != nil && $0.value.caller.peer?.identifier == process }?.key
      guard earlier != nil || own.count < Self.mostOfUser else { return (false, nil) }
      agents[number] = agent
      return (true, earlier)
    }
  }

  private func item(for number: UInt64) async -> Item? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let (isOver, next) = agents.withLock { agents -> (Bool, Item?) in
          // The handler may have run already, before there was anything to wake.
          if Task.isCancelled || agents[number] == nil { return (true, nil) }
          if let item = agents[number]?.takeItem() { return (true, item) }
          agents[number]?.wake = wake
          return (false, nil)
        }
        if isOver { wake.resume(returning: next) }
      }
    } onCancel: {
      takeWake(number)?.resume(returning: nil)
    }
  }

  /// Forgets an agent whose connection has ended.
  func remove(_ number: UInt64) {
    agents.withLock { $0.removeValue(forKey: number) }?.wake?.resume(returning: nil)
  }

  /// Whether an agent waits for something to show.
  func isWaiting(_ number: UInt64) -> Bool {
    agents.withLock { $0[number]?.wake != nil }
  }

  private func takeWake(_ number: UInt64) -> CheckedContinuation<Item?, Never>? {
    agents.withLock { agents in
      defer { agents[number]?.wake = nil }
      return agents[number]?.wake
    }
  }

  // MARK: The vaults

  package func mayShow(for user: UInt32) -> Bool {
    known(of: user, besides: [], takingNotices: false) != nil
      || calls?.hasAgent(of: user) == true
  }

  package func newest(
    of user: UInt32,
    besides tried: Set<UInt64>,
    mayArrive: Bool,
    takingNotices: Bool
  ) async -> Caller? {
    let known = { self.known(of: user, besides: tried, takingNotices: takingNotices) }
    guard mayArrive, let calls, calls.hasAgent(of: user) else { return known() }
    calls.call(user)
    let end = BootInstant.now.nanoseconds + arrivalTime * 1_000_000
    while BootInstant.now.nanoseconds < end, !Task.isCancelled {
      if known() != nil {
        try? await Task.sleep(nanoseconds: Self.gatheringTime)
        if let agent = known() { return agent }
      } else {
        try? await Task.sleep(nanoseconds: Self.lookInterval)
      }
    }
    return nil
  }

  private func known(
    of user: UInt32,
    besides tried: Set<UInt64>,
    takingNotices: Bool
  ) -> Caller? {
    agents.withLock { agents in
      agents.filter { $0.value.caller.user == user && !tried.contains($0.key) }
        .filter { $0.value.takesNotices || !takingNotices }
        .max { ($0.value.started, $0.key) < ($1.value.started, $1.key) }?.value.caller
    }
  }

  package func give(_ prompt: PresenceNeed, to agent: UInt64) {
    _ = give(.prompt(prompt), to: agent) { agent in
      agent.next = prompt
      return true
    }
  }

  @discardableResult
  package func give(_ notice: Notice, to agent: UInt64) -> Bool {
    give(.notice(notice), to: agent) { agent in
      guard agent.notices.count < Self.mostNotices else { return false }
      agent.notices.append(notice)
      return true
    }
  }

  /// Gives it to an agent that waits, else keeps it; false if neither can be done.
  private func give(_ item: Item, to number: UInt64, keep: (inout Agent) -> Bool) -> Bool {
    let (wake, isKept) = agents.withLock { agents -> (CheckedContinuation<Item?, Never>?, Bool) in
      guard var agent = agents[number] else { return (nil, false) }
      defer { agents[number] = agent }
      guard let wake = agent.wake else { return (nil, keep(&agent)) }
      agent.wake = nil
      return (wake, true)
    }
    wake?.resume(returning: item)
    return isKept
  }

  package func withdraw(from agent: UInt64) {
    agents.withLock { $0[agent]?.next = nil }
  }

  package func hangUp(_ agent: UInt64) {
    // No other prompt is given to it while the server ends its connection.
    remove(agent)
    end.withLock { $0 }?(agent)
  }
}
