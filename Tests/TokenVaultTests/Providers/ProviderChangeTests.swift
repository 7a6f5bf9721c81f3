import Configuration
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Another provider for an account that is signed in.
@Suite(.timeLimit(.minutes(10)))
struct ProviderChangeTests {
  private let later = ["issuer": "https://later.example.com"]

  private func apply(
    _ vault: Vault,
    _ settings: [String: String],
    name: String = "dev",
    prompt: String? = nil
  ) async throws -> AccountFacts {
    try await vault.applyProvider(
      try provider(settings, name: name),
      account: "me",
      prompt: prompt,
      caller: caller()
    )
  }

  /// The whole change, with the password.
  @discardableResult
  private func change(
    _ bench: Bench,
    _ vault: Vault,
    _ settings: [String: String]
  ) async throws -> PresenceNeed {
    let need = try await need { _ = try await apply(vault, settings) }
    try await bench.pass(need, vault, caller())
    #expect(try await apply(vault, settings, prompt: need.prompt).provider == "dev")
    return need
  }

  @Test(arguments: [true, false])
  func theTokenGoesToTheNewProviderAndNothingOfTheOldOneIsHandedOut(
    _ isProtected: Bool
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.enroll(vault)
    if isProtected { try await bench.protect(vault) }
    try await bench.unlock(vault)
    let old = try #require(try await vault.row().sealedRefreshToken)
    let sent = bench.exchange.requests.count
    let need = try await change(bench, vault, later)
    #expect(need.purpose == .applyProvider && need.methods == [.password])
    #expect(need.detail == "issuer https://id.example.com → https://later.example.com")
    #expect(bench.exchange.requests.count == sent)
    #expect(try await vault.cachedToken() == nil)
    #expect(try bench.filesHolding([old]) == [])
    let bound = try await vault.boundProvider(account: nil)
    #expect(bound.account == "me" && bound.provider.issuer.text == "https://later.example.com")
    let record = try #require(try await vault.auditPage(after: 0, since: nil, account: "me").last)
    #expect(record.event == "provider-applied" && record.method == "password")
    #expect(record.detail == need.detail)
    // The generation changes, so restoring the old box together with the old provider is detected.
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.boxChanges() == vault.counterValue)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.requests.last?.url == "https://later.example.com/auth/refresh")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-1"}"#])
  }

  @Test
  func whatIsTheSameIsNotAskedFor() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    _ = try await apply(vault, [:])
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await !vault.events().contains("provider-applied done"))
  }

  @Test
  func theProofOfOneChangeIsGoodForNoOther() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let pin = { (letter: Character) in "sha256//" + String(repeating: letter, count: 43) + "=" }
    let need = try await need { _ = try await apply(vault, ["pins": pin("A")]) }
    #expect(need.detail == "issuer https://id.example.com; pins (none) → \(pin("A"))")
    try await bench.pass(need, vault, caller())
    guard
      case .presenceFailed? = await failure({
        _ = try await apply(vault, ["pins": pin("E")], prompt: need.prompt)
      })
    else {
      Issue.record("applied")
      return
    }
    #expect(try await vault.boundProvider(account: "me").provider.pins == [])
    #expect(try await apply(vault, ["pins": pin("A")], prompt: need.prompt).name == "me")
  }

  @Test
  func aLoginDuringTheCheckMakesTheProofWorthless() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let need = try await need { _ = try await apply(vault, later) }
    try await bench.pass(need, vault, caller())
    try await bench.signIn(vault, settings: ["issuer": "https://third.example.com"])
    guard
      case .presenceFailed? = await failure({
        _ = try await apply(vault, later, prompt: need.prompt)
      })
    else {
      Issue.record("applied")
      return
    }
    #expect(
      try await vault.boundProvider(account: "me").provider.issuer.text
        == "https://third.example.com"
    )
  }

  @Test
  func whileAnAnswerIsLostTheProviderStays() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token() }
    guard
      case .providerUnavailable(let why, retryAfter: 2, _)? = await failure({
        _ = try await apply(vault, later)
      })
    else {
      Issue.record("applied")
      return
    }
    #expect(why.contains("refresh it first"))
    bench.clock.advance(2)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    try await change(bench, vault, later)
  }

  @Test
  func anotherKindAndAnAccountThatIsSignedOutAreRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let other = try oauthProvider()
    guard
      case .refused? = await failure({
        _ = try await vault.applyProvider(other, account: "me", prompt: nil, caller: caller())
      })
    else {
      Issue.record("applied")
      return
    }
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    guard case .loginRequired? = await failure({ _ = try await apply(vault, later) }) else {
      Issue.record("applied")
      return
    }
  }

  @Test
  func theGateItselfDemandsAProofOfThePassword() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    guard case .presenceFailed? = await failure({ try await vault.openToApply() }) else {
      Issue.record("opened")
      return
    }
  }

  @Test
  func theRowOfBeforePutBackIsSeen() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    var old: AccountRow?
    if let vault {
      try await bench.signIn(vault)
      old = try await vault.row()
      try await change(bench, vault, later)
    }
    vault = nil
    let row = try #require(old)
    try await bench.withStore { store in try store.transaction { try store.update(row) } }
    #expect(try await bench.open().freshness == .boxesChanged)
  }
}

extension Vault {
  fileprivate func openToApply() throws {
    _ = try openRefreshToken(
      of: try row(),
      authority: Authority(),
      use: Use(purpose: .applyProvider, caller: caller())
    )
  }
}
