import Configuration
import Cryptography
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The client secret of a provider is sent with each request, and no file has it in plain text.
struct ClientSecretTests {
  private static let secret = "cs-5d20e7f1/with+and~9a41c6"

  private static func settings(_ how: String = "post") -> [String: String] {
    ["client_secret": secret, "client_authentication": how]
  }

  @Test(arguments: ["post", "basic"])
  func itIsSentAndStandsInNoFile(_ how: String) async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signInOAuth(vault, settings: Self.settings(how))
      #expect(try locations(of: Self.secret, in: bench.scratch.files()) == [])
      try await refresh(vault, bench, how)
    }
    vault = nil
    #expect(try locations(of: Self.secret, in: bench.scratch.files()) == [])
    // The next engine knows it, too.
    let next = try await bench.open()
    try await refresh(next, bench, how)
    #expect(try locations(of: Self.secret, in: bench.scratch.files()) == [])
    #expect(locations(of: Self.secret, in: ["x": Array(Self.secret.utf8)]) == ["x"])
  }

  /// A refresh that sends the secret.
  private func refresh(_ vault: Vault, _ bench: Bench, _ how: String) async throws {
    bench.clock.advance(7200)
    bench.exchange.plan(oauthTokens("at-new", refresh: "rt-new"))
    #expect(try await vault.token().accessToken == "at-new")
    let sent = try #require(bench.exchange.requests.last)
    #expect(!sent.headers.contains { $0.contains("Authorization") })
    if how == "post" {
      let escaped = Self.secret.replacing("/", with: "%2F").replacing("+", with: "%2B")
      #expect(parameter("client_secret", of: try #require(sent.body)) == escaped)
      #expect(sent.credentials == nil)
    } else {
      #expect(sent.body?.contains("client_secret") == false)
      let pair = "YXBwOmNzLTVkMjBlN2YxJTJGd2l0aCUyQmFuZH45YTQxYzY="
      #expect(sent.credentials == "Basic " + pair)
    }
  }

  @Test
  func anotherAccountsBoxDoesNotOpen() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signInOAuth(vault, settings: Self.settings())
      bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
      _ = try await vault.signIn(
        account: "other",
        provider: try oauthProvider(Self.settings()),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    vault = nil
    try await bench.forge { store throws in
      var rows = try store.accounts(owner: ThisProcess.user)
      let first = rows[0].sealedClientSecret
      #expect(first != nil && first != rows[1].sealedClientSecret)
      rows[0].sealedClientSecret = rows[1].sealedClientSecret
      try store.update(rows[0])
    }
    try await isRefused(bench)
  }

  @Test
  func itIsSentToNoPlaceThatWasEditedIntoTheRecord() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.signInOAuth(vault, settings: Self.settings()) }
    vault = nil
    let evil = try oauthProvider(
      Self.settings().merging(["token_endpoint": "https://evil.example.com/token"]) { $1 }
    )
    try await bench.forge { store throws in
      var row = try #require(try store.account(named: "me", owner: ThisProcess.user))
      row.providerSettings = evil.canonicalForm
      // An attacker who knows the secret could do this.
      let whole = try Provider.wholeForm(
        evil.canonicalForm,
        try #require(evil.oauth?.clientSecret)
      )
      row.binding = try sha256(whole)
      try store.update(row)
    }
    try await isRefused(bench)
  }

  private func isRefused(_ bench: Bench) async throws {
    let vault = try await bench.open()
    bench.clock.advance(7200)
    let count = bench.exchange.requests.count
    guard case .vaultUnsafe(let message, _)? = await failure({ _ = try await vault.token() }) else {
      Issue.record("refreshed")
      return
    }
    #expect(message.contains("client secret of me"))
    #expect(bench.exchange.requests.count == count)
  }

  @Test
  func itIsSealedAgainUnderANewDeviceSecret() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.signInOAuth(vault, settings: Self.settings()) }
    vault = nil
    let old = try await bench.sealedBytes()
    #expect(old.count == 3)
    vault = try await bench.open()
    if let vault {
      try await bench.rekey(vault)
      #expect(try bench.filesHolding(old) == [])
      try await refresh(vault, bench, "post")
    }
    vault = nil
    let next = try await bench.open()
    try await refresh(next, bench, "post")
  }

  @Test
  func aLoginThatAKillInterruptedEndsFromTheSlotWithIt() async throws {
    let bench = try Bench()
    let copy = Box<Bench>()
    bench.exchange.observe { moment in
      if moment == "written" { copy.put(try? bench.snapshot()) }
    }
    try await bench.signInOAuth(try await bench.open(), settings: Self.settings())
    let next = try #require(copy.value)
    let vault = try await next.open()
    #expect(try await vault.token().accessToken == "at-1")
    #expect(next.exchange.requests.isEmpty)
    try await refresh(vault, next, "post")
    #expect(try locations(of: Self.secret, in: next.scratch.files()) == [])
  }

  @Test
  func whoSignsOutKeepsItForTheNextLogin() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signInOAuth(vault, settings: Self.settings())
      _ = try await vault.signOut(account: "me", local: true, caller: caller())
    }
    vault = nil
    let next = try await bench.open()
    let kept = try await next.boundProvider(account: "me").provider.oauth?.clientSecret
    #expect(text(try #require(kept).secret) == Self.secret)
  }

  @Test
  func aStoreThatIsAcceptedKeepsIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: Self.settings())
    try await bench.accept(vault)
    #expect(try await vault.boundProvider(account: "me").provider.oauth?.clientSecret != nil)
  }

  @Test
  func anotherSecretIsAnotherProvider() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, settings: Self.settings())
    let other = try oauthProvider(Self.settings().merging(["client_secret": "another"]) { $1 })
    let need = try await need {
      _ = try await vault.applyProvider(other, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    _ = try await vault.applyProvider(
      other,
      account: "me",
      prompt: need.prompt,
      caller: caller()
    )
    bench.clock.advance(7200)
    bench.exchange.plan(oauthTokens("at-new", refresh: "rt-new"))
    #expect(try await vault.token().accessToken == "at-new")
    #expect(bench.exchange.requests.last?.body?.contains("client_secret=another") == true)
  }
}
