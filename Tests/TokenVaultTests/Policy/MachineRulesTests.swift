import AuditLog
import Configuration
import Presence
import Storage
import Synchronization
import Testing

@testable import TokenVault

@Suite(.timeLimit(.minutes(10)))
struct MachineRulesTests {
  private let bench: Bench
  private let administrator = Administrator()

  init() throws { bench = try Bench() }

  private func open() async throws -> Vault { try await bench.open(rules: administrator) }

  /// The text of a refusal by policy.
  private func refusal(_ body: () async throws -> Void) async -> String {
    guard case .refused(let words)? = await failure(body) else { return "" }
    return words
  }

  /// The text with which a new account is refused, before the provider is asked.
  private func refusedLogin(_ vault: Vault, _ name: String) async -> String {
    await refusal {
      _ = try await vault.signIn(
        account: name,
        provider: try provider(),
        email: "\(name)@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
  }

  // MARK: - Accounts

  @Test
  func oneAccountTooManyIsRefusedBeforeAnythingIsSentOrChanged() async throws {
    administrator.write("[Policy]\naccounts = 2\n")
    let vault = try await open()
    try await bench.signIn(vault, "a", refresh: "rt-a")
    try await bench.signIn(vault, "b", refresh: "rt-b")
    let (sent, files) = (bench.exchange.requests.count, try bench.scratch.files().keys.sorted())
    let events = try await vault.events()
    let words = await refusedLogin(vault, "c")
    #expect(
      words == "the limit on accounts is reached: 2 (accounts in \(Policy.file))"
    )
    let registration = await refusal {
      _ = try await vault.signIn(
        account: "d",
        provider: try provider(),
        email: "d@example.org",
        password: shared("hunter2"),
        registering: true,
        displayName: nil,
        caller: caller()
      )
    }
    #expect(registration == words)
    let browser = await refusal {
      _ = try await vault.beginLogin(
        account: "e",
        provider: try oauthProvider(["authorization_endpoint": "https://id.example.com/auth"]),
        flow: .browser(redirect: "http://127.0.0.1:1/callback"),
        caller: caller()
      )
    }
    #expect(browser == words)
    #expect(bench.exchange.requests.count == sent)
    #expect(try bench.scratch.files().keys.sorted() == files)
    #expect(try await vault.events() == events)
    // Existing accounts can sign in again without limit, and a removed account makes room.
    try await bench.signIn(vault, "a", refresh: "rt-a2")
    _ = try await vault.remove(account: "b", local: true, caller: caller())
    try await bench.signIn(vault, "c")
  }

  // MARK: - The store

  /// Fills the store with records up to this many MiB.
  private func fill(_ vault: Vault, _ mebibytes: Int64) async throws {
    let detail = String(repeating: "d", count: 1900)
    while try await vault.storeSize() < mebibytes << 20 {
      try await vault.write(256, detail: detail)
    }
  }

  @Test
  func aFullStoreTakesNothingNewAndLosesNothing() async throws {
    administrator.write("[Policy]\nstore = 1\n")
    let vault = try await open()
    try await bench.signInOAuth(vault)
    bench.exchange.plan(oauthTokens("at-read", refresh: nil, scope: "read"))
    _ = try await vault.token(scope: "read")
    try await fill(vault, 1)
    let sent = bench.exchange.requests.count
    let account = await refusedLogin(vault, "other")
    #expect(account.hasPrefix("the store has grown to 1 MiB (store in /etc/thumblatch/thumblatch"))
    #expect(await refusal { _ = try await vault.token(scope: "write") } == account)
    let finger = await refusal {
      _ = try await vault.enroll("left-thumb", prompt: nil, caller: caller()) { _ in }
    }
    #expect(finger == account)
    #expect(bench.exchange.requests.count == sent)
    // Existing tokens of each set are refreshed, and the provider's answers are stored.
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    bench.exchange.plan(oauthTokens("at-read-2", refresh: "rt-3", scope: "read"))
    #expect(try await vault.token(scope: "read").accessToken == "at-read-2")
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-3", refresh: "rt-4"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.forms.last?["refresh_token"] == "rt-3")
    // An existing account can also sign in.
    try await bench.signInOAuth(vault)
  }

  @Test
  func theAuditLogTakesHalfOfTheStoreAtMostAndStaysIntact() async throws {
    administrator.write("[Policy]\nstore = 1\n")
    let vault = try await open()
    try await fill(vault, 1)
    #expect(await refusedLogin(vault, "me") != "")
    try await vault.pruneAuditLog()
    #expect(try await vault.storeSize() < 1 << 20)
    let facts = try await vault.verifyAuditLog()
    #expect(facts.isWhole)
    #expect(facts.first > 1 && facts.records > 100)
    try await bench.signIn(vault)
  }

  @Test
  func ordinaryRecordsOfAYearFitInTheAuditLog() async throws {
    let vault = try await open()
    // As a refresh of a tool that is used all day writes them.
    let count: Int64 = 4000
    let before = try await vault.storeSize()
    try await vault.write(Int(count), detail: "scope openid profile email")
    let each = (try await vault.storeSize() - before) / count
    #expect(each * 100_000 < 32 << 20)
    try await vault.pruneAuditLog()
    #expect(try await vault.verifyAuditLog().first == 1)
  }

  @Test
  func aVaultOfOnesOwnHasNoSuchLimit() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    try await vault.write(1, detail: "one")
    try await vault.demandRoom()
    #expect(await vault.setting(.store) == "")
    #expect(bench.exchange.terms.map(\.mayReachThisMachine) == [true])
  }

  // MARK: - The window

  @Test
  func theWindowIsAsLongAsThePolicySays() async throws {
    administrator.write("[Policy]\nwindow = 2\nwindow-limit = 1\n")
    let vault = try await open()
    #expect(try await bench.unlock(vault).unlockedFor == 120)
    #expect(try await bench.unlock(vault, seconds: 3600).unlockedFor == 3600)
    let words = await refusal {
      _ = try await vault.unlock([], seconds: 3601, prompt: nil, caller: caller())
    }
    #expect(
      words == "an unlock window is at most 1 h long (window-limit in \(Policy.file))"
    )
  }

  @Test
  func aWindowThatSlidesEndsAtThePolicysLimit() async throws {
    administrator.write("[Policy]\nwindow = 60\nwindow-limit = 1\n")
    let vault = try await open()
    try await bench.signIn(vault, lifetime: 60)
    try await bench.protect(vault)
    try await bench.unlock(vault)
    bench.clock.advance(50 * 60)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 60))
    #expect(try await vault.token().accessToken == "at-2")
    bench.clock.advance(9 * 60)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3", lifetime: 60))
    #expect(try await vault.token().accessToken == "at-3")
    bench.clock.advance(60)
    _ = try await need { _ = try await vault.token() }
  }

  // MARK: - A broken file

  @Test
  func whatABrokenFileDecidesAboutIsNotDoneAndTheRestGoesOn() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    administrator.write("[Policy]\nwindow = 2\nwindwo-limit = 1\n")
    let words = "/etc/thumblatch/thumblatch.conf:3: windwo-limit: unknown key"
    func says(_ body: () async throws -> Void) async -> Bool {
      guard case .misconfigured(let told)? = await failure(body) else { return false }
      return told.hasPrefix(words)
    }
    let login = await says { _ = try await bench.signIn(vault, "other") }
    let unlock = await says { _ = try await bench.unlock(vault) }
    let prompt = await says {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    }
    #expect(login && unlock && prompt)
    // Calls to which no rule applies work as usual.
    #expect(try await vault.token().accessToken == "at-1")
    administrator.write("[Policy]\nwindow = 2\n")
    #expect(try await bench.unlock(vault).unlockedFor == 120)
  }

  // MARK: - This machine

  @Test
  func onlyForAProviderOfTheMachineMayARequestLeadHere() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    #expect(bench.exchange.terms.map(\.mayReachThisMachine) == [false])
    administrator.add(try provider())
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    #expect(bench.exchange.terms.last?.mayReachThisMachine == true)
    // The file is looked up each time, by its contents.
    administrator.removeProviders()
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    _ = try await vault.token()
    #expect(bench.exchange.terms.last?.mayReachThisMachine == false)
  }

  @Test
  func aRefusalOfTheExchangeHelperNamesTheRemedyAndKeepsTheTokens() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.notStarted("local"))
    let words = await refusal { _ = try await vault.token() }
    #expect(words.contains("id.example.com") && words.contains("/etc/thumblatch/providers.d"))
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.refreshes.count == 2)
  }

  @Test
  func aRefusedLoginLeavesNoAccount() async throws {
    let vault = try await open()
    bench.exchange.plan(.notStarted("local"))
    let words = await refusal {
      _ = try await vault.signIn(
        account: "me",
        provider: try provider(),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    #expect(words.contains("/etc/thumblatch/providers.d"))
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }
}

extension Vault {
  /// How many bytes are in use.
  fileprivate func storeSize() throws -> Int64 { try store.size() }

  /// Writes this many records.
  fileprivate func write(_ count: Int, detail: String) throws {
    try change {
      for _ in 0..<count {
        var entry = AuditEntry(event: .refresh, outcome: .done)
        entry.requester = "docker-credential-thumblatch, PID 12345"
        entry.account = ([UInt8](repeating: 7, count: 16), "someone@example.org")
        entry.detail = detail
        try record(entry)
      }
    }
  }
}
