public import FingerprintReader
internal import Glibc
internal import System
public import SystemPassword

/// What the program `thumblatch-presence` does: one conversation about who is here, on the socket
/// that is descriptor 0.
///
/// It knows no token and no key, answers to the engine alone, and may be ended at any moment.
public struct PresenceProgram {
  /// Where the system bus listens.
  ///
  /// It stands here, not in the environment: whoever chose the bus would bring an fprintd that says
  /// what its owner wants.
  public static let systemBus = "unix:path=/run/dbus/system_bus_socket"
  /// Where fprintd keeps its prints.
  public static let fprintdDirectory = "/var/lib/fprint"

  private let reader: Reader
  private let desktopPrints: DesktopPrints?
  private let stack: PasswordStack?
  private let users: ServedUsers

  /// A program that uses these readers, this bus, fprintd's prints in this directory, and this PAM
  /// stack, all a decision of its source; what is nil it goes without.
  ///
  /// It answers to `users`.
  public init(
    drivers: AllowedDrivers,
    bus: String?,
    fprintdDirectory: String?,
    stack: PasswordStack?,
    users: ServedUsers
  ) {
    reader = Reader(drivers, bus: bus)
    desktopPrints = fprintdDirectory.map(DesktopPrints.init(path:))
    self.stack = stack
    self.users = users
  }

  /// Serves the socket until it closes, and ends the process with the reader released.
  ///
  /// Exit status 1: descriptor 0 is no socket, or of somebody who is not answered.
  public func run() -> Never {
    // A peer that closes is noticed by what is sent and read, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    do throws(SystemError) {
      try ThisProcess.refuseDumps()
      let socket = Descriptor(owning: 0)
      // Whoever is on the other side can ask for a check, and is told what came of it.
      guard users.admits(try socket.peerCredentials().user) else { exit(1) }
      try socket.setNonblocking(false)
      let service = try PresenceService(
        socket,
        reader: reader,
        desktopPrints: desktopPrints,
        stack: stack,
        users: users
      )
      try service.serve()
    } catch {
      _exit(1)
    }
    // Not exit(3): handlers of libraries would run beside the reader's thread.
    _exit(0)
  }

  /// The stack of a program in this directory: the system's where it is installed, else that in the
  /// directory `pam.d` beside the program.
  public static func installedStack(beside directory: String) -> PasswordStack? {
    if unsafe access(PasswordStack.systemFile, F_OK) == 0 { return .system }
    return ownStack(beside: directory)
  }

  /// The stack in the directory `pam.d` beside a program; `nil` if it is missing, or where others
  /// than root and this user could change it and so let themselves in.
  public static func ownStack(beside directory: String) -> PasswordStack? {
    let path = directory + "/pam.d"
    guard let place = try? Directory(path: path), isSafe(place.descriptor),
      let file = try? place.openForReading(PasswordStack.service), isSafe(file)
    else { return nil }
    return .directory(path)
  }

  private static func isSafe(_ descriptor: borrowing Descriptor) -> Bool {
    guard let status = try? descriptor.status() else { return false }
    return (status.owner == 0 || status.owner == ThisProcess.user) && status.mode & 0o022 == 0
  }
}
