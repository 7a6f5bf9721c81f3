import Presence
import PresenceTerms
import SecurityKey
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Security keys as a method of proving presence, with a key in software.
@Suite(.timeLimit(.minutes(10)))
struct SecurityKeyTests {
  @Test
  func aTouchOfAnEnrolledKeyOpensARefreshToken() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    #expect(try await rig.check { .touched(try rig.touched($0)) } == nil)
    let events = try await rig.vault.auditPage(after: 0, since: nil, account: nil)
    #expect(events.contains { $0.event == "presence-check" && $0.method == "key" })
    #expect(events.contains { $0.event == "key-enrollment" && $0.method == "password" })
    #expect(try await rig.vault.facts().keys == ["blue"])
    let findings = await rig.vault.examine().filter { $0.name == "security-keys" }
    #expect(findings.map(\.message) == ["1 security key is enrolled: 'blue'"])
  }

  @Test
  func aHelperThatOnlySaysSoOpensNone() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    let failure = try await rig.check { _ in .matched }
    #expect(failure == .presenceFailed(.noMatch, methods: [.key, .password]))
  }

  @Test
  func anAnswerToAnEarlierChallengeOpensNone() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    var earlier: KeyAnswer?
    _ = try await rig.check { signing in
      let answer = try rig.touched(signing)
      earlier = answer
      return .touched(answer)
    }
    let replayed = try #require(earlier)
    let failure = try await rig.check { _ in .touched(replayed) }
    #expect(failure == .presenceFailed(.noMatch, methods: [.key, .password]))
  }

  @Test
  func anotherKeyOpensNone() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    let other = try SoftwareKey(state: rig.bench.scratch.base + "/other")
    try other.say("touch")
    let made = try KeyRequest(.paths([other.path])).enroll(
      [UInt8](repeating: 1, count: 32),
      user: [1],
      name: "x",
      excluding: [],
      KeyVerification(isRequired: false)
    ) {}
    let failure = try await rig.check { signing in
      try other.say("touch")
      let signed = try KeyRequest(.paths([other.path])).sign(
        signing.challenge,
        withAny: [made.identifier],
        KeyVerification(isRequired: false)
      ) {}
      // The forger names the credential that is enrolled.
      return .touched(
        KeyAnswer(
          credential: signing.credentials[0],
          authenticatorData: signed.authenticatorData,
          signature: signed.signature
        )
      )
    }
    #expect(failure == .presenceFailed(.noMatch, methods: [.key, .password]))
  }

  @Test
  func anAnswerWithoutATouchOpensNone() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    try rig.key.say("flags 0")
    let failure = try await rig.check { .touched(try rig.touched($0)) }
    #expect(failure == .presenceFailed(.noMatch, methods: [.key, .password]))
  }

  @Test
  func byTheRuleATouchIsNotEnoughWithoutACheckOfThePerson() async throws {
    let rig = try await KeyRig(["--verifies"])
    try await rig.enroll()
    try await rig.bench.setRule(rig.vault, "key", "verify")
    var wanted = false
    let failure = try await rig.check { signing in
      wanted = signing.verifies
      return .touched(try rig.touched(signing))
    }
    #expect(wanted)
    #expect(failure == .presenceFailed(.noMatch, methods: [.key, .password]))
    // The key's own check is its touch.
    #expect(try await rig.check { .touched(try rig.touched($0, verifies: true)) } == nil)
    try await rig.bench.setRule(rig.vault, "key", nil)
    #expect(try await rig.check { .touched(try rig.touched($0)) } == nil)
  }

  @Test
  func aCounterThatDoesNotRiseIsACopyUntilTheKeyIsEnrolledAgain() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    #expect(try await rig.check { .touched(try rig.touched($0)) } == nil)
    try rig.key.say("counter")
    let failure = try await rig.check { .touched(try rig.touched($0)) }
    guard case .presenceFailed(let found, methods: [.password])? = failure,
      found.outcome == .denied, found.detail.contains("'blue' did not rise")
    else {
      Issue.record("\(String(describing: failure))")
      return
    }
    let events = try await rig.vault.auditPage(after: 0, since: nil, account: nil)
    #expect(
      events.contains {
        $0.method == "key" && $0.outcome == "failed" && $0.detail?.contains("did not rise") == true
      }
    )
    // The counter is kept over a rekey.
    try await rig.bench.rekey(rig.vault)
    #expect(try await rig.check { .touched(try rig.touched($0)) } != nil)
    let vault = rig.vault
    let need = try await need {
      _ = try await vault.removeKey("blue", prompt: nil, caller: caller())
    }
    try await rig.bench.pass(need, vault, caller())
    _ = try await vault.removeKey("blue", prompt: need.prompt, caller: caller())
    try await rig.enroll()
    #expect(try await rig.check { .touched(try rig.touched($0)) } == nil)
  }

  @Test
  func aKeyThatDoesNotCountIsNoCopy() async throws {
    let rig = try await KeyRig()
    try rig.key.say("counter")
    try await rig.enroll()
    for _ in 0..<2 { #expect(try await rig.check { .touched(try rig.touched($0)) } == nil) }
  }

  @Test
  func aRemovedKeyOpensNoneAndItsNameIsFree() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    let second = try SoftwareKey(state: rig.bench.scratch.base + "/second")
    try await rig.enroll("red", on: second)
    let vault = rig.vault
    let need = try await need {
      _ = try await vault.removeKey("blue", prompt: nil, caller: caller())
    }
    #expect(need.methods == [.password])
    try await rig.bench.pass(need, vault, caller())
    let left = try await vault.removeKey("blue", prompt: need.prompt, caller: caller())
    #expect(left.map(\.name) == ["red"])
    #expect(
      await failure { _ = try await vault.removeKey("blue", prompt: nil, caller: caller()) }
        == .noSuchKey("blue")
    )
    #expect(try await rig.check { .touched(try rig.touched($0, second)) } == nil)
    try await rig.enroll("blue")
    #expect(try await vault.keyFacts().map(\.name) == ["red", "blue"])
  }

  @Test
  func aKeySurvivesARekeyAndAnEditedRowDoesNot() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    try await rig.bench.rekey(rig.vault)
    #expect(try await rig.check { .touched(try rig.touched($0)) } == nil)
    // A row with another name, as an attacker who may write the store would make it.
    try await rig.vault.inspect { store in
      var row = try #require(try store.securityKeys(owner: ThisProcess.user).first)
      row.name = "green"
      let renamed = row
      try store.transaction {
        try store.deleteSecurityKey(id: renamed.id)
        try store.insert(renamed)
      }
    }
    rig.bench.clock.advance(3600)
    let vault = rig.vault
    let need = try await need { _ = try await vault.token(caller: caller()) }
    guard
      case .presenceFailed(let found, methods: [.password])? = await failure({
        _ = try await vault.check(need.prompt, by: .key, caller: caller()) { _ in }
      }), found.outcome == .notAvailable
    else {
      Issue.record("an edited row was used")
      return
    }
  }

  @Test
  func aNameIsTakenOnceAndShownPlainly() async throws {
    let rig = try await KeyRig()
    try await rig.enroll()
    let vault = rig.vault
    let refused = [("blue", "enrolled already"), ("", "1 to 64"), ("a\u{1b}b", "1 to 64")]
    for (name, expected) in refused {
      let found = await failure {
        try await vault.enrollKey(name, pin: nil, prompt: nil, caller: caller()) {}
      }
      #expect("\(try #require(found))".contains(expected))
    }
  }
}
