import JSON
import System
import TestSupport
import Testing

/// An app's facts about its user, and its requests to the provider about the account.
@Suite(.serialized)
struct AppUserTests {
  @Test
  func theWholeUserIsThereAtLaunchWithoutARequest() throws {
    let person = try Person()
    let app = try AppProcess(person)
    let me = "me@example.org user false since"
    #expect(try app.run("register me@example.org backend-password") == "me@example.org")
    #expect(try app.run("user") == me)
    #expect(try app.run("open") == "")
    #expect(try app.run("user") == "nobody")
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("user") == me)
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])
    // Other members of the backend's answer become claims, unless they look like secrets.
    try person.backend.fail(
      DevBackendFault(
        "/auth/me",
        .status(200),
        body: #"{"id":"1","email":"me@example.org","role":"admin","team":"x","api_token":"hidden"}"#
      )
    )
    #expect(try app.run("me") == "me@example.org")
    #expect(try app.run("user") == "me@example.org admin false since team=x")
    let status = try object(try person.run("status", "me", "--json").succeeded())
    let first = try status.array("accounts").first
    guard case .object(let account)? = first else {
      Issue.record("no account")
      return
    }
    #expect(try account.string("role") == "admin")
    #expect(try account.object("claims") == ["team": "x"])
    #expect(try !shell("strings \(person.state)/vault.db*").contains("hidden"))
    #expect(try app.run("logout") == "true")
    #expect(try app.run("user") == "nobody")
  }

  @Test
  func aTokenThatTheBackendEndedIsFoundOut() throws {
    let person = try Person()
    let app = try AppProcess(person)
    try app.run("register me@example.org backend-password")
    let first = try app.run("token")
    #expect(try app.run("verify") == "true")
    #expect(try app.run("cached") == first)
    // The backend has ended the token, but by the local clock it looks valid.
    try person.backend.advanceClock()
    #expect(try app.run("token") == first)
    #expect(try app.run("verify") == "false")
    #expect(try app.run("cached") == "none")
    let second = try app.run("token")
    #expect(second.hasPrefix("at_") && second != first)
    #expect(try person.run("whoami", "me", "--verify").succeeded().contains("accepts"))
    let asked = try person.backend.requests().map(\.path)
    #expect(
      asked == ["/auth/register", "/auth/verify", "/auth/verify", "/auth/refresh", "/auth/verify"]
    )
    try person.backend.advanceClock()
    let refused = try person.run("whoami", "me", "--verify")
    #expect(refused.end == .exited(8), "\(refused.text)")
    #expect(refused.text.contains("no longer accepts"))
  }

  @Test
  func anAppThatIsToldToTriesAgainByItself() throws {
    let person = try Person()
    let app = try AppProcess(person)
    try app.run("open tries=4")
    try app.run("register me@example.org backend-password")
    try person.expireTokens()
    try person.backend.fail(
      DevBackendFault("/auth/refresh", .status(429), headers: [("Retry-After", "1")])
    )
    try app.run("open tries=4")
    #expect(try app.run("token").hasPrefix("at_"))
    let refreshes = try person.backend.requests().filter { $0.path == "/auth/refresh" }
    #expect(refreshes.map(\.status) == [429, 200])
    // An app that does not retry gets the error at once.
    try person.expireTokens()
    try person.backend.fail(
      DevBackendFault("/auth/refresh", .status(429), headers: [("Retry-After", "1")])
    )
    try app.run("open")
    let failure = try app.run("token")
    #expect(failure.hasPrefix("failed providerUnavailable("), "\(failure)")
    #expect(failure.contains("status: Optional(429)"))
  }
}
