import SecretMemory
import SecurityKey
import TestSupport
import Testing

/// The real libfido2 at a key in software that verifies its person.
struct PINTests {
  private let pin = "8261"

  @Test
  func theRightPINVerifiesThePerson() throws {
    let plugged = try PluggedKey(pin: pin)
    defer { plugged.remove() }
    let credential = try plugged.enrolled(.pin(pin))
    #expect(credential.isVerified)
    let assertion = try plugged.signed(credential, .pin(pin))
    // The flags UP and UV.
    #expect(assertion.authenticatorData[32] == 0x05)
  }

  @Test
  func aKeyWithoutAWayToVerifyAsksForItsPINBeforeItIsLit() throws {
    let plugged = try PluggedKey(pin: pin)
    defer { plugged.remove() }
    let credential = try plugged.enrolled(.pin(pin))
    let asked = failure {
      _ = try plugged.signed(credential, KeyVerification(isRequired: true), touched: false)
    }
    #expect(asked == .pinNeeded(retries: 8))
    _ = try plugged.signed(credential, .pin(pin))
    #expect(try plugged.key.wait(for: "touch") == ["silent", "silent"])
  }

  @Test
  func wrongPINsAreCountedUntilTheKeyAcceptsNoMore() throws {
    let plugged = try PluggedKey(pin: pin)
    defer { plugged.remove() }
    let credential = try plugged.enrolled(.pin(pin))
    for left in [7, 6] {
      let wrong = failure { _ = try plugged.signed(credential, .pin("0000"), touched: false) }
      #expect(wrong == .wrongPIN(retries: left))
    }
    let third = failure { _ = try plugged.signed(credential, .pin("0000"), touched: false) }
    #expect(third == .pinBlockedUntilReplugged)
    let right = failure { _ = try plugged.signed(credential, .pin(pin), touched: false) }
    #expect(right == .pinBlockedUntilReplugged)
  }

  @Test
  func eightWrongPINsBlockTheKeyPermanently() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    var credential: [UInt8] = []
    var last: KeyFailure?
    for plug in 0..<4 {
      // The key is plugged in again: it accepts three more.
      let key = try SoftwareKey(state: directory + "/state", pin: pin)
      if plug == 0 {
        try key.say("touch")
        credential = try KeyRequest(.paths([key.path])).enroll(
          challenge,
          user: [1],
          name: "ada",
          excluding: [],
          .pin(pin)
        ) {}.identifier
      }
      for _ in 0..<(plug == 3 ? 1 : 3) {
        last = failure {
          _ = try KeyRequest(.paths([key.path])).sign(
            challenge,
            withAny: [credential],
            .pin("0000")
          ) {}
        }
      }
    }
    #expect(last == .pinBlocked)
    // The key is no longer asked about a PIN.
    let key = try SoftwareKey(state: directory + "/state", pin: pin)
    let asked = failure {
      _ = try KeyRequest(.paths([key.path])).sign(
        challenge,
        withAny: [credential],
        KeyVerification(isRequired: true)
      ) {}
    }
    #expect(asked == .pinBlocked)
    #expect(failure { _ = try KeyRequest(.paths([key.path])).secretFacts() } == .pinBlocked)
  }

  @Test(arguments: ["123", String(repeating: "1", count: 64)])
  func aPINThatNoKeyCanHaveCostsNoTry(impossible: String) throws {
    let plugged = try PluggedKey(pin: pin)
    defer { plugged.remove() }
    let credential = try plugged.enrolled(.pin(pin))
    let wrong = failure { _ = try plugged.signed(credential, .pin(impossible), touched: false) }
    #expect(wrong == .wrongPIN(retries: nil))
    let asked = failure {
      _ = try plugged.signed(credential, KeyVerification(isRequired: true), touched: false)
    }
    #expect(asked == .pinNeeded(retries: 8))
  }

  @Test
  func aKeyWithoutPINCannotVerify() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let asked = failure {
      _ = try plugged.signed(credential, KeyVerification(isRequired: true), touched: false)
    }
    #expect(asked == .noPIN)
  }

  @Test
  func aKeyThatChecksAFingerNeedsNoPIN() throws {
    let plugged = try PluggedKey(["--verifies"])
    defer { plugged.remove() }
    let credential = try plugged.enrolled(KeyVerification(isRequired: true))
    let assertion = try plugged.signed(credential, KeyVerification(isRequired: true))
    #expect(assertion.authenticatorData[32] == 0x05)
    try plugged.key.say("bad-finger")
    let wrong = failure {
      _ = try plugged.signed(credential, KeyVerification(isRequired: true), touched: false)
    }
    #expect(wrong == .notVerified)
  }

  @Test
  func aKeyThatAlwaysVerifiesIsStillLookedAtWithoutATouch() throws {
    let plugged = try PluggedKey(pin: pin, ["--always-verifies"])
    defer { plugged.remove() }
    let credential = try plugged.enrolled(.pin(pin))
    let asked = failure { _ = try plugged.signed(credential, touched: false) }
    #expect(asked == .pinNeeded(retries: 8))
  }
}
