package import MachineKey
internal import Storage
internal import System
package import TokenVault
internal import UserNames

/// The engine of the machine, which serves all its users.
///
/// Its socket unit starts it when a client connects, and it ends after an idle time.
///
/// It runs as a system user of its own. The listener belongs to the service manager and stays when
/// this process ends. A client that connects then waits there, and the next engine answers.
package enum ServiceEngine {
  /// How long it stays without work, in seconds.
  package static let idleSeconds: Int64 = 300
  /// The most descriptors that it uses, within the limit of the unit (LimitNOFILE).
  static let mostDescriptors = 16_384
  /// How long the engine waits at its end for running exchanges, in seconds.
  ///
  /// It is 3 s longer than the longest life of an exchange helper. The unit waits 75 s in all.
  static let stopSeconds: Int64 = 65

  /// Runs until the engine is no longer needed.
  ///
  /// - Parameters:
  ///   - idleSeconds: the engine ends after so long without a connection, a window or running work.
  ///   - exchange: sends requests.
  ///   - check: asks the reader and the PAM stack for passwords.
  ///   - tpm: seals the machine key.
  ///   - rules: the administrator's rules.
  /// - Returns: the exit status.
  package static func run(
    idleSeconds: Int64 = idleSeconds,
    exchange: any TokenExchange,
    check: any PresenceChecker,
    tpm: any TPMSealing,
    rules: any MachineRules = MachineConfiguration()
  ) -> Int32 {
    do {
      try ThisProcess.reserveStandardDescriptors()
      try ThisProcess.refuseDumps()
      ThisProcess.makeFilesPrivate()
      // A client that has disconnected, or a limit on file sizes, must cause an error and not end
      // the engine.
      ThisProcess.ignoreWriteSignals()
      let listener = try UnixSocket.activated()
      let signals = try TerminationSignals()
      let vaults = try makeVaults(exchange, check, tpm, rules)
      // Read the policy once, so that a broken file is logged before the first call.
      _ = try? rules.policy()
      let server = try Server(
        vaults: vaults,
        listener: listener,
        signals: signals,
        limits: .shared(descriptors: try ThisProcess.raiseDescriptorLimit(to: mostDescriptors)),
        idleSeconds: idleSeconds,
        stopSeconds: stopSeconds
      )
      // Both helpers start at the same time, not one after the other.
      if vaults.openAhead() { exchange.prepare() }
      vaults.removeUnfinishedCounter()
      vaults.resumeAddition()
      try server.run()
      return 0
    } catch let flaw as Flaw {
      return fail(flaw.message)
    } catch {
      return fail("\(error)")
    }
  }

  /// The vaults of all users, in the directory of the unit.
  private static func makeVaults(
    _ exchange: any TokenExchange,
    _ check: any PresenceChecker,
    _ tpm: any TPMSealing,
    _ rules: any MachineRules
  ) throws -> Vaults {
    let path = try statePath()
    let users = Users(try UserDirectories(in: try stateDirectory(path), path: path))
    // The state directory is locked now.
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: try Directory(path: path)),
      owner: .machine,
      tpm: tpm
    )
    let clock = try SystemClock()
    // This is the unit's environment, which no caller can set; `nil` means the machine's bus.
    let bus = ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS")
    let locations = CallerLocator(address: bus)
    let shares = HelperShares()
    let agents = makeAgents()
    let journal = try JournalSocket(rules: rules)
    let made: @Sendable (UInt32, StateDirectory) throws -> Vault = { user, directory in
      try Vault(
        directory: directory,
        owner: user,
        exchange: SharedExchange(exchange: exchange, turns: shares.exchanges, user: user),
        check: SharedPresence(check: check, shares: shares, user: user),
        clock: clock,
        windowGuard: SessionGuard(user: user, address: bus),
        rules: rules,
        locations: locations,
        agents: agents,
        journal: journal,
        machineKeySlots: slots
      )
    }
    return Vaults(
      opening: { user, name in try made(user, try users.directories.open(user, named: name)) },
      name: { user in UserNames.name(of: user) },
      list: { try? Directory(path: "/etc").stamp("passwd") },
      care: UserAccounts(
        find: { user in try users.directories.find(user) },
        list: { try users.directories.list() },
        open: { user in
          try users.directories.openAsItIs(user).map { (try made(user, $0.directory), $0.owner) }
        },
        remove: { user in try users.directories.remove(user) }
      ),
      agents: agents,
      rules: rules,
      slots: slots
    )
  }

  /// The agents of all users.
  private static func makeAgents() -> AgentTable {
    // Without this directory, agents are found only while they are connected.
    let runtime = ThisProcess.environment("RUNTIME_DIRECTORY")
    return AgentTable(
      runtime.map { runtime in
        AgentDirectory(reporting: { Journal.note("\(runtime): \($0)") }) {
          try Directory(path: runtime)
        }
      }
    )
  }

  private struct Flaw: Error {
    let message: String
  }

  /// Holds the directories that closures share.
  private final class Users: Sendable {
    let directories: UserDirectories

    init(_ directories: consuming UserDirectories) {
      self.directories = directories
    }
  }

  private static func statePath() throws -> String {
    guard let path = ThisProcess.environment("STATE_DIRECTORY"), path.hasPrefix("/"),
      // systemd.exec(5): several directories are separated by colons.
      !path.contains(":")
    else {
      throw Flaw(message: "STATE_DIRECTORY does not name one absolute path: see StateDirectory=")
    }
    return path
  }

  /// Opens the state directory of the unit, and locks it against a second engine while it is open.
  private static func stateDirectory(_ path: String) throws -> Directory {
    let directory = try Directory(path: path)
    let status = try directory.descriptor.status()
    guard status.owner == ThisProcess.user, status.mode & 0o777 == 0o700 else {
      throw Flaw(message: "\(path) must belong to user \(ThisProcess.user) with mode 0700")
    }
    guard try directory.descriptor.lockExclusively() else {
      throw Flaw(message: "\(path) is in use by another engine")
    }
    return directory
  }

  private static func fail(_ message: String) -> Int32 {
    Journal.note(message)
    return 1
  }
}

/// The administrator's log: standard error, which the unit connects to the journal.
enum Journal {
  static func note(_ message: String) {
    let line = message.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
    let output = Descriptor(owning: 2)
    try? output.write("thumblatchd: \(line)\n")
    _ = output.relinquish()
  }
}
