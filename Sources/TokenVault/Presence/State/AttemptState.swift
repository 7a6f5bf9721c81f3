internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// The cost of failed tries for the vault's user: the finger tries left, and the wait before the
/// next password.
struct AttemptState {
  private(set) var tries: FingerTries
  private(set) var backoff: PasswordBackoff

  /// Reads what the store has of an owner.
  ///
  /// A reboot does not shorten the wait: in another boot all of it counts from that boot's start.
  init(of owner: UInt32, in store: Store, _ clock: any VaultClock) throws(StorageError) {
    tries = FingerTries(stored: try store.lockout(owner: owner)?.failures ?? 0)
    guard let row = try store.passwordWait(owner: owner) else {
      backoff = PasswordBackoff()
      return
    }
    let end =
      row.bootID == clock.bootIdentifier.bytes
      ? BootInstant(nanoseconds: row.notBefore)
      : BootInstant(nanoseconds: 0).advanced(bySeconds: row.waitSeconds)
    backoff = PasswordBackoff(failures: row.failures, end: end, now: clock.boot)
  }

  /// Charges the try of a finger before the reader is armed.
  mutating func charge(_ run: CheckRun) { tries.charge(run.number) }

  /// Refunds the try of a finger in a check that cost nothing.
  mutating func giveBack(_ run: CheckRun) { tries.giveBack(run.number) }

  /// Counts the try of a finger as failed.
  mutating func miss(_ run: CheckRun) { tries.miss(run.number) }

  /// Counts a passed check; the right password ends the wait for the next one.
  mutating func pass(_ run: CheckRun) {
    tries.pass(run.number, by: run.method)
    if !run.method.isDevice { backoff = PasswordBackoff() }
  }

  /// Charges a password before the system is asked about it.
  mutating func chargePassword(at now: BootInstant) { backoff.recordFailure(at: now) }

  /// Counts the end of a password's check for those who come after it.
  mutating func settlePassword(_ run: CheckRun, _ outcome: PresenceOutcome, at now: BootInstant) {
    switch outcome {
    case .noMatch where run.backoffBefore == nil: backoff.recordFailure(at: now)
    case .noMatch: backoff.restart(at: now)
    case .notAvailable, .denied, .busy, .notEnrolled:
      // The helper says so itself: nothing was wrong with the password, for all that is known.
      if let before = run.backoffBefore, backoff == run.backoffCharged { backoff = before }
    case .cancelled, .passwordChosen, .timedOut, .lockedOut: break
    }
  }
}
