import Glibc
import Testing

@testable import System

struct ThreadTests {
  /// The signals that this thread blocks.
  private static func blocked() -> Set<Int32> {
    var signals = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &signals)
    return Set((1...31).filter { unsafe sigismember(&signals, $0) == 1 })
  }

  @Test
  func itTakesNoSignalOfItsProcess() async throws {
    let blocked = try await withCheckedThrowingContinuation { continuation in
      do {
        try startThread { continuation.resume(returning: Self.blocked()) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(blocked.isSuperset(of: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGCHLD]))
    #expect(blocked.isDisjoint(with: [SIGSEGV, SIGBUS, SIGTRAP, SIGPIPE, SIGTTIN, SIGTTOU]))
  }

  @Test
  func itsCallerTakesTheSameSignalsAsBefore() throws {
    let before = Self.blocked()
    try startThread {}
    #expect(Self.blocked() == before)
  }
}
