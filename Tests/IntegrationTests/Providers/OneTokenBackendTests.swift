import JSON
import System
import TestSupport
import Testing

/// A real backend that gives one token, the sliding tokens of djangorestframework-simplejwt,
/// through the built programs.
@Suite(.serialized)
struct OneTokenBackendTests {
  private static let refreshPath = "/auth/sliding/refresh/"

  private func member(_ settings: [String: String] = [:]) throws -> Member {
    let base = [
      "kind": "password-backend", "client_id": "", "client_secret": "", "scope": "",
      "login_path": "/auth/sliding/", "refresh_path": Self.refreshPath,
      "profile_path": "/auth/user/", "access_token_field": "token",
      "refresh_token_field": "token", "email_field": "username", "id_field": "pk",
      "error_field": "code", "message_field": "detail", "invalid_grant_value": "token_not_valid",
    ]
    let member = try Member(.restAuth, settings: base.merging(settings) { $1 })
    try member.provider.call("add-user", ["email": .string(IdentityProvider.user)])
    try login(member)
    return member
  }

  private func login(_ member: Member) throws {
    try member.run(
      ["login", "work", "--provider", "idp", "--email", IdentityProvider.user, "--password-stdin"],
      input: IdentityProvider.password + "\n"
    ).succeeded()
  }

  /// The statuses of the answers to all refreshes.
  private func refreshes(_ member: Member) throws -> [Int?] {
    try member.provider.requests().filter { $0.path == Self.refreshPath }.map(\.status)
  }

  /// Turns the account's token into an old one that ends in this many seconds, by the vault's own
  /// clock.
  private func setEnd(_ member: Member, inSeconds seconds: Int) throws {
    try member.endEngine()
    try python(
      """
      import sqlite3, sys, time
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("UPDATE access_tokens SET stored_at = ?1 - 900, expires_at = ?1 + \(seconds)",
                    [int(time.time())])
      """,
      member.state + "/vault.db"
    )
  }

  @Test
  func theTokenIsSealedHandedOutAndExchanged() throws {
    let member = try member()
    let first = try member.run("token", "work").succeeded()
    #expect(try member.run("token", "work").succeeded() == first)
    #expect(try refreshes(member).isEmpty)
    // The lifetime is the JWT's own: the answers contain none.
    #expect(try member.account().optionalString("access_token_expires_at") != nil)
    let who = try object(try member.run("whoami", "work", "--json").succeeded())
    #expect(try who.object("profile").string("email") == IdentityProvider.user)
    // No file of the vault contains the token, signature included.
    let signature = first.split(separator: ".").last.map { $0.filter { $0 != "\n" } } ?? ""
    #expect(signature.utf8.count > 20)
    let (found, _) = try output(of: "/usr/bin/grep", ["-rlaF", "-e", signature, member.state])
    #expect(found.isEmpty, "\(found)")
    try setEnd(member, inSeconds: 300)
    let second = try member.run("token", "work").succeeded()
    #expect(try refreshes(member) == [200])
    let url = member.provider.url + "/auth/user/"
    let header = "Authorization: Bearer " + second.filter { $0 != "\n" }
    let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", header, url]
    #expect(try output(of: "/usr/bin/curl", words).0 == "200")
    let trail = try member.run("audit", "work").succeeded()
    #expect(trail.contains("as the access token"), "\(trail)")
  }

  @Test
  func aProtectedOneIsOpenedAndExchangedOnlyByEachCheck() throws {
    let member = try member()
    let first = try member.run("token", "work").succeeded().filter { $0 != "\n" }
    try answering(member.terminal("presence", "enable", "work"))
    try member.run("lock").succeeded()
    #expect(try member.run("token", "work").end == .exited(7))
    #expect(try answering(member.terminal("token", "work")).contains(first))
    // That check was for one call.
    #expect(try member.run("token", "work").end == .exited(7))
    // In its last hour the engine leaves it to the next call with a check.
    try setEnd(member, inSeconds: 300)
    #expect(try member.run("token", "work").end == .exited(7))
    #expect(try refreshes(member).isEmpty)
    let shown = try answering(member.terminal("token", "work"))
    #expect(try refreshes(member) == [200])
    let second = try #require(shown.firstMatch(of: /ey[\w-]+\.[\w-]+\.[\w-]+/)).output
    let url = member.provider.url + "/auth/user/"
    let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H"]
    let header = "Authorization: Bearer \(second)"
    #expect(try output(of: "/usr/bin/curl", words + [header, url]).0 == "200")
    let (found, _) = try output(of: "/usr/bin/grep", ["-rlaF", "-e", String(second), member.state])
    #expect(found.isEmpty, "\(found)")
  }

  /// The screen of a command that has asked for the system password.
  @discardableResult
  private func answering(_ terminal: TerminalSession) throws -> String {
    try terminal.expect("System password for")
    try terminal.enter(Member.systemPassword)
    return try terminal.end()
  }

  @Test
  func oneThatIsRefusedNeedsALogin() throws {
    let member = try member()
    let old = try member.run("token", "work").succeeded()
    try member.provider.call("revoke")
    let refused = try member.run("token", "work", "--rejected", input: old)
    #expect(refused.end == .exited(4), "\(refused.text)")
    #expect(try member.standing() == "login-required")
    #expect(try refreshes(member) == [401])
    try login(member)
    try member.run("token", "work").succeeded()
  }

  @Test
  func withoutARefreshItEndsWithAMessage() throws {
    let member = try member(["refresh_path": "none"])
    let tested = try member.run("provider", "test", "idp").succeeded()
    #expect(tested.contains("at its end a login is required"), "\(tested)")
    try member.run("token", "work").succeeded()
    try setEnd(member, inSeconds: 0)
    let ended = try member.run("token", "work")
    #expect(ended.end == .exited(4), "\(ended.text)")
    #expect(ended.text.contains("has expired"), "\(ended.text)")
    #expect(try member.standing() == "login-required")
    #expect(try refreshes(member).isEmpty)
  }
}
