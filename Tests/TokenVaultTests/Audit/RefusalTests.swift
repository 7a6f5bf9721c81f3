import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Refusals are counted, and a caller cannot fill the audit log with them.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct RefusalTests {
  private func refusals(_ vault: Vault) async throws -> [AuditFacts] {
    try await vault.auditPage(after: 0, since: nil, account: nil).filter { $0.event == "refusal" }
  }

  @Test
  func refusalsAreWrittenOnceAMinuteWithTheirCount() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for _ in 0..<5 {
      _ = await failure {
        _ = try await vault.check("none", by: .fingerprint, caller: caller(3)) { _ in }
      }
    }
    await vault.note(.busy("x"), by: caller(3))
    await vault.note(.refused("x"), by: caller(4))
    await vault.note(.providerUnavailable("x", retryAfter: nil), by: caller(4))
    #expect(try await refusals(vault).isEmpty)
    try await vault.maintainAuditLog()
    let written = try await refusals(vault)
    #expect(written.map(\.detail) == ["5 × denied", "1 × busy", "1 × policy"])
    #expect(written.map(\.requester) == ["bash, PID 3", "bash, PID 3", "bash, PID 4"])
    try await vault.maintainAuditLog()
    #expect(try await refusals(vault).count == 3)
  }

  @Test
  func aProofThatExpiredOrBelongsToAnotherIsCounted() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    _ = await failure { _ = try await vault.token(prompt: need.prompt, caller: caller(2)) }
    bench.clock.advance(120)
    _ = await failure { _ = try await vault.token(prompt: need.prompt) }
    _ = await failure {
      _ = try await vault.respond(need.prompt, text: shared("x"), caller: caller())
    }
    try await vault.flushCounts()
    let written = try await refusals(vault)
    #expect(written.count >= 2)
    #expect(written.contains { $0.requester == "bash, PID 2" })
    #expect(written.contains { $0.requester == "bash, PID 1" })
  }

  /// A refusal a minute must not keep the names of all later callers out.
  @Test
  func namesAreWrittenAgainAfterAWhile() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for number in 0..<UInt64(RefusalCount.mostNamed) {
      await vault.note(.busy("x"), by: caller(100 + number))
    }
    try await vault.maintainAuditLog()
    for number in 0..<UInt64(6) {
      bench.clock.advance(60)
      await vault.note(.busy("x"), by: caller(200 + number))
      try await vault.maintainAuditLog()
    }
    let names = try await refusals(vault).suffix(6).map(\.requester)
    #expect(names == [nil, nil, "bash, PID 202", nil, nil, "bash, PID 205"])
  }

  /// Restricted sockets have any number of names.
  @Test
  func whatIsRefusedTakesBoundedMemory() {
    var refusals = RefusalCount()
    for number in 0..<10_000 { refusals.note("outside \(number)", of: nil, by: "PID \(number)") }
    #expect(refusals.others.count == RefusalCount.mostOthers + 1)
    let lines = refusals.lines(at: BootInstant(nanoseconds: 0))
    #expect(lines.others.count == RefusalCount.mostOthers + 1)
    let named = lines.named.map(\.count).reduce(0, +)
    let others = lines.others.values.reduce(0, +)
    #expect(named + others == 10_000)
  }

  @Test
  func aFloodOfCallersDoesNotPushTheHistoryOut() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let before = try await vault.verifyAuditLog().records
    // A day of two hundred callers a minute, each with another name.
    for minute in 0..<1440 {
      await vault.flood(minute, 200)
      try await vault.maintainAuditLog()
      bench.clock.advance(60)
    }
    let records = try await vault.verifyAuditLog().records - before
    #expect(records < 2000)
    let counted = try await vault.inspect { store in
      var sum = 0
      var number: Int64 = 0
      while true {
        let page = try store.audit(after: number)
        guard let last = page.last else { return sum }
        number = last.number
        for row in page { sum += row.detail.flatMap { Int($0.prefix { $0 != " " }) } ?? 0 }
      }
    }
    // None of them is lost.
    #expect(counted == 288_000)
  }

  @Test
  func checksWithoutAPersonAreCountedBeyondSixty() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.enroll(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    func checks() async throws -> Int {
      try await vault.inspect { store in
        try store.audit(limit: 10_000).filter {
          $0.event == "presence-check" && $0.outcome == "failed"
        }.count
      }
    }
    for number in 0..<100 as Range<UInt64> {
      let caller = caller(100 + number)
      let need = try await need { _ = try await vault.token(caller: caller) }
      bench.check.plan([.failed(.notAvailable("busy"))])
      _ = await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller) { _ in }
      }
      await vault.disconnect(100 + number)
    }
    #expect(try await checks() == AuditState.mostChecks)
    // A finger that does not match is still recorded.
    let need = try await need { _ = try await vault.token() }
    bench.check.plan([.failed(.noMatch)])
    _ = await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    #expect(try await checks() == AuditState.mostChecks + 1)
    try await vault.flushCounts()
    let counted = try await vault.inspect { store in
      try store.audit(limit: 10_000).filter { $0.event == "refusal" }.compactMap(\.detail)
    }
    #expect(counted.contains { $0.contains("check not_available") })
  }

  /// The calls that release a secret or change the protection after a passed check.
  enum Release: String, CaseIterable, Codable {
    case refresh, unlock, enable, disable, enroll, signOut
  }

  @Test(arguments: Release.allCases)
  func whatCannotBeWrittenDownDoesNotHappen(_ release: Release) async {
    // In its own process: a child that another test has forked would give pages back.
    await #expect(processExitsWith: .success) { [release] in
      try await Self.doesNotHappen(release)
    }
  }

  private static func doesNotHappen(_ release: Release) async throws {
    let scratch = try Scratch()
    try scratch.mountSmall(pages: 500)
    let bench = try Bench(scratch)
    let vault = try await bench.open()
    try await bench.signIn(vault)
    if release != .enable { try await bench.protect(vault) }
    bench.clock.advance(3600)
    func attempt(_ prompt: String?) async throws {
      switch release {
      case .refresh: _ = try await vault.token(prompt: prompt)
      case .unlock: _ = try await vault.unlock([], seconds: nil, prompt: prompt, caller: caller())
      case .enable, .disable:
        _ = try await vault.setProtection(
          release == .enable,
          account: "me",
          prompt: prompt,
          caller: caller()
        )
      case .enroll:
        _ = try await vault.enroll("right-index", prompt: prompt, caller: caller()) { _ in }
      case .signOut: _ = try await vault.signOut(account: "me", local: true, caller: caller())
      }
    }
    let prompt: String?
    if release == .signOut {
      prompt = nil
    } else {
      let need = try await need { try await attempt(nil) }
      try await bench.pass(need, vault, caller())
      prompt = need.prompt
    }
    let before = try await vault.row()
    let records = try await vault.verifyAuditLog().records
    try scratch.fill()
    let failed: VaultFailure?
    if release == .enroll {
      async let outcome = failure { try await attempt(prompt) }
      while bench.check.enrollments.isEmpty { await Task.yield() }
      bench.check.enrollments[0].tell(
        .done(print: shared("a print"), driver: "scripted", device: "1")
      )
      failed = await outcome
    } else {
      failed = await failure { try await attempt(prompt) }
    }
    guard case .vaultUnsafe? = failed else {
      Issue.record("\(release): \(String(describing: failed))")
      return
    }
    #expect(try await vault.row() == before)
    #expect(try await vault.facts().unlockedFor == nil)
    #expect(try await vault.facts().fingers.isEmpty)
    #expect(bench.exchange.refreshes.isEmpty)
    #expect(try await vault.verifyAuditLog().records == records)
    try scratch.clear()
    #expect(try await vault.verifyAuditLog().isWhole)
  }
}

extension Vault {
  /// Refuses this many callers, each once.
  fileprivate func flood(_ minute: Int, _ count: Int) {
    for number in 0..<count { noteRefusal("denied", by: "evil\(minute)-\(number), PID 1") }
  }
}
