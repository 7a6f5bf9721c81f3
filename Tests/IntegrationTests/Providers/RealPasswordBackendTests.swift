import JSON
import System
import TestSupport
import Testing

/// A password backend of another make, dj-rest-auth: other paths, other names, tokens without a
/// lifetime, and a blacklist of used refresh tokens.
@Suite(.serialized)
struct RealPasswordBackendTests {
  private static let refreshPath = "/auth/token/refresh/"

  private static let settings = [
    "kind": "password-backend", "client_id": "", "client_secret": "", "scope": "",
    "register_path": "/auth/registration/", "login_path": "/auth/login/",
    "refresh_path": Self.refreshPath, "logout_path": "/auth/logout/",
    "profile_path": "/auth/user/", "access_token_field": "access",
    "refresh_token_field": "refresh", "id_field": "pk", "name_field": "first_name",
    "register_password_field": "password1", "register_password_repeated_field": "password2",
    "error_field": "code", "message_field": "detail", "invalid_grant_value": "token_not_valid",
  ]

  private func member(_ more: [String: String] = [:]) throws -> Member {
    try Member(.restAuth, settings: more.merging(Self.settings) { $1 })
  }

  private func register(_ member: Member) throws {
    try member.run(
      ["register", "work", "--provider", "idp", "--email", IdentityProvider.user]
        + ["--password-stdin"],
      input: IdentityProvider.password + "\n"
    ).succeeded()
  }

  /// The statuses of the answers to all refreshes.
  private func refreshes(_ member: Member) throws -> [Int?] {
    try member.provider.requests().filter { $0.path == Self.refreshPath }.map(\.status)
  }

  @Test
  func aUserIsMadeKeptSignedInAndSignedOut() throws {
    let member = try member()
    try register(member)
    #expect(try member.standing() == "ready")
    let who = try object(try member.run("whoami", "work", "--json").succeeded())
    #expect(try who.object("profile").string("email") == IdentityProvider.user)
    // Each refresh token was good for one use, and went onto the blacklist.
    var seen: Set<String> = []
    for _ in 0..<3 { seen.insert(try member.newerToken()) }
    #expect(seen.count == 3)
    #expect(try refreshes(member) == [200, 200, 200])
    #expect(try member.provider.count("blacklisted") == 3)
    #expect(try member.provider.count("live_refresh_tokens") == 1)
    // The message is true whether or not the provider has ended the login.
    let said = try member.run("logout", "work").succeeded()
    let isOver = try member.provider.count("live_refresh_tokens") == 0
    #expect(said.contains("did not confirm") == !isOver, "\(said)")
    #expect(try member.run("token", "work").end == .exited(4))
    #expect(try refreshes(member).count == 3)
    let wrong = try member.run(
      ["login", "work", "--provider", "idp", "--email", IdentityProvider.user, "--password-stdin"],
      input: "not that one\n"
    )
    #expect(wrong.end == .exited(8), "\(wrong.text)")
    try member.signIn().succeeded()
    _ = try member.newerToken()
  }

  @Test
  func whatItFindsWrongIsToldByKindAndField() throws {
    let member = try member()
    try register(member)
    func error(_ verb: String, _ password: String, _ email: String) throws -> JSONObject {
      let run = try member.run(
        [verb, "other", "--provider", "idp", "--email", email, "--password-stdin", "--json"],
        input: password + "\n"
      )
      #expect(run.end == .exited(8), "\(run.text)")
      #expect(!run.text.contains(password), "\(run.text)")
      return try object(run.text).object("error")
    }
    func fields(_ error: JSONObject) throws -> [String] {
      try error.array("fields").compactMap { field in
        if case .object(let field) = field { try field.string("field") } else { nil }
      }
    }
    let wrong = try error("login", "not that one", IdentityProvider.user)
    #expect(try wrong.string("reason") == "wrong-credentials")
    #expect(try wrong.integer("status") == 400)
    #expect(try wrong.string("message").contains("provided credentials"))
    try member.provider.call("verify")
    let taken = try error("register", IdentityProvider.password, IdentityProvider.user)
    #expect(try taken.string("reason") == "address-taken")
    #expect(try fields(taken) == ["email"])
    let short = try error("register", "x1", "another@example.org")
    #expect(try short.string("reason") == "invalid-input")
    #expect(try fields(short) == ["password"])
  }

  @Test
  func aTokenIsVerifiedWhereItsUserIs() throws {
    // Its own endpoint accepts the token only by POST. The user's endpoint answers 401 to an ended
    // token.
    for settings in [["verify_path": "/auth/user/"], [:]] {
      let member = try member(settings)
      try register(member)
      let found = try object(try member.run("whoami", "work", "--verify", "--json").succeeded())
      #expect(try found.boolean("accepted"))
      // Further facts about the user are available without another request.
      let claims = try found.object("account").object("claims")
      #expect(try claims.string("last_name").isEmpty)
      #expect(claims["password"] == nil)
    }
  }

  @Test
  func anAppKnowsWhatItFindsWrongAndWhoseTheTokenIs() throws {
    let member = try member()
    let settings = Self.settings.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" }
    let app = try AppProcess(
      member,
      ["-", Someone.systemPassword, "issuer=\(member.provider.issuer)"]
        + ["verify_path=/auth/user/"] + settings
    )
    #expect(try app.run("register ada@example.org backend-password") == "ada@example.org")
    #expect(try app.run("verify") == "true")
    #expect(try app.run("user").hasPrefix("ada@example.org - - - "))
    try app.run("logout")
    #expect(try app.run("state") == "unauthenticated")
    let wrong = try app.run("login ada@example.org another-password")
    #expect(wrong.hasPrefix("failed wrongCredentials(status: 400), correctInput: "), "\(wrong)")
    try member.provider.call("verify")
    let taken = try app.run("register ada@example.org backend-password")
    #expect(taken.hasPrefix("failed addressTaken(status: 400), correctInput: "), "\(taken)")
    let short = try app.run("register bob@example.org x1")
    #expect(short.hasPrefix("failed invalidInput(status: 400), correctInput: "), "\(short)")
    #expect(try app.run("login ada@example.org backend-password") == "ada@example.org")
  }

  @Test
  func aTokenOnTheBlacklistNeedsALogin() throws {
    let member = try member()
    try register(member)
    let old = try member.run("token", "work").succeeded()
    try member.provider.call("revoke")
    let refused = try member.run("token", "work", "--rejected", input: old)
    #expect(refused.end == .exited(4), "\(refused.text)")
    #expect(try member.standing() == "login-required")
    // The refresh token is not sent again.
    #expect(try member.run("token", "work", "--rejected", input: old).end == .exited(4))
    #expect(try refreshes(member) == [401])
    try member.signIn().succeeded()
    _ = try member.newerToken()
  }

  @Test
  func anAnswerThatWasLostIsToldAsThat() throws {
    let member = try member()
    try register(member)
    let old = try member.run("token", "work").succeeded()
    try member.provider.fail(["path": .string(Self.refreshPath), "status": "reset-after"])
    let lost = try member.run("token", "work", "--rejected", input: old)
    #expect(lost.end == .exited(5), "\(lost.text)")
    #expect(try member.standing() == "uncertain")
    try member.forgetRetryWait()
    let refused = try member.run("token", "work", "--rejected", input: old)
    #expect(refused.end == .exited(4), "\(refused.text)")
    #expect(refused.text.contains("lost"), "\(refused.text)")
    #expect(try refreshes(member).count == 2)
  }
}
