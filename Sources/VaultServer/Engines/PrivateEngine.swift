package import MachineKey
internal import Storage
package import System
package import TokenVault

/// The engine of one user.
///
/// The first client that needs it starts it, and it ends after an idle time.
///
/// It gets the state directory as descriptor 3 and a pipe as descriptor 4. When it listens, it
/// writes `L` into the pipe. If it cannot listen, it writes one line: `U` if the vault is damaged,
/// newer or not safe, else `E`, then the problem and, after a tab, the remedy. The pipe closes
/// without a byte if another engine has the vault already.
package enum PrivateEngine {
  /// The socket's name in the state directory.
  static let socketName = "engine"
  /// How long it stays without work, in seconds.
  static let idleSeconds: Int64 = 600
  /// The most descriptors that it uses: 256 connections take 512 of them.
  private static let mostDescriptors = 1024

  /// Runs until the engine is no longer needed.
  ///
  /// Returns the exit status.
  package static func run(
    directory: consuming Descriptor,
    report: consuming Descriptor,
    exchange: any TokenExchange,
    check: any PresenceChecker,
    tpm: any TPMSealing,
    keys: any SecurityKeySealing,
    service: any ServiceTransfer
  ) -> Int32 {
    do {
      try ThisProcess.refuseDumps()
      try ThisProcess.raiseLimits(descriptors: mostDescriptors)
      ThisProcess.makeFilesPrivate()
      // A client that has disconnected, or a limit on file sizes, must cause an error and not end
      // the engine.
      ThisProcess.ignoreWriteSignals()
      let signals = try TerminationSignals()
      let state: StateDirectory
      do throws(StorageError) {
        state = try StateDirectory(Directory(owning: directory))
      } catch {
        // The other engine serves the client.
        if error == .inUse { return 0 }
        return fail("U", "\(error)", VaultHint(error)?.text, report)
      }
      let vaults = try vaults(in: state, exchange, check, tpm, keys, service)
      // This process holds the state lock, so an existing socket belongs to an engine that was
      // killed.
      try state.root.unlink(socketName)
      let listener = try UnixSocket.listen(in: state.root, name: socketName)
      let server = try Server(
        vaults: vaults,
        listener: listener,
        signals: signals,
        limits: .alone,
        idleSeconds: idleSeconds
      )
      // The client that started this engine may be gone, but other clients may wait for it.
      try? report.write("L")
      vaults.removeUnfinishedCounter()
      vaults.resumeAddition()
      try server.run()
      try state.root.unlink(socketName)
      return 0
    } catch let failure as VaultFailure {
      if case .vaultUnsafe(let message, let hint) = failure {
        return fail("U", message, hint?.text, report)
      }
      return fail("E", "\(failure)", nil, report)
    } catch {
      return fail("E", "\(error)", nil, report)
    }
  }

  /// The vault of this user, open.
  ///
  /// If the machine key cannot be opened now, the engine still runs: each call reports the reason,
  /// and the recovery code opens the key.
  private static func vaults(
    in state: StateDirectory,
    _ exchange: any TokenExchange,
    _ check: any PresenceChecker,
    _ tpm: any TPMSealing,
    _ keys: any SecurityKeySealing,
    _ service: any ServiceTransfer
  ) throws -> Vaults {
    // A client starts the engine without this variable, so it cannot choose the bus.
    let bus = ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS")
    let agents = AgentTable(AgentDirectory { try state.openAgents() })
    let slots: MachineKeySlots
    do throws(StorageError) {
      let directory = try MachineKeyDirectory(in: state.root)
      let owner = MachineKeyOwner.user(ThisProcess.user)
      slots = MachineKeySlots(directory, owner: owner, tpm: tpm, keys: keys)
    } catch {
      throw VaultFailure(error)
    }
    let clock = try SystemClock()
    let open: @Sendable () throws -> Vault = {
      try Vault(
        directory: state,
        owner: ThisProcess.user,
        exchange: exchange,
        check: check,
        clock: clock,
        windowGuard: SessionGuard(user: ThisProcess.user, address: bus),
        agents: agents,
        seats: CallerLocator(address: bus),
        machineKeySlots: slots,
        service: service
      )
    }
    let vault: Vault?
    do {
      vault = try open()
    } catch {
      guard slots.isClosed else { throw error }
      vault = nil
    }
    return Vaults(
      vault,
      of: ThisProcess.user,
      agents: agents,
      slots: slots,
      opener: { _, _ in try open() }
    )
  }

  private static func fail(
    _ kind: String,
    _ message: String,
    _ hint: String?,
    _ report: borrowing Descriptor
  ) -> Int32 {
    let text = [message, hint].compactMap { $0?.replacing("\t", with: " ") }
      .joined(separator: "\t")
    // The client may be gone. No other process needs this report.
    try? report.write(kind + text.replacing("\n", with: " ").prefix(2000) + "\n")
    return 1
  }
}
