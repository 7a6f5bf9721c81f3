import Presence
import PresenceTerms
import Testing

@Suite
struct PresenceMethodTests {
  @Test(arguments: PresencePurpose.allCases)
  func thePasswordCountsForEachPurposeAndADeviceOnlyIfAllowed(_ purpose: PresencePurpose) {
    #expect(purpose.methods.last == .fallback)
    #expect(purpose.methods.contains(where: \.isDevice) == purpose.allowsDevices)
  }

  @Test(arguments: [PresencePurpose.enroll, .deleteFinger, .policy, .rekey, .exportable])
  func noDevicePassesAChangeThatGivesLastingAccess(_ purpose: PresencePurpose) throws {
    var book = PromptBook()
    book.open("p", question(purpose))
    for device in PresenceMethod.devices {
      let refusal = PresenceFailure.denied("this needs the system password, not \(device.means)")
      #expect(throws: refusal) {
        _ = try book.arm("p", method: device, connection: 1, at: at(0))
      }
    }
  }

  @Test
  func anImpossibleMethodIsRefusedAndEachOtherOneIsLeft() throws {
    for method in PresenceMethod.allCases {
      var book = PromptBook()
      let left = book.open("p", impossible: [method])
      #expect(left == PresenceMethod.allCases.filter { $0 != method })
      #expect(throws: PresenceFailure.lockedOut) {
        _ = try book.arm("p", method: method, connection: 1, at: at(0))
      }
    }
  }

  @Test
  func aLockoutLeavesNoDeviceAndOnlyTypingEndsIt() {
    var book = PromptBook()
    book.open("p")
    var lockout = FingerLockout(failures: FingerLockout.limit)
    #expect(book.fail("p", with: .noMatch, lockout: lockout, at: at(0)) == PresenceMethod.typed)
    for device in PresenceMethod.devices { lockout.recordSuccess(by: device) }
    #expect(lockout.isPasswordOnly)
    lockout.recordSuccess(by: .fallback)
    #expect(!lockout.isPasswordOnly)
  }
}
