import Glibc
import System

/// What this process gives up before it reads a byte, and what it lets nobody interrupt.
enum Confinement {
  /// Seconds after which the process ends, whatever it is doing, counted from the first byte of its
  /// request, unless the request may take longer: an engine that waits for the slot's lock relies on it.
  static let lifetime = 30
  /// The most seconds of a process with a slot: those of the longest request, and two for what comes
  /// before and after it.
  static let longestLifetime = 62
  /// What would end the process, and with it a token that the provider has given already.
  private static let endings = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

  /// Sets how many seconds the process may live from now on (alarm(2)).
  static func setLifetime(to seconds: Int) {
    alarm(UInt32(clamping: seconds))
  }

  /// Nothing of the environment is used, no privilege is gained, no memory is shown.
  static func enter() throws(SystemError) {
    clearenv()
    try ThisProcess.refuseDumps()
    try ThisProcess.renouncePrivileges()
    // SIGPIPE: libcurl leaves it alone with CURLOPT_NOSIGNAL(3). SIGXFSZ: a write beyond
    // RLIMIT_FSIZE shall fail, so that the answer can go back over the socket.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    for number in [SIGALRM] + endings { signal(number, SIG_DFL) }
    rest()
  }

  /// A process that has no request ends when it is told to, also where it was told a moment ago, and waits
  /// for one without an end.
  static func rest() {
    alarm(0)
    block([])
  }

  /// A request is there: from here on time ends it, and none of these signals.
  static func begin() {
    block(endings)
    setLifetime(to: lifetime)
  }

  /// Keeps these signals waiting, and no others (sigprocmask(2)).
  private static func block(_ numbers: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe sigprocmask(SIG_SETMASK, &set, nil)
  }
}

/// Ends the process (exit(3)).
func exitProcess(_ code: Int32) -> Never {
  exit(code)
}
