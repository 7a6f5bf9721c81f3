import Cryptography
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// The records of the audit log, and the behaviour if one cannot be written.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AuditLogTests {
  @Test
  func theAuditLogTellsWhatHappenedAndIsChained() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    try await bench.unlock(vault, seconds: 60)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    _ = try await vault.lock(caller: caller())
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    let expected = [
      "login begun", "login done", "presence-check done", "protection done",
      "unlock done", "presence-check done", "enrollment done", "presence-check done", "unlock done",
      "refresh begun", "refresh done", "lock done", "logout done",
    ]
    #expect(try await vault.events().filter { $0 != "vault-created done" } == expected)
    let facts = try await vault.verifyAuditLog()
    let records = try await vault.inspect { try $0.audit() }
    #expect(records.map(\.number) == Array(1...Int64(records.count)))
    #expect(
      facts
        == AuditReport(
          isWhole: true,
          records: records.count,
          first: 1,
          last: Int64(records.count),
          firstTime: records.first?.time,
          lastTime: records.last?.time,
          bad: nil,
          badTime: nil,
          problem: nil,
          head: records.last.map { Hexadecimal.text($0.mac) }
        )
    )
  }

  @Test
  func readingAValidTokenIsNoEvent() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await vault.events().count
    for _ in 0..<10 { _ = try await vault.token() }
    #expect(try await vault.events().count == before)
  }

  @Test
  func noSecretStandsInAnyFileOrRecord() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let refresh = (1...4).map { "MARKER-RT-\($0)-w7XlQ2vZ" }
    let password = "MARKER-PASSWORD-p4Nn8s"
    let plain = "MARKER-AT-visible"
    bench.exchange.plan(.answer(status: 401, body: #"{"detail":"\#(password) is wrong"}"#))
    let observed = Box<[String]>()
    bench.exchange.observe { _ in
      let files = (try? bench.scratch.files()) ?? [:]
      let found = (refresh + [password]).flatMap { locations(of: $0, in: files) }
      if !found.isEmpty { observed.put(found) }
    }
    func login(_ refresh: String) async throws {
      _ = try await vault.signIn(
        account: "me",
        provider: try provider(),
        email: "me@example.org",
        password: shared(password),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    let refused = await failure { try await login(refresh[0]) }
    #expect(!"\(String(describing: refused))".contains(password))
    bench.exchange.plan(.tokens(access: plain, refresh: refresh[0]))
    try await login(refresh[0])
    try await bench.protect(vault)
    bench.clock.advance(3600)
    try await bench.unlock(vault)
    bench.exchange.plan(.tokens(access: plain, refresh: refresh[1]))
    _ = try await vault.token()
    bench.clock.advance(3600)
    try await bench.unlock(vault)
    bench.exchange.plan(.overTheSocket(access: plain, refresh: refresh[2]))
    _ = try await vault.token()
    bench.clock.advance(3600)
    try await bench.unlock(vault)
    bench.exchange.plan(.answer(status: 200, body: #"{"refresh_token":"\#(refresh[3])"}"#))
    let failure = await failure { _ = try await vault.token() }
    #expect(!"\(String(describing: failure))".contains("MARKER"))
    #expect(observed.value == nil)
    let files = try bench.scratch.files()
    for marker in refresh + [password] { #expect(locations(of: marker, in: files).isEmpty) }
    // Control: the search finds the access token, which is in plain storage.
    #expect(!locations(of: plain, in: files).isEmpty)
    #expect(locations(of: "A", in: ["x": Array("QQ==".utf8)]).isEmpty)
    #expect(locations(of: "MARKER", in: ["x": Array("xTUFSS0VSx".utf8)]) == ["x"])
    #expect(
      locations(of: "MARKER", in: ["x": Array(#"\u004d\u0041\u0052\u004b\u0045\u0052"#.utf8)]) == [
        "x"
      ]
    )
  }

  // A child that another test has forked would give pages back in the middle: see FullDiskTests.

  @Test
  func onAFullDiskNothingIsReleasedAndNothingIsLost() async {
    await #expect(processExitsWith: .success) { try await FullDisk().losesNothing() }
  }

  /// Some file systems need room to overwrite the slot, too.
  @Test
  func onAFullDiskAnAnswerThatTheSlotDoesNotTakeIsNotLost() async {
    await #expect(processExitsWith: .success) { try await FullDisk().keepsAnAnswerInMemory() }
  }

  @Test
  func aFullDiskMakesNoHalfAccount() async {
    await #expect(processExitsWith: .success) { try await FullDisk().makesNoHalfAccount() }
  }
}

/// On a file system of a few pages, in its own process.
private struct FullDisk {
  func losesNothing() async throws {
    let scratch = try Scratch()
    try scratch.mountSmall(pages: 400)
    let bench = try Bench(scratch)
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token() }
    let begun = bench.check.conversations.count
    try scratch.fill()
    try await beginsNoTryWithoutACharge(bench, vault, need, begun)
    try await releasesNothingWithoutARecord(scratch, bench, vault, begun)
    try scratch.clear()
    try await sendsNothingWithoutAnIntent(scratch, bench, vault)
    try scratch.clear()
    try await bench.unlock(vault)
    try await keepsTheAnswer(scratch, bench, vault)
  }

  func keepsAnAnswerInMemory() async throws {
    let scratch = try Scratch()
    try scratch.mountSmall(pages: 400)
    let bench = try Bench(scratch)
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    try await keepsTheAnswer(scratch, bench, vault, .overTheSocket(access: "at-2", refresh: "rt-2"))
    #expect(await !vault.hasUnwrittenAnswers)
  }

  /// A try that cannot be charged does not begin.
  private func beginsNoTryWithoutACharge(
    _ bench: Bench,
    _ vault: Vault,
    _ need: PresenceNeed,
    _ begun: Int
  ) async throws {
    guard
      case .vaultUnsafe? = await failure({
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      })
    else {
      Issue.record("a try without a charge")
      return
    }
    #expect(bench.check.conversations.count == begun)
    #expect(await vault.holdsNothing)
  }

  /// A match that cannot be recorded releases nothing, and frees the reader.
  ///
  /// Nor does a full disk allow more tries.
  private func releasesNothingWithoutARecord(
    _ scratch: Scratch,
    _ bench: Bench,
    _ vault: Vault,
    _ begun: Int
  ) async throws {
    let events: [CheckEvent] = [.matched] + [CheckEvent](repeating: .failed(.noMatch), count: 5)
    for (number, event) in events.enumerated() {
      try scratch.clear()
      let next = try await TokenVaultTests.need { _ = try await vault.token() }
      let check = Task {
        await failure {
          _ = try await vault.check(next.prompt, by: .fingerprint, caller: caller()) { _ in }
        }
      }
      let reader = await bench.check.conversation(begun + number + 1)
      await vault.barrier()
      try scratch.fill()
      reader.tell(event)
      guard case .vaultUnsafe? = await check.value else {
        Issue.record("a check without a record")
        return
      }
      #expect(await vault.holdsNothing)
      guard
        case .presenceFailed? = await failure({
          _ = try await vault.token(prompt: next.prompt)
        })
      else {
        Issue.record("released")
        return
      }
    }
    #expect(try await vault.facts().isFingerprintLockedOut)
    #expect(bench.exchange.refreshes.isEmpty)
  }

  /// If the disk is full again when the refresh is about to begin, it does not begin.
  private func sendsNothingWithoutAnIntent(
    _ scratch: Scratch,
    _ bench: Bench,
    _ vault: Vault
  ) async throws {
    let last = try await TokenVaultTests.need { _ = try await vault.token() }
    #expect(last.methods == [.password])
    try await bench.pass(last, vault, caller())
    try scratch.fill()
    guard
      case .vaultUnsafe? = await failure({
        _ = try await vault.token(prompt: last.prompt)
      })
    else {
      Issue.record("sent without an intent")
      return
    }
    #expect(bench.exchange.refreshes.isEmpty)
  }

  /// An answer that arrives when the disk is full waits in the slot, or in memory.
  private func keepsTheAnswer(
    _ scratch: Scratch,
    _ bench: Bench,
    _ vault: Vault,
    _ answer: ScriptedExchange.Step = .tokens(access: "at-2", refresh: "rt-2")
  ) async throws {
    bench.exchange.observe { stage in
      if stage == "begun" { try? scratch.fill() }
    }
    bench.exchange.plan(answer)
    _ = await failure { _ = try await vault.token() }
    try scratch.clear()
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.refreshes.count == 1)
    #expect(try await vault.row().generation == 2)
  }

  func makesNoHalfAccount() async throws {
    let scratch = try Scratch()
    try scratch.mountSmall(pages: 400)
    let bench = try Bench(scratch)
    let vault = try await bench.open()
    try await bench.signIn(vault, "first")
    try scratch.fill()
    guard case .vaultUnsafe? = await failure({ try await bench.signIn(vault, "second") }) else {
      Issue.record("an account without room")
      return
    }
    #expect(bench.exchange.requests.count == 1)
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["first"])
    try scratch.clear()
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["first"])
  }
}
