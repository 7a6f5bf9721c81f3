import Glibc
import System
import TestSupport
import Testing

/// Access tokens and requests of an app over the real engine.
@Suite(.serialized)
struct AppTokenTests {
  private let person: Person
  private let app: AppProcess
  private var profile: String { person.backend.url + "/auth/me" }

  init() throws {
    person = try Person(["--access-lifetime", "3600"])
    try person.register()
    try person.backend.clear()
    app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
  }

  private func paths() throws -> [String] { try person.backend.requests().map(\.path) }

  @Test
  func aTokenLastsAsLongAsIsAskedForWhereTheProviderGivesAsMuch() throws {
    #expect(try app.run("cached") == "none")
    #expect(try app.run("soon 300") == "true")
    let token = try app.run("token")
    #expect(try app.run("cached") == token)
    #expect(try app.run("header") == "Authorization: Bearer \(token)")
    #expect(try app.run("soon 300") == "false")
    #expect(try app.run("soon 3601") == "true")
    #expect(try app.run("token 3000") == "\(token) false")
    #expect(try paths().isEmpty)
    // The app asks for a longer life than the provider ever gives, and gets the longest.
    #expect(try app.run("token 7200").hasSuffix(" true"))
    // A valid token needs neither the network nor the engine.
    try person.backend.setOnline(false)
    try person.endEngine()
    #expect(try app.run("token").hasPrefix("at_"))
  }

  @Test
  func a401IsAnsweredByARefreshAndOneMoreRequestAndNeverByTwo() throws {
    let first = try app.run("token")
    #expect(try app.run("get \(profile)") == "200")
    try person.backend.clear()
    try person.backend.advanceClock()
    #expect(try app.run("decode \(profile)") == "me@example.org")
    #expect(try paths() == ["/auth/me", "/auth/refresh", "/auth/me"])
    #expect(try app.run("cached") != first)
    // If the server refuses again, the app gets the second answer.
    try person.backend.clear()
    try person.backend.fail(.init("/auth/me", .status(401), count: 9))
    #expect(try app.run("get \(profile)") == "401")
    #expect(try paths() == ["/auth/me", "/auth/refresh", "/auth/me"])
    let undecoded = try app.run("decode \(profile)")
    #expect(undecoded.hasPrefix("failed http(status: 401), showMessage: "), "\(undecoded)")
  }

  @Test
  func aRequestThatCannotBeMadeIsATypedError() throws {
    let token = try app.run("token")
    for (url, kind) in [
      ("nonsense", "invalidURL"), ("ftp://127.0.0.1/x", "invalidURL"),
      ("http://example.org/", "invalidURL"), ("https://example.org/", "hostNotAllowed"),
    ] {
      let failure = try app.run("get \(url)")
      #expect(failure.hasPrefix("failed \(kind), showMessage: "), "\(url): \(failure)")
      #expect(!failure.contains(token))
    }
    try person.backend.fail(.init("/auth/me", .garbage))
    let garbage = try app.run("decode \(profile)")
    #expect(garbage.hasPrefix("failed undecodable, showMessage: "), "\(garbage)")
    try person.backend.fail(.init("/auth/me", .half))
    let half = try app.run("get \(profile)")
    let lost = "failed providerUnavailable(retryAfter: nil, status: nil), retry"
    #expect(half.hasPrefix(lost), "\(half)")
    #expect(try app.run("get \(profile)") == "200")
    #expect(try app.run("state") == "authenticated me@example.org")
  }

  /// The engine refreshes ahead for clients that watch the account, and notifies them.
  ///
  /// The app has no timer.
  @Test
  func whatWillExpireIsRefreshedAheadByTheEngine() throws {
    let first = try app.run("token")
    // The token has so little life left that it is due. The engine looks once a minute.
    try person.changeStore(
      "UPDATE access_tokens SET stored_at = stored_at - 3300, expires_at = expires_at - 3300"
    )
    try shell("rm -f \(person.state)/tokens/*")
    try app.run("open ahead=600")
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("token") == first)
    #expect(try paths().isEmpty)
    try person.backend.waitForRequests("/auth/refresh", waits: 2)
    #expect(try paths().count == 1)
    let isNew = try eventually { try app.run("cached") != first }
    #expect(isNew)
    #expect(try app.run("cached").hasPrefix("at_"))
    #expect(try paths() == ["/auth/refresh"])
  }

  /// No watch continues after a sign-out, nor after the end of the session.
  @Test
  func whoSignsOutOrLetsTheSessionGoFollowsNothing() throws {
    func sockets(_ app: AppProcess) throws -> Int {
      let directory = "/proc/\(app.identifier)/fd"
      return try Directory(path: directory).names().count { name in
        linkTarget("\(directory)/\(name)")?.hasPrefix("socket:") == true
      }
    }
    let app = try AppProcess(person)
    #expect(try app.run("state") == "unauthenticated")
    let before = try sockets(app)
    try app.run("restore")
    #expect(try eventually { try sockets(app) == before + 1 })
    #expect(try app.run("logout") == "true")
    #expect(try eventually { try sockets(app) == before })
    #expect(try app.run("login me@example.org backend-password") == "me@example.org")
    #expect(try eventually { try sockets(app) == before + 1 })
    #expect(try app.run("close") == "")
    #expect(try eventually { try sockets(app) == before })
  }
}
