package import FingerprintReader
internal import Fprintd
internal import Glibc
package import SecurityKey
internal import System
internal import SystemBus
package import SystemPassword

/// The program `thumblatch-presence`: it checks presence for one connection, the socket at
/// descriptor 0.
///
/// It knows no token and no key, answers only the engine, and may be killed at any time.
package struct PresenceProgram {
  /// The address of the system bus.
  ///
  /// It is fixed here and not read from the environment: an attacker that chooses the bus could
  /// supply a fprintd that reports a match.
  package static let systemBus = SystemBus.machineAddress
  /// The directory of fprintd's prints.
  package static let fprintdDirectory = "/var/lib/fprint"

  private let reader: Reader
  private let desktopPrints: DesktopPrints?
  private let keys: KeyNodes
  private let stack: PasswordStack?
  private let users: ServedUsers

  /// Makes a program that uses these readers, this bus, this directory of fprintd's prints, these
  /// security keys, and this PAM stack.
  ///
  /// The program's source decides all of them; a part that is `nil` is not used. It answers only
  /// `users`.
  package init(
    drivers: AllowedDrivers,
    bus: String?,
    fprintdDirectory: String?,
    keys: KeyNodes,
    stack: PasswordStack?,
    users: ServedUsers
  ) {
    reader = Reader(drivers, desktop: bus.map(BusServices.init))
    desktopPrints = fprintdDirectory.map(DesktopPrints.init(path:))
    self.keys = keys
    self.stack = stack
    self.users = users
  }

  /// Serves the socket until it closes, then releases the reader and ends the process.
  ///
  /// Exit status 1: descriptor 0 is not a socket, or its peer is not admitted.
  package func run() -> Never {
    // Notice a closed peer by the results of send and receive, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    // A device that is a terminal becomes the controlling one if a library opens it. Its end is an
    // error of the device, not the end of this process.
    signal(SIGHUP, SIG_IGN)
    do throws(SystemError) {
      try ThisProcess.refuseDumps()
      let socket = Descriptor(owning: 0)
      // The peer can request checks and learns their results.
      guard users.admits(try socket.peerCredentials().user) else { exit(1) }
      try socket.setNonblocking(false)
      let service = try PresenceService(
        socket,
        reader: reader,
        desktopPrints: desktopPrints,
        keys: keys,
        stack: stack,
        users: users
      )
      try service.serve()
    } catch {
      _exit(1)
    }
    // Not exit(3): exit handlers of libraries would run concurrently with the reader's thread.
    _exit(0)
  }

  /// The PAM stack for a program in this directory.
  ///
  /// It is the system's if installed, otherwise the one in the directory `pam.d` beside the
  /// program.
  package static func installedStack(beside directory: String) -> PasswordStack? {
    if unsafe access(PasswordStack.systemFile, F_OK) == 0 { return .system }
    return ownStack(beside: directory)
  }

  /// The PAM stack in the directory `pam.d` beside a program.
  ///
  /// `nil` if it is missing, or if a user other than root and this one could change it and so pass
  /// every check.
  package static func ownStack(beside directory: String) -> PasswordStack? {
    let path = directory + "/pam.d"
    guard let directory = try? Directory(path: path), isSafe(directory.descriptor, path),
      let file = try? directory.openForReading(PasswordStack.service),
      isSafe(file, path + "/" + PasswordStack.service)
    else { return nil }
    return .directory(path)
  }

  private static func isSafe(_ descriptor: borrowing Descriptor, _ path: String) -> Bool {
    guard let status = try? descriptor.status() else { return false }
    return FileOwner(of: status, at: path).isRootOrOwn && status.mode & 0o022 == 0
  }
}
