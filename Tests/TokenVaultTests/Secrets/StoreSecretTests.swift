import Configuration
import JSON
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Refusals of StoreSecret, and its questions to the person.
@Suite(.timeLimit(.minutes(10)))
struct StoreSecretTests {
  @Test
  func aProtectedSecretOpensAfterACheckOnly() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let facts = try await vault.put("ghp_1", isProtected: true)
    #expect(facts.isProtected && facts.state == .locked)
    let need = try await need { _ = try await vault.token() }
    #expect(need.purpose == .refresh && need.account == "me")
    try await bench.pass(need, vault, caller())
    #expect(try await vault.token(prompt: need.prompt).accessToken == "ghp_1")
    _ = try await TokenVaultTests.need { _ = try await vault.token() }
    try await bench.unlock(vault)
    #expect(try await vault.token().accessToken == "ghp_1")
  }

  /// Not even while the window is open, nor while the account is signed out.
  @Test(arguments: [false, true])
  func aProtectedSecretIsReplacedAfterACheckOfItsOwn(_ signedOut: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1", isProtected: true)
    try await bench.unlock(vault)
    if signedOut { _ = try await vault.signOut(account: "me", local: true, caller: caller()) }
    let new = StaticSecret(secret: shared(""), username: "eve")
    let asked = try await need { try await vault.put("ghp_2", new) }
    #expect(asked.purpose == .replace && asked.detail?.contains("eve") == true)
    #expect(try await vault.row().generation == 1)
    try await bench.pass(asked, vault, caller())
    // The consent is to this secret only.
    let other = await failure { try await vault.put("ghp_3", new, prompt: asked.prompt) }
    guard case .presenceFailed? = other else {
      Issue.record("\(String(describing: other))")
      return
    }
    let again = try await need { try await vault.put("ghp_2", new) }
    try await bench.pass(again, vault, caller())
    let facts = try await vault.put("ghp_2", new, prompt: again.prompt)
    #expect(facts.isProtected && facts.subject == "eve")
    #expect(try await vault.token().accessToken == "ghp_2")
  }

  /// A change of the label brings the secret again, as the client knew it.
  @Test
  func aConsentUndoesNoNewerSecret() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1", isProtected: true)
    let label = StaticSecret(secret: shared(""), label: "Forge")
    let late = try await need { try await vault.put("ghp_1", label) }
    try await bench.pass(late, vault, caller())
    let newer = try await need { try await vault.put("ghp_2") }
    try await bench.pass(newer, vault, caller())
    try await vault.put("ghp_2", prompt: newer.prompt)
    let undone = await failure { try await vault.put("ghp_1", label, prompt: late.prompt) }
    guard case .presenceFailed? = undone else {
      Issue.record("\(String(describing: undone))")
      return
    }
    try await bench.unlock(vault)
    #expect(try await vault.token().accessToken == "ghp_2")
  }

  @Test
  func protectionComesWithASecretAndDoesNotGoWithOne() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    #expect(try await !vault.put("ghp_1", isProtected: false).isProtected)
    #expect(try await vault.put("ghp_2", isProtected: true).isProtected)
    guard case .invalidArgument? = await failure({ try await vault.put("x", isProtected: false) })
    else {
      Issue.record("protection went")
      return
    }
  }

  @Test
  func anAccountThatSignsInKeepsItsLogin() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await vault.row()
    guard case .invalidArgument? = await failure({ try await vault.put("ghp_1") }) else {
      Issue.record("replaced a login")
      return
    }
    let elsewhere = try provider()
    let wrongKind = await failure {
      _ = try await vault.storeSecret(
        StaticSecret(secret: shared("x")),
        account: "new",
        provider: elsewhere,
        caller: caller()
      )
    }
    guard case .invalidArgument? = wrongKind else {
      Issue.record("stored at a provider with a login")
      return
    }
    #expect(try await vault.row() == before)
  }

  @Test
  func hostileInputMakesNoAccount() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let now = bench.clock.wall.seconds
    var deep = JSONValue.object(JSONObject())
    for _ in 0..<40 { deep = .array([deep]) }
    let long = String(repeating: "x", count: 4096)
    func with(_ change: (inout Parts) -> Void) -> StaticSecret {
      var parts = Parts()
      change(&parts)
      return StaticSecret(
        secret: shared(parts.secret),
        username: parts.username,
        label: parts.label,
        expiresAt: parts.end,
        claims: parts.claims
      )
    }
    let bad: [StaticSecret] = [
      with { $0.secret = "" }, with { $0.secret = String(repeating: "x", count: 32 * 1024 + 1) },
      with { $0.secret = String(repeating: "\u{1}", count: 32 * 1024) },
      with { $0.secret = "a\0b" }, with { $0.secret = "a\u{1B}[2J" }, with { $0.secret = "\u{7F}" },
      with { $0.secret = "a\u{85}b" }, with { $0.secret = "a\u{80}" },
      with { $0.username = "" }, with { $0.username = "a\nb" }, with { $0.username = long },
      with { $0.label = "a\u{1B}[2J" }, with { $0.label = "a\u{2028}b" },
      with { $0.end = now }, with { $0.end = -1 }, with { $0.end = .max },
      with { $0.claims = JSONObject([("a", .string(long))]) },
      with { $0.claims = JSONObject([("a", deep)]) },
    ]
    for secret in bad {
      let failure = await failure {
        _ = try await vault.storeSecret(
          secret,
          account: "me",
          provider: try staticHost(),
          caller: caller()
        )
      }
      guard case .invalidArgument? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  private struct Parts {
    var secret = "x"
    var username: String?
    var label: String?
    var end: Int64?
    var claims: JSONObject?
  }

  @Test(arguments: ["a\tb\r\nc\n", "\u{A0}ä\u{2028}", "Ā\u{C5}\u{10000}"])
  func textOfSeveralLinesComesOutAgain(_ secret: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put(secret)
    #expect(try await vault.token().accessToken.utf8.elementsEqual(secret.utf8))
  }

  @Test
  func theLargestSecretComesOutAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let secret = String(repeating: "ä\"", count: 32 * 1024 / 3)
    try await vault.put(secret)
    #expect(try await vault.token().accessToken == secret)
  }
}
