import Glibc
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// Searches every possible place for refresh tokens and passwords that the test knows.
///
/// Each search must also find a text that exists.
@Suite(.serialized)
struct SecretTraceTests {
  /// A token with a distinctive text, so that each find is a real one.
  private static let first = "rt_FIRST-sentinel/with\\/slashes+5f21c0a7e9d84b36"
  private static let second = "rt_SECOND-sentinel/with\\/slashes+91b2d3c4e5f60718"
  private static let access = "at_CONTROL-sentinel-7700aabbccddeeff"

  /// The answer of a provider that issues the test's own tokens.
  private func answer(_ path: String, _ refreshToken: String, _ access: String) -> DevBackendFault {
    let escaped = refreshToken.replacing("\\", with: "\\\\")
    return .init(
      path,
      .status(200),
      body: """
        {"access_token": "\(access)", "refresh_token": "\(escaped)", "token_type": "Bearer",
        "expires_in": 900, "user": {"id": "1", "email": "sentinel@example.org", "name": "S"}}
        """
    )
  }

  /// A vault after a sign-in and a refresh, with a running engine.
  private func used() throws -> (backend: DevBackend, vault: TestVault, engine: EngineProcess) {
    let backend = try DevBackend()
    let vault = try TestVault()
    let engine = try vault.start()
    try backend.fail(
      answer("/auth/login", Self.first, Self.access + "1"),
      answer("/auth/refresh", Self.second, Self.access + "2")
    )
    let caller = try vault.connect()
    let login = LoginCall(
      account: "me",
      provider: provider(backend.url),
      email: "sentinel@example.org",
      password: try secret(password)
    )
    try caller.call(login)
    #expect(try caller.token(rejected: Self.access + "1") == Self.access + "2")
    return (backend, vault, engine)
  }

  @Test
  func noFileHoldsARefreshTokenOrThePassword() throws {
    let (_, vault, _) = try used()
    let secrets = [Self.first, Self.second, password]
    let controls = [Self.access + "2", "sentinel@example.org"]
    let found = try occurrences(of: secrets + controls, in: vault.state)
    #expect(found.prefix(3) == [0, 0, 0])
    #expect(found.suffix(2).allSatisfy { $0 > 0 })

    // Control: each form would be found.
    try plant(Self.first, in: vault.base + "/planted")
    #expect(try occurrences(of: [Self.first], in: vault.base + "/planted")[0] >= 6)

    // After a sign-out the access token is gone as well.
    #expect(try vault.connect().call(LogoutCall(account: "me", local: true)).revoked == false)
    let left = try occurrences(of: secrets + [Self.access], in: vault.state)
    #expect(left == [0, 0, 0, 0])
    try vault.stopEngine()
    #expect(try occurrences(of: secrets + [Self.access], in: vault.state) == [0, 0, 0, 0])
  }

  @Test
  func aKilledExchangeLeavesNoTokenInAnyFile() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    var login = answer("/auth/login", Self.first, Self.access + "1")
    login.hold = true
    try backend.fail(login)
    let caller = try vault.connect()
    try caller.send(
      LoginCall(
        account: "me",
        provider: provider(backend.url),
        email: "sentinel@example.org",
        password: try secret(password)
      )
    )
    try backend.waitForRequests("/auth/login")
    let exchangeHelper = try vault.exchangeHelper()
    #expect(try occurrences(of: [password], in: vault.state) == [0])
    vault.killEngine()
    try backend.release()
    try waitForEnd(exchangeHelper)
    // The answer is in the slot, sealed: even the access token cannot be read.
    #expect(try shell("cat \(vault.state)/slots/* | tr -d '\\0' | wc -c") != "0\n")
    let found = try occurrences(
      of: [Self.first, Self.access, password, "sentinel@example.org"],
      in: vault.state
    )
    #expect(found.prefix(3) == [0, 0, 0])
    try vault.start()
    #expect(try vault.connect().token() == Self.access + "1")
  }

  @Test
  func theEnginesMemoryHoldsNoRefreshTokenAndNoPassword() throws {
    let (_, vault, engine) = try used()
    // Beginnings that are the same in JSON.
    let found = try occurrences(
      of: ["rt_FIRST-sentinel", "rt_SECOND-sentinel", "correct horse", Self.access + "2"],
      inMemoryOf: engine.identifier
    )
    #expect(found.prefix(3) == [0, 0, 0])
    // The access token is no secret of the vault, and shows that the search works.
    #expect(try #require(found.last) > 0)
    let status = try vault.connect().call(GetStatusCall())
    #expect(status.memory == .secret)
  }

  @Test
  func thePublicFactsOfAProcessHoldNoSecret() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    let engine = try vault.start()
    try backend.fail(answer("/auth/login", Self.first, Self.access))
    try backend.fail(.init("/auth/refresh", hold: true))
    let caller = try vault.connect()
    let login = LoginCall(
      account: "me",
      provider: provider(backend.url),
      email: "sentinel@example.org",
      password: try secret(password)
    )
    try caller.call(login)
    try caller.send(AccessTokenCall(account: "me", rejected: Self.access))
    try backend.waitForRequests("/auth/refresh")
    for process in [engine.identifier, try vault.exchangeHelper()] {
      let facts = try shell(
        "tr '\\0' '\\n' </proc/\(process)/environ; cat /proc/\(process)/cmdline"
      )
      #expect(facts.contains("PATH=/usr/bin:/bin"))
      #expect(!facts.contains("sentinel") && !facts.contains("correct horse"))
      #expect(facts.split(separator: "\n").count <= 4, "\(facts)")
      // No core file, no ptrace by the same user, no terminal, and no directory in use.
      #expect(try shell("grep 'Max core' /proc/\(process)/limits").contains(" 0 "))
      #expect(linkTarget("/proc/\(process)/cwd") == "/")
      for number in 0...2 {
        let target = linkTarget("/proc/\(process)/fd/\(number)") ?? ""
        #expect(target == "/dev/null" || target.hasPrefix("socket:"), "\(target)")
      }
    }
    let held = try occurrences(
      of: ["rt_FIRST-sentinel", "correct horse"],
      inMemoryOf: engine.identifier
    )
    #expect(held == [0, 0])
    try backend.release()
  }

  @Test
  func theAuditLogNamesNoSecretAndNoToken() throws {
    let (_, vault, _) = try used()
    let caller = try vault.connect()
    try caller.send(AuditCall(), more: true)
    var records: [VaultAuditRecord] = []
    while let reply = try caller.reply() {
      if let record = try reply.result(of: AuditCall.self).record { records.append(record) }
      if !reply.continues { break }
    }
    #expect(records.map(\.event).contains("login"))
    #expect(records.map(\.event).contains("refresh"))
    #expect(records.map(\.number) == Array(1...records.count))
    let text = records.map { "\($0)" }.joined()
    for forbidden in [Self.first, Self.second, Self.access, password, "sentinel@"] {
      #expect(!text.contains(forbidden))
    }
  }
}
