internal import CLinux
internal import Glibc

/// Why there is no listener from the service manager.
package enum ActivationFlaw: Error, Equatable, Sendable, CustomStringConvertible {
  /// The service manager passed no socket to this process.
  case notActivated
  /// The number of sockets is not one.
  case wrongCount
  /// Descriptor 3 is not a listening Unix stream socket.
  case notListener

  /// The problem and its remedy.
  package var description: String {
    switch self {
    case .notActivated:
      "no socket was handed over (LISTEN_PID, LISTEN_FDS): this program is started by its socket unit"
    case .wrongCount: "exactly one socket is to be handed over: see the socket unit"
    case .notListener: "descriptor 3 is not a listening Unix stream socket: see the socket unit"
    }
  }
}

extension UnixSocket {
  /// The first descriptor that a service manager passes (sd_listen_fds(3), SD_LISTEN_FDS_START).
  private static let firstPassed: Int32 = 3

  /// The listener that the service manager bound and passed to this process, close-on-exec and
  /// non-blocking.
  ///
  /// The variables that announce it are removed: they are not meant for programs that this one
  /// starts.
  package static func activated() throws(ActivationFlaw) -> Descriptor {
    let process = ThisProcess.environment("LISTEN_PID")
    let count = ThisProcess.environment("LISTEN_FDS")
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
    guard let process, Int32(process) == getpid(), let count else { throw .notActivated }
    guard count == "1" else { throw .wrongCount }
    guard isListener(firstPassed) else { throw .notListener }
    let listener = Descriptor(owning: firstPassed)
    guard fcntl(listener.number, F_SETFD, FD_CLOEXEC) == 0,
      (try? listener.setNonblocking(true)) != nil
    else { throw .notListener }
    return listener
  }

  private static func isListener(_ number: Int32) -> Bool {
    option(SO_DOMAIN, of: number) == AF_UNIX
      && option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue)
      && option(SO_ACCEPTCONN, of: number) == 1
  }

  private static func option(_ name: Int32, of number: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 else { return nil }
    return value
  }
}
