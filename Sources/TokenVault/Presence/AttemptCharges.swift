internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// The cost of failed tries, by owner and not by connection, name or process. It is on disk before
// the result of a try is used, and an interrupted try counts as failed.
extension Vault {
  // MARK: - Fingers

  /// Charges a try before the reader is armed; without the charge on the disk it is not armed.
  func charge(_ run: CheckRun) throws(VaultFailure) {
    let before = prompting.attempts
    prompting.attempts.charge(run)
    do throws(VaultFailure) {
      try change { try keepTries() }
    } catch {
      prompting.attempts = before
      throw error
    }
  }

  /// Stores the count of failed fingers, in the transaction of whatever changed it.
  func keepTries() throws(StorageError) {
    let tries = prompting.attempts.tries
    let row = LockoutRow(
      owner: owner,
      failures: tries.stored,
      passwordOnly: FingerLockout(failures: Int(clamping: tries.stored)).isPasswordOnly
    )
    try store.put(row)
  }

  /// Cancels the running checks and waits, for some seconds, until each has reported its end.
  ///
  /// So an engine that is stopped neither costs a try nor saves one.
  package func endChecks() async {
    for prompt in prompting.checks.prompts { giveUp(prompt, as: .cancelled) }
    await readersReleased()
  }

  /// Returns when each check and enrollment of a finger that was given up has ended, or after 3 s.
  ///
  /// A helper that is asked to end releases its reader before its last event.
  func readersReleased() async {
    for _ in 0..<150 where prompting.attempts.tries.isUnderWay || isTakingPrints {
      await clock.pause(milliseconds: 20)
    }
  }

  // MARK: - Passwords

  /// Charges a password before the system is asked about it.
  ///
  /// The wait applies even if the engine is killed, or the caller hangs up, before the answer is
  /// recorded.
  func chargePassword(_ prompt: String) throws(VaultFailure) {
    guard let run = prompting.checks.run(of: prompt), run.backoffBefore == nil else { return }
    let before = prompting.attempts
    prompting.attempts.chargePassword(at: clock.boot)
    do throws(VaultFailure) {
      try change { try keepBackoff() }
    } catch {
      prompting.attempts = before
      throw error
    }
    let charged = prompting.attempts.backoff
    prompting.checks.noteCharge(from: before.backoff, to: charged, of: prompt)
  }

  /// Stores how long no password may be tried, in the transaction of the change.
  func keepBackoff() throws(StorageError) {
    let backoff = prompting.attempts.backoff
    guard backoff.failures > 0 else { return try store.deletePasswordWait(owner: owner) }
    try store.put(
      PasswordWaitRow(
        owner: owner,
        failures: Int64(backoff.failures),
        bootID: clock.bootIdentifier.bytes,
        notBefore: backoff.end.nanoseconds,
        waitSeconds: backoff.seconds
      )
    )
  }

  /// Waits until a password may be tried, and says how long; no thread is held for it.
  ///
  /// Returns early when the task is cancelled.
  func waitOut(_ report: @Sendable (CheckNotice) -> Void) async {
    var told = BootInstant(nanoseconds: 0)
    while !Task.isCancelled {
      let backoff = prompting.attempts.backoff
      let left = backoff.nanosecondsLeft(at: clock.boot)
      guard left > 0 else { return }
      if backoff.end != told {
        told = backoff.end
        report(.wait(seconds: (left + 999_999_999) / 1_000_000_000))
      }
      await clock.pause(milliseconds: max(1, (left + 999_999) / 1_000_000))
    }
  }
}
