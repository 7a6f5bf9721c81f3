import Presence
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// A finger counts only as long as the enrolled fingers are the set that the password has
/// confirmed.
@Suite(.timeLimit(.minutes(10)))
struct EnrolledSetTests {
  static let once = "; the system password is needed once"

  /// Tries a finger with a prompt, and returns the failure.
  func finger(_ need: PresenceNeed, _ vault: Vault) async -> VaultFailure? {
    await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
  }

  private func details(_ vault: Vault, _ event: String) async throws -> [String] {
    try await vault.auditPage(after: 0, since: nil, account: nil).filter { $0.event == event }
      .compactMap(\.detail)
  }

  @Test
  func aFingerThatTheDesktopAddsAsksForThePasswordOnce() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
    let theirs = desktop([("right-thumb", 1)])
    bench.check.setDesktop(theirs)
    let begun = bench.check.conversations.count
    let need = try await need { _ = try await vault.token() }
    let what = "enrolled fingers changed: added right-thumb (desktop)"
    #expect(need.methods == [.password])
    #expect(need.reason == what + Self.once)
    #expect(
      await finger(need, vault)
        == .presenceFailed(.denied(what + Self.once), methods: [.password])
    )
    #expect(bench.check.conversations.count == begun)
    try await bench.pass(need, vault, caller())
    #expect(try await details(vault, "fingers-changed") == [what])
    await vault.disconnect(1)

    let again = try await TokenVaultTests.need { _ = try await vault.token() }
    #expect(again.methods == [.fingerprint, .password] && again.reason == nil)
    bench.check.plan([.matched])
    #expect(
      try await vault.check(again.prompt, by: .fingerprint, caller: caller()) { _ in } == .passed
    )
    let armed = try #require(bench.check.conversations.last)
    #expect(armed.fingers == ["right-index"] && armed.desktop == theirs)
  }

  @Test
  func whatChangedIsSaid() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let steps: [(DesktopFingers?, String?)] = [
      (
        desktop([("left-thumb", 1), ("right-thumb", 2)]),
        "added left-thumb (desktop), right-thumb (desktop)"
      ),
      (desktop([("right-thumb", 2), ("left-thumb", 1)]), nil),
      (desktop([("left-thumb", 1), ("right-thumb", 3)]), "replaced right-thumb (desktop)"),
      // A second print of one finger, as a second reader has it.
      (
        desktop([("left-thumb", 1), ("left-thumb", 9), ("right-thumb", 3)]),
        "replaced left-thumb (desktop)"
      ),
      (
        desktop([("left-thumb", 1)]), "removed right-thumb (desktop); replaced left-thumb (desktop)"
      ),
      (desktop(names: "left-thumb"), "the desktop's fingers are seen by their names now"),
      (desktop(names: "left-thumb", "left-little"), "added left-little (desktop)"),
      (nil, "removed left-little (desktop), left-thumb (desktop)"),
      (desktop(names: "own right-index -\nx"), "added unknown-finger (desktop)"),
    ]
    for (theirs, what) in steps {
      bench.check.setDesktop(theirs)
      #expect(
        try await bench.glance(vault).reason
          == what.map { "enrolled fingers changed: \($0)\(Self.once)" }
      )
      try await bench.confirm(vault)
      #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
    }
    #expect(try await details(vault, "fingers-changed").count == steps.count { $0.1 != nil })
  }

  @Test
  func unconfirmedFingersAreNotOffered() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    #expect(try await bench.glance(vault).reason == nil)
    bench.check.setDesktop(desktop(names: "right-index"))
    let need = try await bench.glance(vault)
    #expect(need.methods == [.password])
    #expect(
      need.reason == "enrolled fingers not confirmed yet: right-index (desktop)" + Self.once
    )
    try await bench.confirm(vault)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func whatCannotBeSeenIsNoChangeAndNothingIsConfirmed() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    try await bench.confirm(vault)
    let confirmed = try await details(vault, "fingers-changed")
    bench.check.hideDesktop(.notAvailable("the presence program ended without an answer"))
    let need = try await need { _ = try await vault.token() }
    #expect(need.methods == [.password])
    #expect(
      need.reason == "the desktop's fingers cannot be seen now: "
        + "the presence program ended without an answer"
    )
    try await bench.pass(need, vault, caller())
    await vault.disconnect(1)
    bench.check.hideDesktop(nil)
    #expect(try await details(vault, "fingers-changed") == confirmed)
    // As before, without a message: a finger counts.
    let again = try await bench.glance(vault)
    #expect(again.methods == [.fingerprint, .password] && again.reason == nil)
  }

  @Test
  func aSecondChangeIsNotConfirmedAlongWithTheFirst() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    let need = try await need { _ = try await vault.token() }
    bench.check.setDesktop(desktop([("left-thumb", 1), ("left-little", 2)]))
    try await bench.pass(need, vault, caller())
    #expect(try await details(vault, "fingers-changed").isEmpty)
    let again = try await bench.glance(vault)
    #expect(again.methods == [.password])
    #expect(again.reason?.contains("added left-little (desktop), left-thumb (desktop)") == true)
  }

  @Test
  func aChangeAfterThePromptWasShownIsSeenWhenTheReaderIsArmed() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let need = try await need { _ = try await vault.token() }
    #expect(need.methods == [.fingerprint, .password])
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    let begun = bench.check.conversations.count
    let why = "enrolled fingers changed: added left-thumb (desktop)" + Self.once
    for _ in 0..<2 {
      #expect(await finger(need, vault) == .presenceFailed(.denied(why), methods: [.password]))
    }
    // The helper has found other fingers, and was not asked again.
    #expect(bench.check.conversations.count == begun + 1)
    // The failure has reported the change: the password confirms it.
    try await bench.pass(need, vault, caller())
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func aFingerConfirmsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let need = try await need { _ = try await vault.token() }
    let begun = bench.check.conversations.count
    let check = Task { await finger(need, vault) }
    let reader = await bench.check.conversation(begun + 1)
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    reader.tell(.matched)
    #expect(await check.value == nil)
    #expect(try await bench.glance(vault).methods == [.password])
  }

  @Test
  func enrollingAndDeletingConfirmOnlyTheirOwnFinger() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let need = try await need {
      _ = try await vault.enroll("left-index", prompt: nil, caller: caller()) { _ in }
    }
    try await bench.pass(need, vault, caller())
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    let begun = bench.check.enrollments.count
    let enrollment = Task {
      try await vault.enroll("left-index", prompt: need.prompt, caller: caller()) { _ in }
    }
    while bench.check.enrollments.count == begun { await Task.yield() }
    bench.check.enrollments[begun].tell(.done(print: shared("x"), driver: "scripted", device: "1"))
    _ = try await enrollment.value
    let added = "enrolled fingers changed: added left-thumb (desktop)" + Self.once
    #expect(try await bench.glance(vault).reason == added)

    bench.check.setDesktop(nil)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
    let deletion = try await TokenVaultTests.need {
      _ = try await vault.delete(finger: "left-index", prompt: nil, caller: caller())
    }
    try await bench.pass(deletion, vault, caller())
    bench.check.setDesktop(desktop([("left-thumb", 1)]))
    _ = try await vault.delete(finger: "left-index", prompt: deletion.prompt, caller: caller())
    #expect(try await bench.glance(vault).reason == added)
    bench.check.setDesktop(nil)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func aTokenThatIsValidAsksTheDesktopNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    let asked = bench.check.desktopQuestions
    for _ in 0..<10 { _ = try await vault.token() }
    #expect(bench.check.desktopQuestions == asked)
  }

  @Test
  func theListTellsWhereFingersComeFrom() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDesktop(desktop(names: "right-thumb", "left-thumb"))
    let facts = try await vault.fingers(of: caller())
    #expect(facts.fingers == ["right-index"])
    #expect(facts.desktop == ["left-thumb", "right-thumb"] && facts.source == .names)
    #expect(facts.reason?.hasPrefix("enrolled fingers changed: added left-thumb (desktop)") == true)
  }

  @Test
  func asManyAsTheHelperTellsCanBeConfirmedAndNoMore() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    func many(_ count: UInt8) -> DesktopFingers {
      desktop((0..<count).map { ("right-middle", $0) })
    }
    bench.check.setDesktop(many(64))
    try await bench.confirm(vault)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
    bench.check.setDesktop(many(200))
    for _ in 0..<2 {
      let need = try await bench.glance(vault)
      #expect(need.methods == [.password])
      #expect(need.reason == "more fingers are enrolled than can be confirmed")
      try await bench.confirm(vault)
    }
  }
}
