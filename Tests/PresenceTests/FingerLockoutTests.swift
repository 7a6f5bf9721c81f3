import Presence
import PresenceTerms
import Testing

@Suite
struct FingerLockoutTests {
  @Test
  func fiveFailuresInARowLeaveOnlyThePassword() {
    var lockout = FingerLockout()
    for failures in 1...4 {
      lockout.recordNoMatch()
      #expect(lockout.failures == failures)
      #expect(lockout.remaining == 5 - failures)
      #expect(!lockout.isPasswordOnly)
    }
    lockout.recordNoMatch()
    #expect(lockout.isPasswordOnly)
    #expect(lockout.remaining == 0)
  }

  @Test
  func aFingerNeverEndsALockout() {
    var lockout = FingerLockout(failures: 5)
    lockout.recordSuccess(by: .fingerprint)
    #expect(lockout.isPasswordOnly)
    lockout.recordSuccess(by: .password)
    #expect(lockout == FingerLockout())
  }

  @Test(arguments: PresenceMethod.allCases)
  func aSuccessBeforeTheLimitStartsTheCountAgain(_ method: PresenceMethod) {
    var lockout = FingerLockout(failures: 4)
    lockout.recordSuccess(by: method)
    #expect(lockout.failures == 0)
  }

  @Test
  func theCountStaysWhereItEnds() {
    var lockout = FingerLockout(failures: .max)
    #expect(lockout.isPasswordOnly)
    lockout.recordNoMatch()
    #expect(lockout.isPasswordOnly)
    #expect(FingerLockout(failures: -3).failures == 0)
  }
}
