import Presence
import PresenceTerms
import System
import Testing

@Suite
struct FingerTriesTests {
  @Test
  func aTryIsStoredAsIfItHadFailedUntilItHasEnded() {
    var tries = FingerTries(stored: 2)
    tries.charge(1)
    #expect(tries.stored == 3 && tries.lockout.failures == 2)
    tries.giveBack(1)
    tries.giveBack(1)
    #expect(tries.stored == 2)
    tries.charge(2)
    tries.miss(2)
    #expect(tries.stored == 3 && tries.lockout.failures == 3)
    tries.charge(3)
    tries.charge(4)
    tries.pass(4, by: .fingerprint)
    // The other try may still fail.
    #expect(tries.stored == 1 && tries.lockout.failures == 0)
  }

  @Test
  func whatWasStoredWithOpenTriesIsReadAsFailures() {
    for stored in [-1, 0, 4, 5, 6, .max] as [Int64] {
      let tries = FingerTries(stored: stored)
      #expect(tries.lockout.isPasswordOnly == (stored >= 5))
      #expect(tries.stored == min(max(0, stored), 5))
    }
  }

  @Test
  func aFingerEndsNoLockoutWhateverIsOpen() {
    var tries = FingerTries(stored: 4)
    tries.charge(1)
    tries.charge(2)
    tries.miss(1)
    tries.pass(2, by: .fingerprint)
    #expect(tries.lockout.isPasswordOnly)
    tries.pass(3, by: .password)
    #expect(tries.stored == 0)
  }

  @Test
  func passwordsWaitTwoFourEightTen() {
    var backoff = PasswordBackoff()
    var now = BootInstant(nanoseconds: 5_000_000_000)
    #expect(backoff.nanosecondsLeft(at: now) == 0)
    for seconds in [2, 4, 8, 10, 10, 10] as [Int64] {
      backoff.recordFailure(at: now)
      #expect(backoff.seconds == seconds)
      #expect(backoff.nanosecondsLeft(at: now) == seconds * 1_000_000_000)
      now = now.advanced(bySeconds: seconds)
      #expect(backoff.nanosecondsLeft(at: now) == 0)
    }
  }

  @Test
  func aStoredWaitIsAtMostTheLongestAndIsNotShortened() {
    let now = at(5)
    var backoff = PasswordBackoff(failures: 1, end: at(1000), now: now)
    #expect(backoff.nanosecondsLeft(at: now) == PasswordBackoff.longest * 1_000_000_000)
    backoff.restart(at: now)
    #expect(backoff.seconds == 2)
    #expect(backoff.nanosecondsLeft(at: now) == PasswordBackoff.longest * 1_000_000_000)
  }
}
