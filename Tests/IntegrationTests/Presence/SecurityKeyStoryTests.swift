import TestSupport
import Testing

/// A person with a security key, the built programs, real PAM and the real libfido2.
@Suite(.serialized)
struct SecurityKeyStoryTests {
  private static let touch = "Touch the security key to use account 'me' (requested by"
  private static let question = "System password for"

  /// A person whose only device is this key, with the account `me`.
  private func person(_ key: SoftwareKey) throws -> Person {
    let person = try Person()
    try person.plug(key)
    try person.register()
    return person
  }

  @Test
  func aTouchGetsATokenAndTheKeyIsForgottenOnDemand() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let person = try person(key)
    try person.enroll(key)
    #expect(try person.run("keys", "list").succeeded() == "blue\n")
    try person.protect(by: key)
    try person.expireTokens()
    let token = try person.terminal("token", "me", columns: 200)
    try token.expect(Self.touch)
    try key.say("touch")
    try token.expect("at_")
    try token.end()
    // Ctrl-C ends the light of the key: the touch after it is not spent on that request.
    try person.run("lock").succeeded()
    let test = try person.terminal("presence", "test")
    try test.expect("Touch the security key to test the presence check")
    try key.wait(for: "signed")
    try key.wait(for: "signed")
    try key.wait(for: "touch")
    try test.type("\u{3}")
    try key.wait(for: "cancelled")
    let remove = try person.terminal("keys", "remove", "blue")
    try remove.expect(Self.question)
    try remove.enter(Person.systemPassword)
    try remove.expect("the security key 'blue' is removed; none is left")
    try remove.end()
    #expect(try person.run("audit").succeeded().contains("key-removal"))
  }

  @Test
  func aKeyThatAlwaysVerifiesAsksForItsPINUntilItIsRight() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: "8261", ["--always-verifies"])
    let person = try person(key)
    try person.enroll(key, pin: "8261")
    let test = try person.terminal("presence", "test")
    try test.expect("PIN of the security key (8 tries left):")
    try test.enter("0000")
    try test.expect("Wrong PIN. PIN of the security key (7 tries left):")
    try test.enter("8261")
    try key.say("touch")
    try test.expect("the presence check passed, by security key")
    try test.end()
  }

  /// By the rule the key checks a finger itself, and needs no PIN.
  @Test
  func aKeyThatChecksAFingerPassesByTheRuleThatWantsIt() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", ["--verifies"])
    let person = try person(key)
    try person.enroll(key)
    try person.allowed("change the policy (key: ", ["policy", "key", "verify"])
    let wrong = try person.terminal("presence", "test", columns: 200)
    try wrong.expect("Touch the security key to test the presence check")
    try key.say("bad-finger")
    try wrong.expect("The security key did not recognize its person.")
    try wrong.expect(Self.question)
    try wrong.enter(Person.systemPassword)
    try wrong.expect("the presence check passed, by system password")
    try wrong.end()
    let right = try person.terminal("presence", "test", columns: 200)
    try right.expect("Touch the security key to test the presence check")
    try key.say("touch")
    try right.expect("the presence check passed, by security key")
    try right.end()
  }

  /// Both are armed by one prompt; the second request is answered by the other one.
  @Test
  func aFingerOrAKeyAnswersOnePrompt() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let person = try person(key)
    try person.plugReader(beside: key)
    try person.enroll(key)
    try person.enroll()
    let both = "Touch the fingerprint reader or the security key to test the presence check"
    let byKey = try person.terminal("presence", "test", columns: 200)
    try byKey.expect(both)
    try key.wait(for: "touch")
    try person.touch("left-thumb")
    try byKey.expect(
      "The finger did not match. Touch the reader again or the security key, or press Enter"
    )
    try key.say("touch")
    try byKey.expect("the presence check passed, by security key")
    try byKey.end()
    try key.wait(for: "signed")
    let byFinger = try person.terminal("presence", "test", columns: 200)
    try byFinger.expect(both)
    try key.wait(for: "touch")
    try person.touchAgain()
    try byFinger.expect("the presence check passed, by fingerprint")
    try byFinger.end()
    // The light of the key ends with the prompt.
    try key.wait(for: "cancelled")
    // A key that is not there leaves the reader.
    try person.plugReader(beside: nil)
    let alone = try person.terminal("presence", "test", columns: 200)
    try alone.expect("no security key is plugged in")
    try alone.expect("Touch the fingerprint reader, or press Enter for your password.")
    try person.touchAgain()
    try alone.expect("the presence check passed, by fingerprint")
    try alone.end()
  }

  /// A key that needs its PIN is touched first, so that no PIN is requested if a finger answers.
  @Test
  func aKeyBesideAReaderAsksForItsPINAfterATouch() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: "8261", ["--always-verifies"])
    let person = try person(key)
    try person.plugReader(beside: key)
    try person.enroll(key, pin: "8261")
    try person.enroll()
    let test = try person.terminal("presence", "test", columns: 200)
    try test.expect("Touch the fingerprint reader or the security key to test")
    try key.say("touch")
    try test.expect("PIN of the security key (8 tries left):")
    try test.enter("8261")
    try key.say("touch")
    try test.expect("the presence check passed, by security key")
    try test.end()
    let byFinger = try person.terminal("presence", "test", columns: 200)
    try byFinger.expect("Touch the fingerprint reader or the security key to test")
    try person.touchAgain()
    try byFinger.expect("the presence check passed, by fingerprint")
    try byFinger.end()
  }

  @Test
  func withoutItsKeyAPersonIsAskedForThePassword() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let person = try person(key)
    try person.enroll(key)
    try shell("echo >\(person.programs)/virtual-reader.conf")
    let test = try person.terminal("presence", "test", columns: 200)
    try test.expect("no security key is plugged in")
    try test.expect(Self.question)
    try test.enter(Person.systemPassword)
    try test.expect("the presence check passed, by system password")
    try test.end()
  }
}
