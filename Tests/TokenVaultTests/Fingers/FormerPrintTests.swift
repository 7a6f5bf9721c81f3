import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A print that a reader stores is deleted there too, and remembered until then.
@Suite(.timeLimit(.minutes(10)))
struct FormerPrintTests {
  private func former(_ vault: Vault) async throws -> [PrintRow] {
    try await vault.inspect { try $0.formerPrints(owner: ThisProcess.user) }
  }

  private func deleted(_ vault: Vault, _ bench: Bench, _ finger: String) async throws -> String? {
    let need = try await need {
      _ = try await vault.delete(finger: finger, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    return try await vault.delete(finger: finger, prompt: need.prompt, caller: caller()).onReader
  }

  /// An enrollment that has begun, with a passed prompt.
  private func begun(
    _ bench: Bench,
    _ vault: Vault,
    _ finger: String
  ) async throws -> (enrollment: Enrollment, end: Task<VaultFailure?, Never>) {
    let need = try await need {
      _ = try await vault.enroll(finger, prompt: nil, caller: caller()) { _ in }
    }
    try await bench.pass(need, vault, caller())
    let before = bench.check.enrollments.count
    let end = Task {
      await failure {
        _ = try await vault.enroll(finger, prompt: need.prompt, caller: caller()) { _ in }
      }
    }
    while bench.check.enrollments.count == before { await Task.yield() }
    return (bench.check.enrollments[before], end)
  }

  @Test
  func aDeletedFingerIsDeletedOnItsReaderBeforeItsRowGoes() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    #expect(try await deleted(vault, bench, "right-index") == nil)
    #expect(bench.check.deletions.map(\.finger) == ["right-index"])
    #expect(bench.check.deletions[0].print == Array("print of right-index".utf8))
    #expect(try await former(vault).isEmpty)
    #expect(try await vault.fingers(of: caller()).fingers.isEmpty)
  }

  @Test
  func whatItsReaderStillHasIsSaidAndDeletedWithTheNextEnrollmentThere() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDeletion(.left("it is not plugged in"))
    #expect(try await deleted(vault, bench, "right-index") == "it is not plugged in")
    #expect(try await vault.fingers(of: caller()).fingers.isEmpty)
    let row = try #require(try await former(vault).first)
    #expect(row.finger == "right-index")
    #expect(locations(of: "print of right-index", in: try bench.scratch.files()).isEmpty)

    let (enrollment, end) = try await begun(bench, vault, "left-thumb")
    #expect(enrollment.request.own.isEmpty)
    #expect(enrollment.request.former.map { text($0.print) } == ["print of right-index"])
    enrollment.tell(.removed(0))
    // An index that was not given.
    enrollment.tell(.removed(7))
    enrollment.tell(.done(print: shared("new"), driver: "scripted", device: "1"))
    #expect(await end.value == nil)
    #expect(enrollment.isKept && !enrollment.isCancelled)
    #expect(try await former(vault).isEmpty)

    let (next, nextEnd) = try await begun(bench, vault, "left-index")
    #expect(next.request.own.map(\.finger) == ["left-thumb"] && next.request.former.isEmpty)
    next.tell(.failed(.notAvailable("broken")))
    #expect(await nextEnd.value != nil)
  }

  @Test
  func aFormerPrintIsForgottenWhereTheEnrollmentFailsAfterwards() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDeletion(.left("busy"))
    _ = try await deleted(vault, bench, "right-index")
    let (enrollment, end) = try await begun(bench, vault, "left-thumb")
    enrollment.tell(.removed(0))
    enrollment.tell(.failed(.timedOut))
    #expect(await end.value != nil)
    #expect(try await former(vault).isEmpty)
  }

  @Test
  func aFormerPrintThatIsMovedBackOpensAsNoFinger() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    bench.check.setDeletion(.left("busy"))
    if let vault { _ = try await deleted(vault, bench, "right-index") }
    vault = nil
    try await bench.forge { store in
      let row = try #require(try store.formerPrints(owner: ThisProcess.user).first)
      try store.transaction { try store.insert(row) }
    }
    let next = try await bench.open()
    let need = try await bench.glance(next)
    #expect(need.methods == [.password])
    #expect(need.reason == "the enrolled print of right-index does not open")
  }

  @Test
  func aRekeyBringsFormerPrintsUnderTheNewSecret() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDeletion(.left("busy"))
    _ = try await deleted(vault, bench, "right-index")
    let need = try await need { _ = try await vault.rekey(prompt: nil, caller: caller()) }
    try await bench.pass(need, vault, caller())
    _ = try await vault.rekey(prompt: need.prompt, caller: caller())
    let (enrollment, end) = try await begun(bench, vault, "left-thumb")
    #expect(enrollment.request.former.map { text($0.print) } == ["print of right-index"])
    enrollment.tell(.failed(.timedOut))
    #expect(await end.value != nil)
  }

  @Test
  func notMoreThanTwentyAreKept() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDeletion(.left("busy"))
    for _ in 0..<22 {
      _ = try await deleted(vault, bench, "right-index")
      bench.clock.advance(1)
      try await bench.enroll(vault)
    }
    #expect(try await former(vault).count == Vault.mostFormerPrints)
  }

  @Test
  func aPrintThatIsNotStoredIsNotKeptOnTheReader() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let (enrollment, end) = try await begun(bench, vault, "left-thumb")
    await vault.disconnect(1)
    enrollment.tell(.done(print: shared("late"), driver: "scripted", device: "1"))
    #expect(await end.value != nil)
    #expect(!enrollment.isKept && enrollment.isCancelled)
  }

  /// For a vault that is removed: no other vault can name its prints to a reader afterwards.
  @Test
  func allPrintsAreDeletedOnTheirReadersAndTheRestIsNamed() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    if let vault {
      try await bench.enroll(vault, "left-thumb")
      try await bench.enroll(vault, "left-index")
      bench.check.setDeletion(.left("busy"))
      #expect(try await deleted(vault, bench, "right-index") == "busy")
      bench.check.setDeletion(.gone)
    }
    let before = bench.check.deletions.count
    if let vault { #expect(try await vault.deletePrintsOnReaders() == nil) }
    let told = bench.check.deletions.dropFirst(before).map(\.finger)
    #expect(told.sorted() == ["left-index", "left-thumb", "right-index"])
    bench.check.setDeletion(.left("it is not plugged in"))
    if let vault {
      let left = try await vault.deletePrintsOnReaders()
      #expect(
        left == "left-index, left-thumb, right-index: it is not plugged in"
          || left == "left-thumb, left-index, right-index: it is not plugged in"
      )
    }
    vault = nil
    try await bench.damagePrint(of: "left-thumb")
    bench.check.setDeletion(.gone)
    let next = try await bench.open()
    #expect(try await next.deletePrintsOnReaders() == "left-thumb: the stored print does not open")
    let late = try await next.deletePrintsOnReaders(within: 0)
    #expect(late?.hasSuffix("there was no time for it") == true)
  }
}
