internal import Glibc
internal import System

/// Drops this process's privileges before it reads a byte, and limits its lifetime.
enum Confinement {
  /// Seconds after which the process ends in any case, such as with a TPM that does not answer.
  private static let lifetime: UInt32 = 20

  /// Clears the environment, and prevents privilege gains and dumps.
  static func enter() throws(SystemError) {
    clearenv()
    // The TPM's library would print its errors. It reads this variable when the first error occurs.
    unsafe setenv("TSS2_LOG", "all+none", 1)
    try ThisProcess.refuseDumps()
    try ThisProcess.renouncePrivileges()
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGALRM, SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    alarm(lifetime)
  }
}
