import Glibc
import System

/// What this process gives up before it reads a byte, and what it lets nobody interrupt.
enum Confinement {
  /// Seconds after which the process ends, whatever it is doing, unless its request may take longer: an
  /// engine that waits for the slot's lock relies on it.
  static let lifetime = 30
  /// The most seconds of a process with a slot: those of the longest request, and two for what comes
  /// before and after it.
  static let longestLifetime = 62

  /// Sets how many seconds the process may live from now on (alarm(2)).
  static func setLifetime(to seconds: Int) {
    alarm(UInt32(clamping: seconds))
  }

  /// Nothing of the environment is used, no privilege is gained, no memory is shown.
  static func enter() throws(SystemError) {
    clearenv()
    try ThisProcess.refuseDumps()
    try ThisProcess.renouncePrivileges()
    // A signal that ended the process now would lose a token that the provider has given already.
    // SIGPIPE: libcurl leaves it alone with CURLOPT_NOSIGNAL(3). SIGXFSZ: a write beyond
    // RLIMIT_FSIZE shall fail, so that the answer can go back over the socket.
    for number in [SIGPIPE, SIGXFSZ, SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
      signal(number, SIG_IGN)
    }
    signal(SIGALRM, SIG_DFL)
    var alarmOnly = sigset_t()
    unsafe sigemptyset(&alarmOnly)
    unsafe sigaddset(&alarmOnly, SIGALRM)
    unsafe sigprocmask(SIG_UNBLOCK, &alarmOnly, nil)
    setLifetime(to: lifetime)
  }
}

/// Ends the process (exit(3)).
func exitProcess(_ code: Int32) -> Never {
  exit(code)
}
