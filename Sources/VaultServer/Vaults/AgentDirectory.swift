package import System

/// Calls agents that are not connected.
package protocol AgentCalls: Sendable {
  /// Calls the agents of a user.
  func call(_ user: UInt32)

  /// Whether an agent of a user lives that has connected once.
  func hasAgent(of user: UInt32) -> Bool

  /// Notes an agent that has connected.
  func note(_ agent: ProcessNote)
}

/// The directory where the engine calls agents, and notes those that have connected.
///
/// The notes outlast the engine. So an engine that starts later knows whether a call can be heard.
package struct AgentDirectory: AgentCalls {
  private let open: @Sendable () throws -> Directory
  /// Reports a failure to the administrator.
  private let report: @Sendable (String) -> Void

  /// Uses the directory that `open` opens each time, because it may be replaced.
  package init(
    reporting report: @escaping @Sendable (String) -> Void = { _ in },
    _ open: @escaping @Sendable () throws -> Directory
  ) {
    self.open = open
    self.report = report
  }

  package func call(_ user: UInt32) {
    attempt("no agent can be called") { try $0.touch("\(user)") }
  }

  package func hasAgent(of user: UInt32) -> Bool {
    attempt("no agent is known") { try $0.notesLivingProcess(of: user) } ?? false
  }

  package func note(_ agent: ProcessNote) {
    attempt("an agent cannot be noted") { try $0.note(agent) }
  }

  @discardableResult
  private func attempt<Value>(
    _ failure: String,
    _ body: (borrowing Directory) throws -> Value
  ) -> Value? {
    do {
      return try body(try open())
    } catch {
      report("\(failure): \(error)")
      return nil
    }
  }
}
