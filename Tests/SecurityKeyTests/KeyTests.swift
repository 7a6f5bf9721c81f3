import SecretMemory
import SecurityKey
import Synchronization
import System
import TestSupport
import Testing

/// The real libfido2 at a key in software.
struct KeyTests {
  @Test
  func aTouchedKeySignsForItsCredential() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let assertion = try plugged.signed(credential)
    #expect(assertion.credential == credential.identifier)
    #expect(credential.publicKey.count == 64)
    #expect(assertion.authenticatorData.count == 37)
    // The flag UP, without UV.
    #expect(assertion.authenticatorData[32] == 0x01)
  }

  @Test
  func aKeyThatHoldsNoneOfTheCredentialsIsNotLit() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let other = try PluggedKey()
    defer { other.remove() }
    let isLit = Mutex(false)
    #expect(
      failure {
        _ = try KeyRequest(other.nodes).sign(
          challenge,
          withAny: [credential.identifier],
          .none
        ) { isLit.withLock { $0 = true } }
      } == .notEnrolled
    )
    #expect(!isLit.withLock { $0 })
    // A light of the key would stand before this word.
    try other.key.say("touch")
    _ = try? KeyRequest(other.nodes).enroll(
      challenge,
      user: [1],
      name: "b",
      excluding: [],
      .none
    ) {}
    #expect(try other.key.wait(for: "touch") == [])
  }

  @Test
  func ofTwoKeysTheOneThatHoldsTheCredentialIsLit() throws {
    let (first, second) = (try PluggedKey(), try PluggedKey())
    defer {
      first.remove()
      second.remove()
    }
    let credential = try second.enrolled()
    try second.key.say("touch")
    let assertion = try KeyRequest(.paths([first.key.path, second.key.path])).sign(
      challenge,
      withAny: [[UInt8](repeating: 9, count: 48), credential.identifier],
      .none
    ) {}
    #expect(assertion.credential == credential.identifier)
    try second.key.wait(for: "signed")
  }

  @Test
  func aCancelledRequestEndsAndTheNextTouchIsNotSpentOnIt() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let request = KeyRequest(plugged.nodes)
    let identifier = credential.identifier
    let result = Mutex<KeyFailure?>(nil)
    let key = plugged.key
    let thread = BackgroundThread {
      let failure = failure {
        _ = try request.sign(challenge, withAny: [identifier], .none) {}
      }
      result.withLock { $0 = failure }
    }
    try key.wait(for: "touch")
    request.cancel()
    try key.wait(for: "cancelled")
    #expect(thread.join() == nil)
    #expect(result.withLock { $0 } == .cancelled)
    #expect(try plugged.signed(credential).credential == identifier)
  }

  @Test
  func aRequestThatWasCancelledBeforeItBeganLightsNothing() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let request = KeyRequest(plugged.nodes)
    request.cancel()
    #expect(
      failure {
        _ = try request.sign(challenge, withAny: [credential.identifier], .none) {}
      } == .cancelled
    )
    _ = try plugged.signed(credential)
    #expect(try plugged.key.wait(for: "touch") == ["silent"])
  }

  @Test
  func aKeyThatIsPulledOutEndsTheRequest() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let result = Mutex<KeyFailure?>(nil)
    let nodes = plugged.nodes
    let thread = BackgroundThread {
      let failure = failure {
        _ = try KeyRequest(nodes).sign(challenge, withAny: [credential.identifier], .none) {}
      }
      result.withLock { $0 = failure }
    }
    try plugged.key.wait(for: "touch")
    try plugged.key.say("unplug")
    #expect(thread.join() == nil)
    #expect(result.withLock { $0 } == .removed)
  }

  /// Keys have several codes for that.
  @Test(arguments: [
    ("0x2f", KeyFailure.timedOut), ("0x3a", .timedOut), ("0x27", .declined),
  ])
  func aTouchThatDoesNotComeIsTold(code: String, failure expected: KeyFailure) throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    let untouched = failure {
      _ = try KeyRequest(plugged.nodes).sign(
        challenge,
        withAny: [credential.identifier],
        .none
      ) { try? plugged.key.say("answer \(code)") }
    }
    #expect(untouched == expected)
  }

  private func enrollmentFailure(
    _ plugged: PluggedKey,
    excluding credentials: [[UInt8]]
  ) -> KeyFailure? {
    failure {
      _ = try KeyRequest(plugged.nodes).enroll(
        challenge,
        user: [1, 2, 3],
        name: "ada",
        excluding: credentials,
        .none
      ) {}
    }
  }

  /// The key accepts few credentials in one request, and only short messages.
  @Test(arguments: [48, 200])
  func aKeyIsFoundAmongManyCredentials(bytes: Int) throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let own = try plugged.enrolled().identifier
    let others = (UInt8(1)...15).map { [UInt8](repeating: $0, count: bytes) }
    try plugged.key.say("touch")
    let assertion = try KeyRequest(plugged.nodes).sign(challenge, withAny: others + [own], .none) {}
    #expect(assertion.credential == own)
    for credentials in [others + [own], [own] + others] {
      try plugged.key.say("touch")
      #expect(enrollmentFailure(plugged, excluding: credentials) == .alreadyEnrolled)
    }
  }

  @Test
  func aCredentialIsNotMadeTwiceOnOneKey() throws {
    let plugged = try PluggedKey()
    defer { plugged.remove() }
    let credential = try plugged.enrolled()
    try plugged.key.say("touch")
    #expect(
      enrollmentFailure(plugged, excluding: [credential.identifier]) == .alreadyEnrolled
    )
  }

  @Test
  func withTwoKeysItIsNotClearWhichOneIsEnrolled() throws {
    let (first, second) = (try PluggedKey(), try PluggedKey())
    defer {
      first.remove()
      second.remove()
    }
    #expect(
      failure {
        _ = try KeyRequest(.paths([first.key.path, second.key.path])).enroll(
          challenge,
          user: [1],
          name: "ada",
          excluding: [],
          .none
        ) {}
      } == .severalKeys
    )
  }

  @Test(arguments: [("/nonexistent", KeyFailure.noKey), ("/dev/null", .removed)])
  func aNodeThatIsNoKeyIsNotWaitedFor(path: String, expected: KeyFailure) {
    #expect(
      failure {
        _ = try KeyRequest(.paths([path])).sign(challenge, withAny: [[1]], .none) {}
      } == expected
    )
  }
}
