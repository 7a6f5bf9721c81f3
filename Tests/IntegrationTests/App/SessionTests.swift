import Glibc
import JSON
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

@Suite(.serialized)
struct SessionTests {
  @Test
  func anAccountFromItsRegistrationToItsEnd() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()

    let made = try caller.register("me", at: backend)
    #expect(made.state == .ready)
    #expect(made.email == "me@example.org")
    #expect(made.displayName == "Ada Lovelace")
    #expect(made.issuer == backend.url)
    #expect(made.isDefault)
    #expect(!made.presenceProtection)

    let first = try caller.token()
    #expect(try caller.call(AccessTokenCall()).accessToken == first)
    let who = try caller.call(WhoAmICall(account: "me"))
    #expect(try who.profile.string("email") == "me@example.org")
    #expect(try backend.requests().map(\.path) == ["/auth/register", "/auth/me"])

    let second = try caller.token(rejected: first)
    #expect(second != first)
    // The refused token is no longer the stored one.
    #expect(try caller.token(rejected: first) == second)
    #expect(try backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
    #expect(try Directory(path: vault.state + "/tokens").names().sorted() == ["@", "me"])

    let out = try caller.call(LogoutCall(account: "me", local: false))
    #expect(out == LogoutReply(revoked: true, grant: .ended))
    #expect(try backend.count("sessions") == 0)
    #expect(try caller.state() == .signedOut)
    #expect(try !Directory(path: vault.state + "/tokens").contains("me"))
    guard case .loginRequired("me", _) = try caller.failure(AccessTokenCall(account: "me")) else {
      Issue.record("a token came from an account that is signed out")
      return
    }

    let again = try caller.call(
      LoginCall(account: "me", email: "me@example.org", password: try secret(password))
    ).account
    #expect(again.state == .ready)
    #expect(try ![first, second].contains(caller.token()))
    #expect(try backend.count("sessions") == 1)
    try vault.stopEngine()
  }

  @Test
  func whatHasExpiredOrEndsTooSoonIsRefreshedOnce() throws {
    let backend = try DevBackend(["--access-lifetime", "900"])
    let vault = try TestVault()
    try vault.start()
    let first = try signIn(vault, backend)

    try vault.stopEngine()
    try vault.age(seconds: 60)
    try vault.start()
    let caller = try vault.connect()
    // 840 s are left. That is enough for most callers, and a request for 5,000 s cannot get more.
    #expect(try caller.token() == first)
    let best = try caller.call(AccessTokenCall(account: "me", minimumLifetime: 5000))
    #expect(best.accessToken == first && best.shorterThanRequested)
    #expect(try backend.requests().count == 1)
    let longer = try caller.call(AccessTokenCall(account: "me", minimumLifetime: 890))
    #expect(longer.accessToken != first && !longer.shorterThanRequested)
    #expect(try backend.requests().count == 2)

    try vault.stopEngine()
    try vault.age(seconds: 900)
    try vault.start()
    let later = try vault.connect()
    #expect(try later.state() == .ready)
    let second = try later.token()
    #expect(second != longer.accessToken)
    #expect(try later.token() == second)
    #expect(try later.state() == .ready)
    #expect(try backend.requests().count == 3)
  }

  @Test
  func aTokenThatLivesShorterThanAnyoneWantsIsHandedOutAllTheSame() throws {
    let backend = try DevBackend(["--access-lifetime", "5"])
    let vault = try TestVault()
    try vault.start()
    try vault.connect().register("me", at: backend)
    let reply = try vault.connect().call(AccessTokenCall(account: "me"))
    #expect(reply.shorterThanRequested)
    #expect(try vault.connect().state() != .signedOut)
  }

  @Test(arguments: [-366 * 86_400, 366 * 86_400])
  func aClockThatWasSetByAYearCostsARefreshAndNothingElse(_ difference: Int) throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let first = try signIn(vault, backend)
    try vault.stopEngine()
    // A clock that was set forward makes stored tokens look old. One that was set back makes them
    // look new.
    try vault.age(seconds: difference)
    try vault.start()
    let caller = try vault.connect()
    let second = try caller.token()
    #expect(second != first)
    #expect(try caller.token() == second)
    #expect(try caller.state() == .ready)
    #expect(try backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
  }

  @Test
  func anEngineThatEndsAndBeginsAgainIsNotNoticed() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let first = try signIn(vault, backend)
    try vault.stopEngine()
    #expect(try !Directory(path: vault.state).contains("engine"))
    try vault.start()
    #expect(try vault.connect().token() == first)
    vault.killEngine()
    try vault.start()
    #expect(try vault.connect().token() == first)
    #expect(try backend.requests().count == 1)
  }

  @Test
  func aRefusedSignInLeavesNothingBehind() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    func login(_ account: String, _ url: String) throws -> VaultError? {
      let call = LoginCall(
        account: account,
        provider: provider(url),
        email: "\(account)@example.org",
        password: try secret("wrong")
      )
      return try caller.failure(call)
    }
    guard case .providerRefused(401, _, _, _) = try login("me", backend.url) else {
      Issue.record("a wrong password was not refused")
      return
    }
    guard case .providerUnavailable = try login("me", "http://127.0.0.1:1") else {
      Issue.record("the server is gone, and the message does not say so")
      return
    }
    for (kind, path) in [(DevBackendFault.Kind.status(500), "/auth/login"), (.garbage, "*")] {
      try backend.fail(.init(path, kind))
      #expect(try login("me", backend.url) != nil)
    }
    #expect(try caller.failure(GetAccountCall(account: "me")) != nil)
    #expect(try Directory(path: vault.state + "/slots").names() == [])
    #expect(try Directory(path: vault.state + "/tokens").names() == [])

    try caller.register("me", at: backend)
    #expect(throws: (any Error).self) { try caller.register("me", at: backend) }
    // The existing account keeps its tokens.
    #expect(try caller.state() == .ready)
    #expect(try Directory(path: vault.state + "/slots").names().count == 1)
  }

  @Test(arguments: [
    "", ".", "..", "@", "../me", "a/b", "/etc/passwd", "Me", "me\n", "m\u{1B}[2J",
    "-me", "\u{202E}me", "ｍe", String(repeating: "m", count: 65),
    String(repeating: "m", count: 10_000),
  ])
  func anImpossibleAccountNameMakesNothing(_ name: String) throws {
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    let failure = try caller.failure(
      LoginCall(
        account: name,
        provider: provider("http://127.0.0.1:1"),
        email: "a@example.org",
        password: try secret("x")
      )
    )
    guard case .invalidArgument(let message) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(message.utf8.count < 300)
    #expect(message.unicodeScalars.allSatisfy { $0.value >= 32 })
    #expect(try Directory(path: vault.state + "/slots").names() == [])
    #expect(try Directory(path: vault.state + "/tokens").names() == [])
    #expect(try caller.failure(AccessTokenCall(account: name)) != nil)
  }
}

/// Registers the account `me`, and returns its first access token.
func signIn(
  _ vault: TestVault,
  _ backend: DevBackend,
  settings: [String: String] = [:]
) throws -> String {
  let caller = try vault.connect()
  try caller.register("me", at: backend, settings: settings)
  return try caller.token()
}
