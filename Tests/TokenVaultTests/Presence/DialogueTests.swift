import Presence
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// The effects of a passed prompt: for which call and which caller it counts.
@Suite(.timeLimit(.minutes(10)))
struct DialogueTests {
  func expired(_ bench: Bench) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.enroll(vault)
    bench.clock.advance(3600)
    return vault
  }

  func isRefused(_ failure: VaultFailure?) -> Bool {
    if case .presenceFailed? = failure { true } else { false }
  }

  @Test
  func aPassedPromptIsSpentOnce() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-2")
    bench.clock.advance(3600)
    #expect(isRefused(await failure { _ = try await vault.token(prompt: need.prompt) }))
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test
  func aPromptReleasesNothingForAnyoneOrAnythingElse() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    try await bench.signIn(vault, "other", refresh: "rt-other", lifetime: 1)
    try await bench.protect(vault, "other")
    bench.clock.advance(60)
    let need = try await need { _ = try await vault.token("me") }
    try await bench.pass(need, vault, caller())
    let attempts: [@Sendable () async throws -> Void] = [
      { _ = try await vault.token("me", prompt: need.prompt, caller: caller(2)) },
      { _ = try await vault.token("other", prompt: need.prompt) },
      {
        _ = try await vault.setProtection(
          false,
          account: "me",
          prompt: need.prompt,
          caller: caller()
        )
      },
      {
        _ = try await vault.setProtection(
          false,
          account: "other",
          prompt: need.prompt,
          caller: caller()
        )
      },
      { _ = try await vault.unlock([], seconds: nil, prompt: need.prompt, caller: caller()) },
      { _ = try await vault.unlock(["me"], seconds: 5, prompt: need.prompt, caller: caller()) },
      { _ = try await vault.testPresence(prompt: need.prompt, caller: caller()) },
      { _ = try await vault.enroll("left-index", prompt: need.prompt, caller: caller()) { _ in } },
      { _ = try await vault.token("me", prompt: "00", caller: caller()) },
    ]
    for (number, attempt) in attempts.enumerated() {
      #expect(isRefused(await failure(attempt)), "attempt \(number)")
    }
    #expect(bench.exchange.refreshes.isEmpty)
    #expect(try await vault.facts().unlockedFor == nil)
    #expect(try await vault.row("me").protection == 1)
    // The proof is still good for its own purpose.
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token("me", prompt: need.prompt).accessToken == "at-2")
  }

  @Test
  func whatAModuleSaysIsTold() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.check.plan([.says("Touch the device."), .ask(text: "Password:", hidden: true)])
    let need = try await need { _ = try await vault.token() }
    let told = Box<CheckNotice>()
    _ = try await vault.check(need.prompt, by: .password, caller: caller()) { told.put($0) }
    #expect(told.value == .says("Touch the device."))
  }

  @Test
  func theAnswerOfAnotherConnectionIsNotGivenToThePassword() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    bench.check.plan([.ask(text: "Password:", hidden: true)])
    let need = try await need { _ = try await vault.token() }
    let step = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    #expect(step == .ask(text: "Password:", hidden: true))
    let conversation = await bench.check.conversation(begun + 1)
    #expect(
      isRefused(
        await failure {
          _ = try await vault.respond(need.prompt, text: shared("x"), caller: caller(2))
        }
      )
    )
    // Nor does it end the check.
    #expect(
      isRefused(
        await failure {
          _ = try await vault.check(need.prompt, by: .password, caller: caller(2)) { _ in }
        }
      )
    )
    await vault.cancel(need.prompt, caller: caller(2))
    await vault.disconnect(2)
    #expect(conversation.given.isEmpty && !conversation.isCancelled)
    conversation.tell(.matched)
    #expect(
      try await vault.respond(need.prompt, text: shared("hunter2"), caller: caller()) == .passed
    )
    #expect(conversation.given == ["hunter2"])
  }

  @Test
  func anInterruptionWhileTheReaderIsBeingOpenedIsNotLost() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let need = try await need { _ = try await vault.token() }
    bench.check.holdStarts()
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    await bench.check.untilHeld()
    check.cancel()
    bench.check.release()
    guard case .presenceFailed(.cancelled, methods: [.password])? = await check.value else {
      Issue.record("not cancelled")
      return
    }
    #expect(bench.check.conversations.last?.isCancelled == true)
  }

  @Test
  func whoLeavesWhileTheReaderIsBeingOpenedGetsNothing() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let need = try await need { _ = try await vault.token() }
    bench.check.holdStarts()
    let check = Task {
      await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
      }
    }
    await bench.check.untilHeld()
    await vault.disconnect(1)
    bench.check.release()
    #expect(isRefused(await check.value))
    #expect(bench.check.conversations.last?.isCancelled == true)
    // The prompt is closed by then, and the record still names the account and the purpose.
    let records = try await vault.auditPage(after: 0, since: nil, account: "me")
    let record = records.last { $0.event == "presence-check" }
    #expect(record?.outcome == "failed" && record?.detail?.hasPrefix("refresh: ") == true)
  }

  @Test
  func anotherQuestionIsBusy() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let first = try await need { _ = try await vault.token() }
    async let check = vault.check(first.prompt, by: .fingerprint, caller: caller()) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let second = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller(2))
    }
    guard
      case .busy? = await failure({
        _ = try await vault.check(second.prompt, by: .password, caller: caller(2)) { _ in }
      })
    else {
      Issue.record("not busy")
      return
    }
    reader.tell(.matched)
    _ = try await check
    // The touch was for the first prompt. The second gets nothing from it.
    #expect(
      isRefused(
        await failure {
          _ = try await vault.setProtection(
            false,
            account: "me",
            prompt: second.prompt,
            caller: caller(2)
          )
        }
      )
    )
  }

  @Test
  func anUnusedPromptIsSweptWithItsCheck() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    bench.check.plan([.ask(text: "Password:", hidden: true)])
    let need = try await need { _ = try await vault.token() }
    _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    let conversation = await bench.check.conversation(begun + 1)
    await bench.clock.untilAsleep(milliseconds: 5000)
    bench.clock.advance(60)
    while !conversation.isCancelled { await Task.yield() }
    #expect(await vault.holdsNothing)
  }

  @Test
  func aTokenThatNeedsNoProofEndsTheCheckThatWasBegun() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    bench.check.plan([.ask(text: "Password:", hidden: true)])
    let need = try await need { _ = try await vault.token() }
    _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    try await bench.signIn(vault, refresh: "rt-9", access: "at-9")
    #expect(try await vault.token(prompt: need.prompt).accessToken == "at-9")
    #expect(bench.check.conversations[begun].isCancelled)
    #expect(await vault.holdsNothing)
  }

  @Test
  func promptsOfAConnectionAreCounted() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for _ in 0..<PromptBook.mostPerConnection {
      _ = try await need { _ = try await vault.token() }
    }
    guard case .busy? = await failure({ _ = try await vault.token() }) else {
      Issue.record("one more")
      return
    }
    await vault.disconnect(1)
    _ = try await need { _ = try await vault.token() }
  }

  @Test
  func aWrongPasswordCostsTimeOnEveryConnection() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let begun = bench.check.conversations.count
    let first = try await need { _ = try await vault.token(caller: caller(1)) }
    let second = try await need { _ = try await vault.token(caller: caller(2)) }
    bench.check.plan([.failed(.noMatch)])
    let wrong = Task {
      await failure {
        _ = try await vault.check(first.prompt, by: .password, caller: caller(1)) { _ in }
      }
    }
    await bench.clock.untilAsleep(milliseconds: 2000)
    bench.check.plan([.matched])
    let right = Task {
      try await vault.check(second.prompt, by: .password, caller: caller(2)) { _ in }
    }
    await bench.clock.untilAsleep(milliseconds: 2000, count: 2)
    #expect(bench.check.conversations.count == begun + 1)
    bench.clock.advance(2)
    guard case .presenceFailed(.noMatch, methods: [.fingerprint, .password])? = await wrong.value
    else {
      Issue.record("not told")
      return
    }
    #expect(try await right.value == .passed)
  }
}

extension Vault {
  /// Whether the vault keeps nothing for any caller.
  var holdsNothing: Bool {
    prompts.isEmpty && prompting.checks.isEmpty && refreshes.isEmpty
      && prompting.waiters.joined.values.allSatisfy(\.isEmpty)
      && prompting.waiters.forProof.isEmpty
  }

  /// Takes the lock of an account's slot, as an exchange helper would, until the box is emptied.
  func heldSlot() throws -> Box<Orphan> {
    let slot = try SlotFile(in: directory, account: try row().id)
    guard try slot.lock() else { throw PresenceFailure.busy("the slot") }
    let box = Box<Orphan>()
    box.put(try Orphan(slot.descriptor, []))
    return box
  }
}
