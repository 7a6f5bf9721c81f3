internal import PresenceTerms
internal import Synchronization
internal import System
package import TokenVault

/// The connections of all agents.
///
/// They belong to no vault, so that a vault is closed while an agent waits. An agent connects when it is
/// called, so that none keeps the engine from its end.
package final class AgentTable: DesktopAgents {
  /// The most agents of one user, each a process.
  private static let mostOfUser = 16
  /// How long an agent may take to connect when it is called, in milliseconds.
  package static let arrivalTime: Int64 = 2000
  /// How long to wait for a newer agent when one has connected, in nanoseconds.
  private static let gatheringTime: UInt64 = 20_000_000
  /// How often a called agent is looked for, in nanoseconds.
  private static let lookInterval: UInt64 = 5_000_000

  private struct Agent {
    let caller: Caller
    /// When its process started, in ticks since the boot.
    let started: UInt64
    /// A prompt that it was given before it asked.
    var next: PresenceNeed?
    var wake: CheckedContinuation<PresenceNeed?, Never>?
  }

  private let agents = Mutex<[UInt64: Agent]>([:])
  private let arrivalTime: Int64
  /// Calls the agents of a user.
  private let call: @Sendable (UInt32) -> Void
  /// Ends a connection; `nil` before the server runs.
  private let end = Mutex<(@Sendable (UInt64) -> Void)?>(nil)

  /// Makes an empty table; `call` makes the agents of a user connect.
  package init(
    arrivalTime: Int64 = arrivalTime,
    calling call: @escaping @Sendable (_ user: UInt32) -> Void
  ) {
    self.arrivalTime = arrivalTime
    self.call = call
  }

  /// Takes the function that ends a connection.
  func endConnections(by end: @escaping @Sendable (UInt64) -> Void) {
    self.end.withLock { $0 = end }
  }

  // MARK: The agents

  /// Waits for a prompt for this agent.
  ///
  /// A process counts once: its earlier connection is ended.
  ///
  /// - Throws: `busy` if the user has too many agents, `presenceFailed` if the connection ends.
  func next(for caller: Caller) async throws(VaultFailure) -> PresenceNeed {
    let process = caller.peer?.identifier
    let agent = Agent(
      caller: caller,
      started: process.flatMap { ProcessFacts(process: $0) }?.started ?? 0
    )
    let (isKnown, earlier) = enter(agent, of: process)
    if let earlier { hangUp(earlier) }
    guard isKnown else { throw .busy("too many agents show prompts") }
    guard let need = await prompt(for: caller.connection) else {
      throw .presenceFailed(.cancelled, methods: [])
    }
    return need
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

  private func prompt(for number: UInt64) async -> PresenceNeed? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let (isOver, next) = agents.withLock { agents -> (Bool, PresenceNeed?) in
          // The handler may have run already, before there was anything to wake.
          if Task.isCancelled || agents[number] == nil { return (true, nil) }
          if let next = agents[number]?.next {
            agents[number]?.next = nil
            return (true, next)
          }
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

  private func takeWake(_ number: UInt64) -> CheckedContinuation<PresenceNeed?, Never>? {
    agents.withLock { agents in
      defer { agents[number]?.wake = nil }
      return agents[number]?.wake
    }
  }

  // MARK: The vaults

  package func newest(
    of user: UInt32,
    besides tried: Set<UInt64>,
    mayArrive: Bool
  ) async -> Caller? {
    guard mayArrive else { return known(of: user, besides: tried) }
    call(user)
    let end = BootInstant.now.nanoseconds + arrivalTime * 1_000_000
    while BootInstant.now.nanoseconds < end, !Task.isCancelled {
      if known(of: user, besides: tried) != nil {
        try? await Task.sleep(nanoseconds: Self.gatheringTime)
        if let agent = known(of: user, besides: tried) { return agent }
      } else {
        try? await Task.sleep(nanoseconds: Self.lookInterval)
      }
    }
    return nil
  }

  private func known(of user: UInt32, besides tried: Set<UInt64>) -> Caller? {
    agents.withLock { agents in
      agents.filter { $0.value.caller.user == user && !tried.contains($0.key) }
        .max { ($0.value.started, $0.key) < ($1.value.started, $1.key) }?.value.caller
    }
  }

  package func give(_ prompt: PresenceNeed, to agent: UInt64) {
    let wake = agents.withLock { agents -> CheckedContinuation<PresenceNeed?, Never>? in
      guard let wake = agents[agent]?.wake else {
        agents[agent]?.next = prompt
        return nil
      }
      agents[agent]?.wake = nil
      return wake
    }
    wake?.resume(returning: prompt)
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
