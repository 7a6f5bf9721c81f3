import SecretMemory
import SecurityKey
import TestSupport
import Testing

/// The secrets that the real libfido2 makes at a key in software.
struct SecretTests {
  private let pin = "8261"
  private let salt = [UInt8](7..<39)

  private func made(
    _ plugged: PluggedKey,
    pin: String? = nil,
    excluding credentials: [[UInt8]] = []
  ) throws -> (wish: KeySecretWish, secret: SharedSecret) {
    try plugged.key.say("touch")
    try plugged.key.say("touch")
    let made = try KeyRequest(plugged.nodes).makeSecret(
      user: [1, 2, 3],
      salt: salt,
      excluding: credentials,
      pin: secret(pin)
    ) {}
    let credential = made.credential.identifier
    return (KeySecretWish(credential: credential, salt: salt, verifies: made.verifies), made.secret)
  }

  private func secret(_ pin: String?) throws -> SharedSecret? {
    try pin.map { SharedSecret(try SecretBytes(copying: [UInt8]($0.utf8))) }
  }

  private func opened(
    _ plugged: PluggedKey,
    _ wishes: [KeySecretWish],
    pin: String? = nil,
    touched: Bool = true
  ) throws -> (index: Int, secret: SharedSecret) {
    if touched { try plugged.key.say("touch") }
    return try KeyRequest(plugged.nodes).secret(ofAny: wishes, pin: secret(pin)) {}
  }

  private func isSame(_ first: SharedSecret, _ second: SharedSecret) -> Bool {
    SecretBytes.constantTimeEqual(first.bytes, second.bytes)
  }

  @Test
  func aKeyMakesTheSameSecretAgain() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    #expect(
      try KeyRequest(plugged.nodes).secretFacts()
        == KeySecretFacts(verifies: false, needsPIN: false, retries: nil)
    )
    let (wish, secret) = try made(plugged)
    #expect(!wish.verifies && secret.bytes.count == 32)
    let other = KeySecretWish(
      credential: [UInt8](repeating: 1, count: 48),
      salt: salt,
      verifies: false
    )
    let (index, again) = try opened(plugged, [other, wish])
    #expect(index == 1)
    #expect(isSame(secret, again))
    // Another salt makes another secret.
    let salted = KeySecretWish(credential: wish.credential, salt: challenge, verifies: false)
    #expect(!isSame(secret, try opened(plugged, [salted]).secret))
  }

  @Test
  func aSecretOfAVerifiedPersonNeedsThePINEachTime() throws {
    let plugged = try PluggedKey(pin: pin)
    defer { plugged.remove() }
    #expect(
      try KeyRequest(plugged.nodes).secretFacts()
        == KeySecretFacts(verifies: true, needsPIN: true, retries: 8)
    )
    let early = failure {
      _ = try KeyRequest(plugged.nodes).makeSecret(
        user: [1],
        salt: salt,
        excluding: [],
        pin: nil
      ) { Issue.record("the key is lit without its PIN") }
    }
    #expect(early == .pinNeeded(retries: 8))
    let (wish, secret) = try made(plugged, pin: pin)
    #expect(wish.verifies)
    #expect(isSame(secret, try opened(plugged, [wish], pin: pin).secret))
    let asked = failure { _ = try opened(plugged, [wish], touched: false) }
    #expect(asked == .pinNeeded(retries: 8))
    let wrong = failure { _ = try opened(plugged, [wish], pin: "0000", touched: false) }
    #expect(wrong == .wrongPIN(retries: 7))
    // Without a verified person the key makes another secret.
    let plain = KeySecretWish(credential: wish.credential, salt: salt, verifies: false)
    #expect(!isSame(secret, try opened(plugged, [plain], pin: pin).secret))
  }

  @Test
  func aKeyThatVerifiesAlwaysRefusesASlotWithoutThat() throws {
    let plugged = try PluggedKey(pin: pin, ["--always-verifies"])
    defer { plugged.remove() }
    let (wish, _) = try made(plugged, pin: pin)
    let plain = KeySecretWish(credential: wish.credential, salt: salt, verifies: false)
    #expect(failure { _ = try opened(plugged, [plain], touched: false) } == .alwaysVerifies)
  }

  @Test
  func aKeyThatChecksAFingerNeedsNoPIN() throws {
    let plugged = try PluggedKey(["--verifies"])
    defer { plugged.remove() }
    let (wish, secret) = try made(plugged)
    #expect(wish.verifies)
    #expect(isSame(secret, try opened(plugged, [wish]).secret))
    try plugged.key.say("bad-finger")
    #expect(failure { _ = try opened(plugged, [wish], touched: false) } == .notVerified)
  }

  @Test
  func aKeyWhoseOwnCheckIsBlockedTakesItsPIN() throws {
    let plugged = try PluggedKey(pin: pin, ["--verifies"])
    defer { plugged.remove() }
    let (wish, secret) = try made(plugged)
    try plugged.key.say("block")
    #expect(failure { _ = try opened(plugged, [wish], touched: false) } == .verificationBlocked)
    let wrong = failure { _ = try opened(plugged, [wish], pin: "0000", touched: false) }
    #expect(wrong == .wrongPIN(retries: 7))
    #expect(isSame(secret, try opened(plugged, [wish], pin: pin).secret))
    try plugged.key.say("block")
    #expect(try made(plugged, pin: pin).wish.verifies)
  }

  @Test
  func aKeyWithoutSecretsIsRefusedBeforeItIsLit() throws {
    let plugged = try PluggedKey(["--no-secret"])
    defer { plugged.remove() }
    #expect(failure { _ = try KeyRequest(plugged.nodes).secretFacts() } == .noSecret)
    let refused = failure {
      _ = try KeyRequest(plugged.nodes).makeSecret(
        user: [1],
        salt: salt,
        excluding: [],
        pin: nil
      ) { Issue.record("the key is lit") }
    }
    #expect(refused == .noSecret)
  }

  @Test
  func aForgedSecretIsAnotherOne() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let (wish, secret) = try made(plugged)
    try plugged.key.say("forge")
    #expect(!isSame(secret, try opened(plugged, [wish]).secret))
    #expect(isSame(secret, try opened(plugged, [wish]).secret))
  }

  @Test
  func aKeyThatHoldsASlotGetsNoSecondOne() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let (wish, _) = try made(plugged)
    let second = failure { _ = try made(plugged, excluding: [wish.credential]) }
    #expect(second == .alreadyEnrolled)
  }

  @Test
  func aKeyThatWasResetOrIsAnotherOneIsNotLit() throws {
    let (plugged, other) = (try PluggedKey(), try PluggedKey())
    defer {
      plugged.remove()
      other.remove()
    }
    let (wish, _) = try made(plugged)
    #expect(failure { _ = try opened(other, [wish], touched: false) } == .notEnrolled)
    try plugged.key.say("reset")
    try plugged.key.wait(for: "reset")
    #expect(failure { _ = try opened(plugged, [wish], touched: false) } == .notEnrolled)
    #expect(failure { _ = try KeyRequest(.paths([])).secretFacts() } == .noKey)
  }

  @Test
  func aKeyThatIsPulledOutDuringTheTouchIsTold() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let (wish, _) = try made(plugged)
    let pulled = failure {
      _ = try KeyRequest(plugged.nodes).secret(ofAny: [wish], pin: nil) {
        try? plugged.key.say("unplug")
      }
    }
    #expect(pulled == .removed)
  }
}
