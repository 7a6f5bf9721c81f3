import Configuration
import Cryptography
import Presence
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// The rules `presence`, `providers` and `exportable`, of the machine and of the user.
@Suite(.timeLimit(.minutes(10)))
struct AccountRulesTests {
  private let bench: Bench
  private let administrator = Administrator()

  init() throws { bench = try Bench() }

  private func open() async throws -> Vault { try await bench.open(rules: administrator) }

  private func refusal(_ body: () async throws -> Void) async -> String {
    guard case .refused(let words)? = await failure(body) else { return "" }
    return words
  }

  private func protection(_ vault: Vault) async throws -> ProtectionClass {
    try SealedBox(parsing: try #require(try await vault.row().sealedRefreshToken)).context
      .protection
  }

  // MARK: - presence

  @Test
  func anAccountIsProtectedFromItsSignIn() async throws {
    administrator.write("[Policy]\npresence = required\n")
    let vault = try await open()
    #expect(try await bench.signIn(vault).isProtected)
    #expect(try await protection(vault) == .presence)
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(records.last?.detail?.contains("protection on") == true)
    // Its valid token needs no check, and its refresh does.
    #expect(try await vault.token().accessToken == "at-1")
    bench.clock.advance(7200)
    let need = try await need { _ = try await vault.token() }
    #expect(need.purpose == .refresh)
    #expect(bench.exchange.refreshes == [])
  }

  @Test
  func aStaticSecretIsProtectedFromTheStart() async throws {
    administrator.write("[Policy]\npresence = required\n")
    let vault = try await open()
    let words = await refusal { try await vault.put("ghp_1", isProtected: false) }
    #expect(words == "me must have presence protection (presence in \(Policy.file))")
    #expect(try await vault.put("ghp_1").isProtected)
    _ = try await need { _ = try await vault.token() }
  }

  @Test
  func protectionCannotBeEndedWhileTheRuleHolds() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    administrator.write("[Policy]\npresence = required\n")
    let words = await refusal {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    }
    #expect(words == "me must have presence protection (presence in \(Policy.file))")
    #expect(try await protection(vault) == .presence)
    administrator.write("")
    #expect(try await !bench.protect(vault, on: false).isProtected)
  }

  @Test
  func aPassedCheckDoesNotEndProtectionUnderARuleOfTheMeantime() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    let need = try await need {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    administrator.write("[Policy]\npresence = required\n")
    let words = await refusal {
      _ = try await vault.setProtection(false, account: "me", prompt: need.prompt, caller: caller())
    }
    #expect(words.contains("must have presence protection"))
    #expect(try await protection(vault) == .presence)
  }

  @Test
  func anUnprotectedAccountIsNotRefreshedUntilItIsProtected() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.write("[Policy]\npresence = required\n")
    // A valid token is handed out.
    #expect(try await vault.token().accessToken == "at-1")
    bench.clock.advance(7200)
    let words = await refusal { _ = try await vault.token() }
    let why =
      "has no presence protection, which each account must have (presence in"
      + " \(Policy.file)); enable it: thumblatch presence enable me"
    #expect(words == "me \(why)")
    #expect(try await vault.stateOfMe().cause == why)
    #expect(bench.exchange.refreshes == [])
    let found = await vault.examine().filter { $0.name == "accounts" }
    #expect(found.map(\.level) == [.warning])
    #expect(found.first?.remedy == "thumblatch presence enable me")
    try await bench.protect(vault)
    try await bench.unlock(vault)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.stateOfMe().cause == nil)
  }

  @Test
  func anUnprotectedAccountCanBeSignedOutAndIsEndedAtItsProvider() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.write("[Policy]\npresence = required\n")
    bench.exchange.plan(.answer(status: 204, body: ""))
    let end = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(end.revoked)
  }

  @Test
  func anotherSignInProtectsAnUnprotectedAccount() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.write("[Policy]\npresence = required\n")
    #expect(try await bench.signIn(vault, refresh: "rt-2", access: "at-2").isProtected)
    #expect(try await protection(vault) == .presence)
  }

  @Test
  func aUserMayRequireProtectionAndNotLoosenTheMachinesRule() async throws {
    let vault = try await open()
    try await bench.setRule(vault, "presence", "required")
    #expect(try await bench.signIn(vault).isProtected)
    let words = await refusal {
      _ = try await vault.setProtection(false, account: "me", prompt: nil, caller: caller())
    }
    #expect(words.contains("(presence, your own rule: thumblatch policy)"))
    administrator.write("[Policy]\npresence = required\nexportable = never\nproviders = dev\n")
    for (key, value) in [("presence", "optional"), ("exportable", "allowed"), ("providers", "any")]
    {
      let words = await refusal {
        _ = try await vault.setRule(key, to: value, prompt: nil, caller: caller())
      }
      #expect(words.contains("a user may only tighten it"), "\(key)")
    }
  }

  @Test
  func withoutAReadablePolicyNothingIsRefreshedAndASignInIsProtected() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.write("[Policy]\npresence = requird\n")
    bench.clock.advance(7200)
    guard case .misconfigured? = await failure({ _ = try await vault.token() }) else {
      Issue.record("refreshed")
      return
    }
    #expect(bench.exchange.refreshes == [])
  }

  // MARK: - exportable

  @Test
  func noRefreshTokenLeavesNotEvenOfAnExportableAccount() async throws {
    let vault = try await open()
    #expect(try await bench.signInExportable(vault).isExportable)
    let need = try await need {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    administrator.write("[Policy]\nexportable = never\n")
    let because = "no refresh token may leave the vault (exportable in \(Policy.file))"
    for prompt in [nil, need.prompt] {
      let words = await refusal {
        _ = try await vault.release(account: "me", keep: false, prompt: prompt, caller: caller())
      }
      #expect(words == because)
    }
    let login = await refusal {
      _ = try await vault.signIn(
        account: "other",
        provider: try provider(),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        exportable: true,
        caller: caller()
      )
    }
    #expect(login == because)
    // It is refreshed as before.
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  // MARK: - providers

  @Test
  func onlyTheMachinesProvidersOfTheseNamesMayBeSignedInTo() async throws {
    administrator.write("[Policy]\nproviders = corp dev\n")
    administrator.add(try provider())
    let vault = try await open()
    try await bench.signIn(vault)
    let requests = bench.exchange.requests.count
    // A file of the user with the same name, and the machine's under another name.
    let settings = "may be signed in to only with the settings of the machine's own file"
    for (other, why) in [
      (try provider(["issuer": "https://other.example.com"]), settings),
      (try provider(name: "mine"), "is not allowed; allowed: corp dev"),
      (try provider(["api_hosts": "evil.example.com"]), settings),
    ] {
      let words = await refusal {
        _ = try await vault.signIn(
          account: "other",
          provider: other,
          email: "me@example.org",
          password: shared("hunter2"),
          registering: false,
          displayName: nil,
          caller: caller()
        )
      }
      #expect(words.hasSuffix("\(why) (providers in \(Policy.file))"))
    }
    let secret = await refusal { try await vault.put("ghp_1") }
    #expect(secret.contains("is not allowed; allowed: "))
    #expect(bench.exchange.requests.count == requests)
  }

  @Test
  func anAccountOfBeforeIsRefreshedAndNotSignedInAgain() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.write("[Policy]\nproviders = corp\n")
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    let words = await refusal {
      _ = try await vault.signIn(
        account: "me",
        provider: nil,
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    #expect(words.contains("is not allowed; allowed: corp"))
    let found = await vault.examine().filter { $0.name == "accounts" }
    #expect(found.count == 1)
    #expect(found.first?.message.contains("no login is allowed any more") == true)
  }

  @Test
  func aUserGetsTheProvidersOfBothLists() async throws {
    administrator.write("[Policy]\nproviders = b a\n")
    let vault = try await open()
    try await bench.setRule(vault, "providers", "a")
    administrator.write("[Policy]\nproviders = c b\n")
    let rule = try #require(try await vault.policyFacts().rules.first { $0.key == .providers })
    #expect(rule.machine == "b c" && rule.own == "a" && rule.holds == "none")
  }

  // MARK: - What is shown

  @Test
  func doctorNamesTheStrictRulesWithTheirOrigin() async throws {
    administrator.write("[Policy]\npresence = required\nprivate = never\n")
    let vault = try await open()
    try await bench.setRule(vault, "exportable", "never")
    let found = await vault.examine().filter { $0.name == "policy" }.map(\.message)
    #expect(
      found.dropLast() == [
        "presence = required (presence in \(Policy.file))",
        "exportable = never (exportable, your own rule: thumblatch policy)",
        "private = never (private in \(Policy.file))",
      ]
    )
  }
}
