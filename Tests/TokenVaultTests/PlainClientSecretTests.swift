import Configuration
import Glibc
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A state directory of the last format that held client secrets in plain.
///
/// `Stores/schema-4-client-secrets.tar.gz` is one of the owner 0, as a killed engine left it: `post` is
/// signed in (client_secret_post), `basic` has signed out again (client_secret_basic), and `late` is in
/// the middle of a login, whose answer lies in its slot. Their secrets are
/// `cs_FIXTURE-schema-4-NAME-5b0d93ee71`.
struct PlainClientSecretTests {
  private static let marker = "cs_FIXTURE-schema-4-"

  private static func secret(_ name: String) -> String { marker + name + "-5b0d93ee71" }

  private func bench() throws -> Bench {
    let scratch = try Scratch()
    let archive =
      BuiltPrograms.sourceDirectory
      + "/Tests/TokenVaultTests/Stores/schema-4-client-secrets.tar.gz"
    guard unsafe mkdir(scratch.path, 0o700) == 0 else { throw SystemError("mkdir", code: errno) }
    try run("/bin/tar", ["--no-same-owner", "-C", scratch.path, "-xzf", archive])
    return try Bench(scratch, clock: ManualClock(wall: 1_900_000_000))
  }

  private func root() -> Caller { Caller(connection: 1, user: 0, requester: "bash, pid 1") }

  /// Takes the login that is under way; its access token has had its time.
  private func end(_ bench: Bench, _ vault: Vault) async throws {
    bench.exchange.plan(oauthTokens("at-late", refresh: "rt-late"))
    #expect(try await vault.token("late", caller: root()).accessToken == "at-late")
  }

  @Test
  func theySurviveSealedAndNoneIsLeftInPlain() async throws {
    let bench = try bench()
    #expect(try places(of: Self.marker, in: bench.scratch.files()) != [])
    var vault: Vault? = try await bench.open(owner: 0)
    if let vault {
      // That of the login which is under way has to stay until that has come to its end.
      for name in ["post", "basic"] {
        #expect(try places(of: Self.secret(name), in: bench.scratch.files()) == [])
      }
      bench.exchange.plan(oauthTokens("at-new", refresh: "rt-new"))
      #expect(try await vault.token("post", caller: root()).accessToken == "at-new")
      let body = try #require(bench.exchange.requests.last?.body)
      #expect(body.contains("refresh_token=rt_FIXTURE-schema-4-post"))
      #expect(body.contains("client_secret=" + Self.secret("post")))
      let signedOut = try await vault.boundProvider(account: "basic").provider
      let kept = try #require(signedOut.oauth?.clientSecret)
      #expect(text(kept.secret) == Self.secret("basic"))
      try await end(bench, vault)
      let sent = try #require(bench.exchange.requests.last?.body)
      #expect(sent.contains("refresh_token=rt_FIXTURE-"), "\(sent)")
      #expect(sent.contains("client_secret=" + Self.secret("late")))
    }
    vault = nil
    vault = try await bench.open(owner: 0)
    if let vault {
      #expect(try places(of: Self.marker, in: bench.scratch.files()) == [])
      bench.clock.advance(7200)
      bench.exchange.plan(oauthTokens("at-newer", refresh: "rt-newer"))
      #expect(try await vault.token("late", caller: root()).accessToken == "at-newer")
      let body = try #require(bench.exchange.requests.last?.body)
      #expect(body.contains("client_secret=" + Self.secret("late")))
      #expect(try await vault.verifyTrail().isWhole)
    }
    vault = nil
    #expect(try places(of: Self.marker, in: bench.scratch.files()) == [])
    try await bench.withStore { store throws in
      try store.verify()
      #expect(try store.meta("client-secret-adopt") == nil)
    }
  }

  @Test
  func aStartThatIsKilledAtAnyPointIsRepeated() async throws {
    let bench = try bench()
    var vault: Vault? = try await bench.open(owner: 0)
    if let vault { try await end(bench, vault) }
    vault = nil
    // After the seals and before what was plain is gone: the next start comes to the same end.
    try await bench.withStore { store throws in
      #expect(try store.meta("client-secret-adopt") != nil)
      #expect(try store.accounts(owner: 0).allSatisfy { $0.sealedClientSecret != nil })
    }
    vault = try await bench.open(owner: 0)
    if let vault {
      #expect(
        try await vault.accountFacts(named: nil).map(\.kind) == ["oauth2", "oauth2", "oauth2"]
      )
    }
    vault = nil
    try await bench.withStore { store throws in
      #expect(try store.meta("client-secret-adopt") == nil)
    }
    #expect(try places(of: Self.marker, in: bench.scratch.files()) == [])
  }

  @Test
  func anOlderStoreThatIsPutBackIsSealedOnceItIsAccepted() async throws {
    let bench = try bench()
    // A mark that the store has not come to.
    var vault: Vault? = try await bench.open(owner: 0)
    if let vault {
      bench.exchange.plan(oauthTokens("at-new", refresh: "rt-new"))
      _ = try await vault.token("post", caller: root())
      try await end(bench, vault)
    }
    vault = nil
    let mark = try #require(try bench.scratch.files()["mark"])
    let older = try self.bench()
    let directory = try Directory(path: older.scratch.path)
    try directory.unlink("mark")
    try directory.create("mark").write(mark)
    vault = try await older.open(owner: 0)
    if let vault {
      #expect(try places(of: Self.marker, in: older.scratch.files()) != [])
      let need = try await need { _ = try await vault.acceptStore(prompt: nil, caller: root()) }
      try await older.pass(need, vault, root())
      _ = try await vault.acceptStore(prompt: need.prompt, caller: root())
      #expect(try places(of: Self.marker, in: older.scratch.files()) == [])
    }
    vault = nil
  }
}
