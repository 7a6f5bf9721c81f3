public import VaultClient

/// All checks of an installation, as far as the calling process sees it.
///
/// The checks change nothing, and one that fails does not stop the others.
public struct Examination {
  private let location: VaultLocation?
  private let caller: Caller

  /// Prepares the checks of a vault; without a location, those of the person's own vault.
  public init(of location: VaultLocation?, by caller: Caller = Caller()) {
    self.location = location
    self.caller = caller
  }

  /// Runs the checks that need no engine: programs, directories, providers, the system password,
  /// and the environment.
  public func withoutEngine() -> [Finding] {
    ProgramChecks.run() + vault() + ProviderChecks.run(environment: caller.environment)
      + PasswordStackChecks.run() + EnvironmentChecks(caller).run()
  }

  /// Asks the engine for its version and for its findings.
  ///
  /// A failure to connect is a finding as well. `whenSlow` is called if the engine lets the person
  /// wait.
  ///
  /// - Throws: only `interrupted`.
  public func ofEngine(
    _ calls: VaultCalls,
    whenSlow: (() -> Void)? = nil
  ) throws(VaultClientError) -> [Finding] {
    try EngineChecks.run(calls, whenSlow)
  }

  private func vault() -> [Finding] {
    switch location {
    case nil, .privateVault: DirectoryChecks(environment: caller.environment).run()
    case .service: ServiceChecks.run()
    // A variable names this socket, and `EnvironmentChecks` reports that.
    case .socket: []
    }
  }
}
