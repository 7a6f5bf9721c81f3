import Glibc
import System

/// Drops this process's privileges before it reads a byte, and blocks signals during a request.
enum Confinement {
  /// Seconds after which the process ends in any case, counted from the first byte of its request,
  /// unless the request may take longer.
  ///
  /// An engine that waits for the slot's lock relies on it.
  static let lifetime = 30
  /// The longest lifetime of a process with a slot, in seconds: that of the longest request, and
  /// two for the work before and after it.
  static let longestLifetime = 62
  /// Signals that would end the process, and lose a token that the provider has already issued.
  private static let endings = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

  /// Sets the remaining lifetime of the process in seconds (alarm(2)).
  static func setLifetime(to seconds: Int) {
    alarm(UInt32(clamping: seconds))
  }

  /// Clears the environment, and prevents privilege gains and dumps.
  static func enter() throws(SystemError) {
    clearenv()
    try ThisProcess.refuseDumps()
    try ThisProcess.renouncePrivileges()
    // SIGPIPE: with CURLOPT_NOSIGNAL(3) libcurl does not touch it. SIGXFSZ: a write beyond
    // RLIMIT_FSIZE must fail, so that the answer can go back over the socket.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    for number in [SIGALRM] + endings { signal(number, SIG_DFL) }
    rest()
  }

  /// Makes an idle process end at a signal, even a pending one, and wait for a request without
  /// limit.
  static func rest() {
    alarm(0)
    block([])
  }

  /// Starts a request: from here on only the alarm ends the process, and none of these signals.
  ///
  /// The other threads take no signal (`startThread`).
  static func begin() {
    block(endings)
    setLifetime(to: lifetime)
  }

  /// Blocks exactly these signals in this thread (pthread_sigmask(3)).
  private static func block(_ numbers: [Int32]) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_SETMASK, &set, nil)
  }
}

/// Ends the process at once (_exit(2)).
///
/// exit(3) would free OpenSSL's state while another thread may still read certificate authorities.
func exitProcess(_ code: Int32) -> Never {
  _exit(code)
}
