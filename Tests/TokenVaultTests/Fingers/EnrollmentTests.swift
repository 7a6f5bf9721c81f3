import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Only the system password adds fingers.
@Suite(.timeLimit(.minutes(10)))
struct EnrollmentTests {
  /// A passed prompt for an enrollment.
  private func passed(
    _ bench: Bench,
    _ vault: Vault,
    _ connection: UInt64 = 1
  ) async throws
    -> String
  {
    let need = try await need {
      _ = try await vault.enroll(nil, prompt: nil, caller: caller(connection)) { _ in }
    }
    #expect(need.methods == [.password])
    try await bench.pass(need, vault, caller(connection))
    return need.prompt
  }

  @Test
  func aFingerIsTakenAfterThePassword() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.enroll(vault)
    #expect(try await vault.fingers(of: caller()).fingers == ["right-index"])
    #expect(locations(of: "print of right-index", in: try bench.scratch.files()).isEmpty)
    guard
      case .refused? = await failure({
        _ = try await vault.enroll("right-index", prompt: nil, caller: caller()) { _ in }
      })
    else {
      Issue.record("taken twice")
      return
    }
    for name in ["", "thumb", "right-index ", "../x"] {
      guard
        case .invalidArgument? = await failure({
          _ = try await vault.enroll(name, prompt: nil, caller: caller()) { _ in }
        })
      else {
        Issue.record("\(name) is a finger")
        continue
      }
    }
  }

  @Test
  func everyFingerThatLibfprintNamesIsTaken() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for finger in Vault.fingerNames { try await bench.enroll(vault, finger) }
    #expect(try await vault.fingers(of: caller()).fingers == Vault.fingerNames.sorted())
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    #expect(try await bench.glance(vault).methods == [.fingerprint, .password])
  }

  @Test
  func aFingerNeverLetsAnotherIn() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.enroll(vault)
    let need = try await need {
      _ = try await vault.enroll("left-index", prompt: nil, caller: caller()) { _ in }
    }
    guard
      case .presenceFailed(let found, methods: [.password])? = await failure({
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }),
      found.outcome == .denied
    else {
      Issue.record("a finger was asked")
      return
    }
  }

  @Test
  func aCallerThatLeavesWhileTheReaderOpensEnrollsNoFinger() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let prompt = try await passed(bench, vault)
    bench.check.holdStarts()
    let enrollment = Task {
      await failure { _ = try await vault.enroll(nil, prompt: prompt, caller: caller()) { _ in } }
    }
    await bench.check.untilHeld()
    await vault.disconnect(1)
    bench.check.release()
    guard case .presenceFailed(.cancelled, _)? = await enrollment.value else {
      Issue.record("went on")
      return
    }
    #expect(bench.check.enrollments.last?.isCancelled == true)
    #expect(try await vault.fingers(of: caller()).fingers.isEmpty)
  }

  @Test
  func aPrintThatComesAfterTheCallerHasLeftIsNotKept() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let prompt = try await passed(bench, vault)
    let enrollment = Task {
      await failure { _ = try await vault.enroll(nil, prompt: prompt, caller: caller()) { _ in } }
    }
    while bench.check.enrollments.isEmpty { await Task.yield() }
    await vault.barrier()
    await vault.disconnect(1) {
      bench.check.enrollments[0].tell(.done(print: shared("late"), driver: "d", device: "1"))
    }
    #expect(await enrollment.value != nil)
    #expect(try await vault.fingers(of: caller()).fingers.isEmpty)
  }

  @Test
  func onlyOneIsEnrolledAtATime() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let first = try await passed(bench, vault, 1)
    let second = try await passed(bench, vault, 2)
    bench.check.holdStarts()
    let enrollment = Task {
      try await vault.enroll(nil, prompt: first, caller: caller(1)) { _ in }
    }
    await bench.check.untilHeld()
    guard
      case .busy? = await failure({
        _ = try await vault.enroll("left-index", prompt: second, caller: caller(2)) { _ in }
      })
    else {
      Issue.record("two at once")
      return
    }
    bench.check.release()
    while bench.check.enrollments.isEmpty { await Task.yield() }
    bench.check.enrollments[0].tell(.stage(1, of: 5))
    bench.check.enrollments[0].tell(.done(print: shared("p"), driver: "d", device: "1"))
    #expect(try await enrollment.value == "right-index")
  }

  @Test
  func aFailureIsWrittenDownAndTold() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let prompt = try await passed(bench, vault)
    let enrollment = Task {
      await failure { _ = try await vault.enroll(nil, prompt: prompt, caller: caller()) { _ in } }
    }
    while bench.check.enrollments.isEmpty { await Task.yield() }
    let excuse = String(repeating: "no\u{1b}[2J\n", count: 3000)
    bench.check.enrollments[0].tell(.failed(.notAvailable(excuse)))
    #expect(await enrollment.value == .presenceFailed(.notAvailable(excuse), methods: []))
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "enrollment" && last.outcome == "failed")
    let detail = try #require(last.detail)
    #expect(
      detail.utf8.count <= PromptQuestion.longestDetail && !detail.utf8.contains { $0 < 0x20 }
    )
  }
}

extension Vault {
  fileprivate func disconnect(_ connection: UInt64, after event: @Sendable () -> Void) {
    event()
    disconnect(connection)
  }
}
