internal import DesktopPrompt
internal import System
internal import VaultClient

extension Session {
  /// A run of its own, without a terminal, on the thread of one client of an agent.
  convenience init(detached arguments: Arguments, of location: VaultLocation, interrupt: Int32?) {
    let environment = { (name: String) in ThisProcess.environment(name) }
    self.init(
      arguments: arguments,
      output: Output(json: false, environment: environment),
      interrupt: interrupt,
      environment: environment,
      openTerminal: { nil },
      connect: { () throws(VaultClientError) in
        try location.connect(interrupt: interrupt, environment: environment)
      }
    )
    self.location = location
    if location == .privateVault {
      openDesktop = { () throws(DesktopError) in try Desktop(variable: environment) }
    }
  }
}
