internal import Storage
internal import System
public import TokenVault
internal import UserNames

/// The engine of the machine: one for all its users, started by its socket unit when somebody
/// connects, gone after a while.
///
/// It runs as a system user of its own. The listener is the service manager's and stays when this
/// process ends: who connects then waits there, and the next engine answers.
public enum ServiceEngine {
  /// How long it stays without anything to do, in seconds.
  public static let idleSeconds: Int64 = 300
  /// As many descriptors as it takes of those that the unit allows (LimitNOFILE).
  static let mostDescriptors = 16_384
  /// How long the end waits for exchanges that are under way, in seconds.
  ///
  /// It is 3 s longer than the longest life of a courier. The unit waits 75 s in all.
  static let stopSeconds: Int64 = 65

  /// Runs until it is not needed any more.
  ///
  /// - Parameters:
  ///   - idleSeconds: after so long without a connection, a window or anything under way it ends.
  ///   - exchange: sends requests.
  ///   - check: asks the reader and the password's stack.
  ///   - rules: what the administrator has laid down.
  /// - Returns: the exit status.
  public static func run(
    idleSeconds: Int64 = idleSeconds,
    exchange: any TokenExchange,
    check: any PresenceCheck,
    rules: any MachineRules = MachineFiles()
  ) -> Int32 {
    do {
      try ThisProcess.reserveStandardDescriptors()
      try ThisProcess.refuseDumps()
      ThisProcess.makeFilesPrivate()
      // A client that has gone, and a limit on file sizes, are errors and no reason to die.
      ThisProcess.ignoreWriteSignals()
      let listener = try UnixSocket.activated()
      let signals = try TerminationSignals()
      let path = try statePath()
      let users = Users(try UserDirectories(in: try stateDirectory(path), path: path))
      let clock = try SystemClock()
      // The unit's environment, which no caller has a part in; nil: the machine's bus.
      let bus = ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS")
      let places = SessionPlaces(address: bus)
      let shares = HelperShares()
      let made: @Sendable (UInt32, StateDirectory) throws -> Vault = { user, directory in
        try Vault(
          directory: directory,
          owner: user,
          exchange: SharedExchange(exchange: exchange, turns: shares.exchanges, user: user),
          check: SharedPresence(check: check, shares: shares, user: user),
          clock: clock,
          windowGuard: SessionGuard(user: user, address: bus),
          rules: rules,
          places: places
        )
      }
      let vaults = Vaults(
        opening: { user, name in try made(user, try users.directories.open(user, named: name)) },
        name: { user in UserNames.name(of: user) },
        list: { try? Directory(path: "/etc").stamp("passwd") },
        care: UserCare(
          find: { user in try users.directories.find(user) },
          open: { user in
            try users.directories.openAsItIs(user).map { (try made(user, $0.directory), $0.owner) }
          },
          remove: { user in try users.directories.remove(user) }
        )
      )
      // A file that is broken from the start is told before anybody asks.
      _ = try? rules.policy()
      let server = try Server(
        vaults: vaults,
        listener: listener,
        signals: signals,
        limits: .shared(descriptors: try ThisProcess.raiseDescriptorLimit(to: mostDescriptors)),
        idleSeconds: idleSeconds,
        stopSeconds: stopSeconds
      )
      try server.run()
      return 0
    } catch let flaw as Flaw {
      return fail(flaw.message)
    } catch {
      return fail("\(error)")
    }
  }

  private struct Flaw: Error {
    let message: String
  }

  /// A directory that closures share.
  private final class Users: Sendable {
    let directories: UserDirectories

    init(_ directories: consuming UserDirectories) {
      self.directories = directories
    }
  }

  private static func statePath() throws -> String {
    guard let path = ThisProcess.environment("STATE_DIRECTORY"), path.hasPrefix("/"),
      // systemd.exec(5): several are separated by colons.
      !path.contains(":")
    else {
      throw Flaw(message: "STATE_DIRECTORY does not name one absolute path: see StateDirectory=")
    }
    return path
  }

  /// The state directory of the unit, held against a second engine for as long as it is open.
  private static func stateDirectory(_ path: String) throws -> Directory {
    let directory = try Directory(path: path)
    let status = try directory.descriptor.status()
    guard status.owner == ThisProcess.user, status.mode & 0o777 == 0o700 else {
      throw Flaw(
        message: "\(path) must belong to user \(ThisProcess.user) with mode 0700"
      )
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

/// What the administrator reads: standard error, which the unit connects to the journal.
enum Journal {
  static func note(_ message: String) {
    let line = message.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
    let output = Descriptor(owning: 2)
    try? output.write("thumblatchd: \(line)\n")
    _ = output.relinquish()
  }
}
