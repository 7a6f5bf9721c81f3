import JSON
import System
import TestSupport
import Testing

/// A real provider, django-oauth-toolkit, that ends access tokens at each rotation.
///
/// It also narrows a grant permanently if a refresh asks for fewer scopes.
@Suite(.serialized)
struct ProviderScopeTests {
  private func member(_ settings: [String: String]) throws -> Member {
    let member = try Member(.toolkit, ["--refresh", "rotate"], settings: settings)
    try member.signIn().succeeded()
    return member
  }

  /// Whether the provider accepts an access token that `token` printed.
  private func isAccepted(_ token: String, by member: Member) throws -> Bool {
    let header = "Authorization: Bearer " + token.prefix { $0 != "\n" }
    let url = member.provider.issuer + "/userinfo/"
    let words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", header, url]
    return try output(of: "/usr/bin/curl", words).0 == "200"
  }

  @Test(arguments: [true, false])
  func aTokenThatTheProviderHasEndedIsNotHandedOut(_ isKnown: Bool) throws {
    let member = try member(["refresh_ends_access_tokens": isKnown ? "true" : "false"])
    let usual = try member.run("token", "work").succeeded()
    #expect(try isAccepted(usual, by: member))
    let other = try member.run("token", "work", "--audience", "https://api.example").succeeded()
    #expect(other != usual)
    // The provider rotates, which ends the previous access token.
    #expect(try !isAccepted(usual, by: member))
    let next = try member.run("token", "work").succeeded()
    #expect(try isAccepted(next, by: member) == isKnown)
    #expect((next == usual) == !isKnown)
    #expect(try member.provider.refreshes().count == (isKnown ? 2 : 1))
    #expect(try member.standing() == "ready")
  }

  @Test
  func permanentlyLostScopesAreToldOnceAndStayInTheStatus() throws {
    let member = try member(["refresh_ends_access_tokens": "true"])
    let narrow = try object(
      try member.run("token", "work", "--scope", "openid read", "--json").succeeded()
    )
    #expect(try narrow.optionalString("missing_scope") == nil)
    // The next usual token lacks the scopes that the previous refresh did not ask for.
    let first = try member.run("token", "work").succeeded()
    #expect(first.contains("missing: email profile"), "\(first)")
    #expect(try !member.run("token", "work").succeeded().contains("missing"))
    let second = try member.newerToken()
    #expect(!second.contains("missing"), "\(second)")
    let account = try member.account()
    #expect(try account.string("scope") == "email openid profile read")
    #expect(try account.string("missing_scope") == "email profile")
    let status = try member.run("status", "work").succeeded()
    #expect(status.contains("no longer granted: email profile"), "\(status)")
    let trail = try member.run("audit", "work").succeeded()
    #expect(trail.contains("not granted: email profile"), "\(trail)")
    // A new sign-in asks for them again.
    try member.signIn().succeeded()
    #expect(try member.account().optionalString("missing_scope") == nil)
  }

  @Test
  func whereNothingSaysItThePersonIsAskedFirst() throws {
    let member = try member(["refresh_scope": ""])
    let refused = try member.run("token", "work", "--scope", "openid read", "--no-input")
    #expect(refused.end == .exited(7), "\(refused.text)")
    #expect(refused.text.contains("lack email profile until a new login"), "\(refused.text)")
    #expect(refused.text.contains("refresh_scope = any"), "\(refused.text)")
    #expect(try member.provider.refreshes().isEmpty)
    // The usual token is unchanged.
    let newer = try member.newerToken()
    #expect(!newer.contains("missing"), "\(newer)")
    #expect(try member.account().optionalString("missing_scope") == nil)
  }

  @Test
  func whatAnAppAcceptsCountsForItsOwnCallAndWhatThePersonAcceptsForAll() throws {
    let member = try Member(.toolkit, ["--refresh", "rotate"], settings: ["refresh_scope": ""])
    try member.signIn("me").succeeded()
    let app = try AppProcess(member, ["-", Someone.systemPassword])
    let refused = try app.run("scoped openid read")
    #expect(refused.hasPrefix("failed mayNarrowLogin, showMessage: "), "\(refused)")
    #expect(refused.contains("lack email profile until a new login"), "\(refused)")
    #expect(try member.provider.refreshes().isEmpty)
    let token = try app.run("scoped openid read narrow=yes")
    #expect(try isAccepted(token, by: member))
    // The token is stored, and no request is sent for it.
    #expect(try app.run("scoped openid read") == token)
    #expect(try member.provider.refreshes().count == 1)
    // No other call inherits what that call accepted, neither in the app nor at a terminal.
    #expect(try app.run("scoped openid").hasPrefix("failed mayNarrowLogin, "))
    let silent = try member.run("token", "me", "--scope", "openid", "--no-input")
    #expect(silent.end == .exited(7), "\(silent.text)")
    #expect(try member.provider.refreshes().count == 1)
    let terminal = try member.terminal("token", "me", "--scope", "openid", columns: 240)
    try terminal.expect("Yes applies to every program until the next login.")
    try terminal.expect("[y/N]")
    try terminal.type("y\n")
    try terminal.end()
    // The grant has only that scope by now. Another recipient needs another refresh.
    #expect(try isAccepted(try app.run("scoped openid audience=api"), by: member))
    #expect(try member.provider.refreshes().count == 3)
  }

  @Test
  func whereThatIsKnownTheGrantStaysWhole() throws {
    let member = try member(["refresh_scope": "whole"])
    let refused = try member.run("token", "work", "--scope", "openid read")
    #expect(refused.end == .exited(2), "\(refused.text)")
    #expect(refused.text.contains("sign in to a separate account"), "\(refused.text)")
    #expect(try member.provider.refreshes().isEmpty)
    // The account's own scopes, given by name, give the usual token.
    let scopes = "read email profile openid"
    let usual = try member.run("token", "work").succeeded()
    #expect(try member.run("token", "work", "--scope", scopes).succeeded() == usual)
    for _ in 0..<2 { _ = try member.newerToken() }
    #expect(try member.provider.refreshes().allSatisfy { $0.form["scope"] == nil })
    #expect(try member.account().optionalString("missing_scope") == nil)
    // A separate account has only the scopes that it was signed in with.
    try member.login("narrow", ["--scope", "openid read"]).succeeded()
    let told = try object(try member.run("token", "narrow", "--json").succeeded())
    #expect(try told.string("scope") == "openid read")
    try member.run("token", "narrow", "--scope", "read openid").succeeded()
    #expect(try member.run("token", "narrow", "--scope", "email").end == .exited(2))
  }
}
