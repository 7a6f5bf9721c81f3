import Configuration
import Cryptography
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Presence protection, the unlock window, and a store that was edited.
@Suite(.timeLimit(.minutes(10)))
struct ProtectionTests {
  func box(_ vault: Vault, _ name: String = "me") async throws -> SealedBox {
    try SealedBox(parsing: try #require(try await vault.row(name).sealedRefreshToken))
  }

  @Test
  func turningItOnAndOffSealsTheTokenAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await box(vault)
    #expect(before.context.protection == .none)
    #expect(try await bench.protect(vault).isProtected)
    let on = try await box(vault)
    #expect(on.context.protection == .presence)
    #expect(on.context.generation == before.context.generation)
    #expect(on.bytes.suffix(20) != before.bytes.suffix(20))
    // Nothing of the old box is left in the database or its log.
    let left = try bench.scratch.files().filter { $0.key.hasPrefix("vault.db") }
    #expect(!left.values.contains { holds($0, Array(before.bytes.suffix(32))) })
    #expect(left.values.contains { holds($0, Array(on.bytes.suffix(32))) })
    #expect(try await !bench.protect(vault, on: false).isProtected)
    #expect(try await box(vault).context.protection == .none)
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
  }

  @Test
  func anUnchangedSettingOpensNoPrompt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let off = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    #expect(!off.isProtected)
    try await bench.protect(vault)
    let on = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    #expect(on.isProtected)
  }

  /// A sign-in that is under way when protection is turned on may be another person's.
  @Test(arguments: [false, true])
  func aCheckForOneOwnerDoesNotProtectTheAccountOfAnother(_ waits: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let requests = bench.exchange.requests.count
    bench.exchange.hold()
    let login = Task {
      _ = try await vault.signIn(
        account: "me",
        provider: try provider(),
        email: "eve@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller(2)
      )
    }
    await bench.exchange.untilRequested(requests + 1)
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    }
    #expect(need.detail?.hasPrefix("of me@example.org at dev, ") == true)
    try await bench.pass(need, vault, caller())
    let enabling = Task {
      if !waits { try? await login.value }
      return await failure {
        _ = try await vault.setProtection(
          true,
          account: "me",
          prompt: need.prompt,
          caller: caller()
        )
      }
    }
    if waits { await vault.barrier() }
    // The second answer is for the revocation of the replaced token.
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"{"access_token":"at-eve","refresh_token":"rt-eve","user":{"id":"eve"}}"#
      ),
      .answer(status: 204, body: "")
    )
    try await login.value
    let refusal = await enabling.value
    guard case .presenceFailed(let found, _)? = refusal, found.outcome == .denied else {
      Issue.record("not refused: \(String(describing: refusal))")
      return
    }
    #expect(try await !vault.stateOfMe().isProtected)
  }

  @Test
  func theRequestIsTheSameBytesWithAndWithoutProtection() async throws {
    var requests: [ScriptedExchange.Request] = []
    for isProtected in [false, true] {
      let bench = try Bench()
      let vault = try await bench.open()
      try await bench.signIn(vault)
      if isProtected { try await bench.protect(vault) }
      bench.clock.advance(3600)
      var prompt: String?
      if isProtected {
        let need = try await need { _ = try await vault.token() }
        try await bench.pass(need, vault, caller())
        prompt = need.prompt
      }
      bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
      _ = try await vault.token(prompt: prompt)
      requests.append(try #require(bench.exchange.requests.last))
    }
    #expect(requests[0] == requests[1])
    #expect(requests[0].body == #"{"refresh_token":"rt-1"}"#)
  }

  @Test
  func aValidTokenIsHandedOutWithoutACheck() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    #expect(try await vault.token().accessToken == "at-1")
  }

  @Test
  func theUnlockWindowStandsInForACheckUntilItCloses() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    #expect(try await bench.unlock(vault, ["me"], seconds: 60).unlockedFor == 60)
    #expect(await vault.isHoldingWindow)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 20))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.facts().unlockedAccounts == ["me"])
    bench.clock.advance(60)
    #expect(try await vault.facts().unlockedFor == nil)
    _ = try await need { _ = try await vault.token() }
    try await bench.unlock(vault)
    #expect(try await vault.lock(caller: caller()))
    #expect(try await !vault.lock(caller: caller()))
    _ = try await need { _ = try await vault.token() }
  }

  @Test
  func aWindowForOneAccountIsNoneForAnother() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for name in ["one", "two"] {
      try await bench.signIn(vault, name)
      try await bench.protect(vault, name)
    }
    bench.clock.advance(3600)
    try await bench.unlock(vault, ["one"])
    let need = try await need { _ = try await vault.token("two") }
    #expect(need.account == "two")
    // Nor does it turn protection off or enroll a finger.
    _ = try await TokenVaultTests.need {
      _ = try await vault.setProtection(false, account: "one", prompt: nil, caller: caller())
    }
    _ = try await TokenVaultTests.need {
      _ = try await vault.enroll(nil, prompt: nil, caller: caller()) { _ in }
    }
  }

  @Test
  func anotherUnlockIsAnotherQuestion() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, "one")
    try await bench.signIn(vault, "two")
    let begun = bench.check.conversations.count
    let leader = try await need {
      _ = try await vault.unlock(["one"], seconds: nil, prompt: nil, caller: caller(1))
    }
    let joiner = try await need {
      _ = try await vault.unlock([], seconds: nil, prompt: nil, caller: caller(2))
    }
    async let first = vault.check(leader.prompt, by: .password, caller: caller(1)) { _ in }
    let check = await bench.check.conversation(begun + 1)
    // The person was asked about one account, and the answer counts only for that.
    guard
      case .busy? = await failure({
        _ = try await vault.check(joiner.prompt, by: .password, caller: caller(2)) { _ in }
      })
    else {
      Issue.record("a wider window was opened by a check for a narrower one")
      return
    }
    check.tell(.matched)
    _ = try await first
    let spent = await failure {
      _ = try await vault.unlock([], seconds: nil, prompt: leader.prompt, caller: caller(1))
    }
    guard case .presenceFailed? = spent else {
      Issue.record("a check for a narrower window was spent on a wider one")
      return
    }
    _ = try await vault.unlock(["one"], seconds: nil, prompt: leader.prompt, caller: caller(1))
    #expect(try await vault.facts().unlockedAccounts == ["one"])
  }

  @Test
  func anUnlockOfManyAccountsIsShownWholeAndWrittenDownOrRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    var names: [String] = []
    for number in 0..<40 {
      let name = "account-\(number)-" + String(repeating: "x", count: 50)
      names.append(name)
      try await bench.signIn(vault, name)
    }
    #expect(try await bench.unlock(vault, Array(names.prefix(30))).unlockedAccounts.count == 30)
    let detail = try #require(
      try await vault.auditPage(after: 0, since: nil, account: nil).last { $0.event == "unlock" }?
        .detail
    )
    #expect(detail.contains(names[29]))
    let refused = await failure {
      _ = try await vault.unlock(names, seconds: nil, prompt: nil, caller: caller())
    }
    guard case .invalidArgument? = refused else {
      Issue.record(
        "a question that cannot be shown whole was asked: \(String(describing: refused))"
      )
      return
    }
  }

  @Test
  func theGateItselfDemandsAProofForThisUse() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(
      await failure { try await vault.tryTheGate(Use(purpose: .refresh, caller: caller())) } == nil
    )
    try await bench.protect(vault)
    #expect(
      await failure { try await vault.tryTheGate(Use(purpose: .refresh, caller: caller())) } != nil
    )
    try await bench.unlock(vault)
    let uses: [(Use, Bool)] = [
      (Use(purpose: .refresh, caller: caller(1)), true),
      (Use(purpose: .disable, caller: caller(1)), false),
      (Use(purpose: .refresh, caller: caller(2)), false),
    ]
    for (use, opens) in uses {
      let failure = await failure { try await vault.tryTheGate(use, withWindowOf: caller(1)) }
      #expect((failure == nil) == opens)
    }
  }
}

extension Vault {
  func put(_ row: AccountRow) throws {
    try store.transaction { try store.update(row) }
  }

  /// Opens the token of `me` at the gate, without a proof or with a proof of the open window.
  fileprivate func tryTheGate(_ use: Use, withWindowOf holder: Caller? = nil) throws {
    let row = try row()
    var authority = Authority()
    if let holder {
      let proof = proofOfWindow(at: "", for: row.id, holder, extending: false)
      if let proof { authority = Authority(proof) }
    }
    _ = try openRefreshToken(of: row, authority: authority, use: use)
    // A proof is good only once.
    if holder != nil {
      #expect(throws: VaultFailure.self) {
        _ = try openRefreshToken(of: row, authority: authority, use: use)
      }
    }
  }
}
