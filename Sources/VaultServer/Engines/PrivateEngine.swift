internal import Storage
public import System
public import TokenVault

/// The engine of one user: started by the first client that needs it, gone after a while.
///
/// Started with the state directory as descriptor 3 and a pipe as descriptor 4, into which it
/// writes `L` when it listens, or one line that says why it cannot: `U` where the vault is damaged,
/// newer or not safe, else `E`; then what is wrong and, behind a tab, what to do. The pipe closes
/// without a byte where another engine has the vault already.
public enum PrivateEngine {
  /// The socket's name in the state directory.
  static let socketName = "engine"
  /// How long it stays without anything to do, in seconds.
  static let idleSeconds: Int64 = 600
  /// The most descriptors that it uses: 256 connections take 512 of them.
  private static let mostDescriptors = 1024

  /// Runs until it is not needed any more; the exit status.
  public static func run(
    directory: consuming Descriptor,
    report: consuming Descriptor,
    exchange: any TokenExchange,
    check: any PresenceCheck
  ) -> Int32 {
    do {
      try ThisProcess.refuseDumps()
      try ThisProcess.raiseLimits(descriptors: mostDescriptors)
      ThisProcess.makeFilesPrivate()
      // A client that has gone, and a limit on file sizes, are errors and no reason to die.
      ThisProcess.ignoreWriteSignals()
      let signals = try TerminationSignals()
      let state: StateDirectory
      do throws(StorageError) {
        state = try StateDirectory(Directory(owning: directory))
      } catch {
        // The other engine is the one to talk to.
        if error == .inUse { return 0 }
        return fail("U", "\(error)", error.remedy, report)
      }
      let vault = try Vault(
        directory: state,
        owner: ThisProcess.user,
        exchange: exchange,
        check: check,
        clock: try SystemClock(),
        // A client starts the engine without this variable: it cannot choose the bus.
        windowGuard: SessionGuard(
          user: ThisProcess.user,
          address: ThisProcess.environment("DBUS_SYSTEM_BUS_ADDRESS")
        )
      )
      // With the state lock held, a socket that is there belongs to an engine that was killed.
      try state.root.unlink(socketName)
      let listener = try UnixSocket.listen(in: state.root, name: socketName)
      let server = try Server(
        vaults: Vaults(vault, of: ThisProcess.user),
        listener: listener,
        signals: signals,
        limits: .alone,
        idleSeconds: idleSeconds
      )
      // The client that started this one may have gone; others may wait for it.
      try? report.write("L")
      try server.run()
      try state.root.unlink(socketName)
      return 0
    } catch let failure as VaultFailure {
      if case .vaultUnsafe(let message, let hint) = failure {
        return fail("U", message, hint, report)
      }
      return fail("E", "\(failure)", nil, report)
    } catch {
      return fail("E", "\(error)", nil, report)
    }
  }

  private static func fail(
    _ kind: String,
    _ message: String,
    _ hint: String?,
    _ report: borrowing Descriptor
  ) -> Int32 {
    let text = [message, hint].compactMap { $0?.replacing("\t", with: " ") }
      .joined(separator: "\t")
    // The client may have gone; there is nobody else to tell.
    try? report.write(kind + text.replacing("\n", with: " ").prefix(2000) + "\n")
    return 1
  }
}
