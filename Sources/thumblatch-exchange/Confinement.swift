import Glibc
import System

/// What this process gives up before it reads a byte, and what it lets nobody interrupt.
enum Confinement {
  /// Seconds after which the process ends, whatever it is doing: whoever waits for the slot's lock
  /// counts on it.
  static let lifetime: UInt32 = 30

  /// Gives a request without a slot, whose end nobody counts on, more seconds (alarm(2)).
  static func extendLifetime(to seconds: Int) {
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
    alarm(lifetime)
  }
}

/// Ends the process (exit(3)).
func exitProcess(_ code: Int32) -> Never {
  exit(code)
}
