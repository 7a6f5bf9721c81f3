import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Only the system password deletes fingers, and nothing of them is left.
@Suite(.timeLimit(.minutes(10)))
struct DeletionTests {
  @Test
  func aDeletedFingerLeavesNothingBehindAndTheOthersCount() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    try await bench.enroll(vault, "left-thumb")
    let row = try await vault.inspect { store in
      try #require(try store.prints(owner: ThisProcess.user).first { $0.finger == "left-thumb" })
    }
    func isOnDisk() throws -> Bool {
      let part = Array(row.sealed.suffix(40))
      return try bench.scratch.files().values.contains { $0.firstRange(of: part) != nil }
    }
    #expect(try isOnDisk())
    let counter = try bench.scratch.files()["rollback-counter"]
    try await bench.delete(vault, "left-thumb")
    #expect(try !isOnDisk())
    #expect(try bench.scratch.files()["rollback-counter"] != counter)
    #expect(try await vault.fingers(of: caller()).fingers == ["right-index"])
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "finger-deletion" && last.detail == "left-thumb")
    #expect(last.method == "password")
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
    // The name is free again.
    try await bench.enroll(vault, "left-thumb")
    #expect(try await vault.fingers(of: caller()).fingers == ["left-thumb", "right-index"])
    for finger in ["left-thumb", "right-index"] { try await bench.delete(vault, finger) }
    let none = try await bench.glance(vault)
    #expect(none.methods == [.password] && none.reason == nil)
  }

  @Test
  func aLogThatCannotBeEmptiedDoesNotSayThatNothingWasChanged() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let failure = await failure { try await vault.emptyLogInTransaction() }
    guard case .vaultUnsafe(let message, let hint)? = failure else {
      Issue.record("\(failure as Any)")
      return
    }
    #expect(message.hasPrefix("the change is made, but old data could not be removed"))
    #expect(hint == "remove the cause; the engine empties that file when it ends")
  }

  @Test
  func aFingerDeletesNone() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    let need = try await need {
      _ = try await vault.delete(finger: "right-index", prompt: nil, caller: caller())
    }
    #expect(need.methods == [.password])
    guard
      case .presenceFailed(let found, methods: [.password])? = await failure({
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }),
      found.outcome == .denied
    else {
      Issue.record("a finger was asked")
      return
    }
    // Nor does a check that was passed for another purpose.
    let other = try await TokenVaultTests.need {
      _ = try await vault.enroll("left-thumb", prompt: nil, caller: caller()) { _ in }
    }
    try await bench.pass(other, vault, caller())
    guard
      case .presenceFailed? = await failure({
        _ = try await vault.delete(finger: "right-index", prompt: other.prompt, caller: caller())
      })
    else {
      Issue.record("deleted")
      return
    }
    #expect(try await vault.fingers(of: caller()).fingers == ["right-index"])
  }

  @Test
  func whatIsNotEnrolledHereIsSaidToBeElsewhereOrNowhere() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.check.setDesktop(desktop(names: "left-thumb"))
    for finger in ["right-index", "", "x\u{1b}"] {
      #expect(
        await failure { _ = try await vault.delete(finger: finger, prompt: nil, caller: caller()) }
          == .noSuchFinger(finger)
      )
    }
    guard
      case .refused(let why)? = await failure({
        _ = try await vault.delete(finger: "left-thumb", prompt: nil, caller: caller())
      })
    else {
      Issue.record("the desktop's")
      return
    }
    #expect(why.contains("desktop's settings"))
  }

  @Test
  func aPrintThatDoesNotOpenCanBeDeletedAndTheOthersCountAgain() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    if let vault { try await bench.enroll(vault, "left-thumb") }
    vault = nil
    try await bench.damagePrint(of: "left-thumb")
    let next = try await bench.open()
    let need = try await bench.glance(next)
    #expect(need.methods == [.password])
    #expect(need.reason == "the enrolled print of left-thumb does not open")
    // The password does not make it count.
    try await bench.confirm(next)
    #expect(try await bench.glance(next).methods == [.password])
    let deletion = try await TokenVaultTests.need {
      _ = try await next.delete(finger: "left-thumb", prompt: nil, caller: caller())
    }
    try await bench.pass(deletion, next, caller())
    let left = try await next.delete(
      finger: "left-thumb",
      prompt: deletion.prompt,
      caller: caller()
    )
    // It is unknown which print it was, so no reader can be told to delete it.
    #expect(left.onReader == "the stored print does not open")
    #expect(bench.check.deletions.isEmpty)
    #expect(try await next.inspect { try $0.formerPrints(owner: ThisProcess.user) }.isEmpty)
    #expect(try await bench.glance(next).methods == [.fingerprint, .password])
  }

  /// A start of fprintd probes the readers, and no check has passed here.
  @Test
  func aFingerThatIsNotEnrolledHereStartsNoProgramOfTheDesktop() async throws {
    let bench = try Bench()
    let vault = try await bench.expired()
    bench.check.setDesktop(desktop(names: "left-thumb"))
    try await bench.confirm(vault)
    bench.check.sleepDesktop(true)
    let asked = bench.check.desktopQuestions
    for finger in ["right-thumb", "left-thumb"] {
      let failure = await failure {
        _ = try await vault.delete(finger: finger, prompt: nil, caller: caller(5))
      }
      if finger == "right-thumb" {
        #expect(failure == .noSuchFinger(finger))
      } else {
        guard case .refused? = failure else {
          Issue.record("the desktop's, as the password has confirmed it")
          return
        }
      }
    }
    #expect(bench.check.desktopQuestions == asked)
  }
}
