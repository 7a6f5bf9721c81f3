import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Whether the provider still accepts the session's token, and the claims of the user.
@Suite(.timeLimit(.minutes(10)))
struct VerifyTests {
  @Test
  func aTokenThatIsAcceptedStaysInMemory() async throws {
    let made = try await Session.signedIn()
    let token = try await made.session.accessToken()
    let found = try await made.session.verify()
    #expect(found.isAccepted && found.expiresAt == token.expiresAt)
    #expect(made.session.cachedAccessToken == token)
    #expect(made.vault.refreshes == 1)
  }

  @Test
  func aTokenThatIsRefusedIsForgottenAndTheNextOneIsNew() async throws {
    let made = try await Session.signedIn()
    let token = try await made.session.accessToken()
    made.vault.set { $0.acceptsTokens = false }
    #expect(try await !made.session.verify().isAccepted)
    #expect(made.session.cachedAccessToken == nil)
    #expect(made.session.state == .authenticated(Session.user))
    #expect(try await made.session.accessToken() != token)
  }

  @Test
  func aLoginThatIsOverIsToldAsThat() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.failures[.verify] = [AuthError(.loginRequired, "revoked")] }
    let failure = await error { () throws(AuthError) in try await made.session.verify() }
    #expect(failure?.kind == .loginRequired)
    #expect(made.session.state == .loginRequired(Session.user, reason: "revoked"))
  }

  @Test
  func aProviderThatAnswersIsNoLongerOffline() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    let email = "bob@example.com"
    made.vault.set { $0.users = [email: "pw"] }
    func losesTheNetwork() async {
      made.vault.set { $0.failures[.verify] = [AuthError(.offline, "no network")] }
      _ = await error { () throws(AuthError) in try await session.verify() }
      #expect(session.isOffline)
    }
    await losesTheNetwork()
    try await session.verify()
    #expect(session.state == .authenticated(Session.user))
    await losesTheNetwork()
    try await session.fetchCurrentUser()
    #expect(session.state == .authenticated(Session.user))
    await losesTheNetwork()
    let user = try await session.login(email: email, password: try Password("pw"))
    #expect(session.state == .authenticated(user))
  }

  @Test
  func theClaimsHaveTheirTypes() {
    let user = User(
      email: "ada@example.com",
      isEmailVerified: true,
      role: "admin",
      createdAt: 1_787_306_400,
      issuer: "https://id.test",
      claims: [
        "team": "analysis", "level": 7, "score": 1.5, "active": true,
        "tags": ["a", "b"], "address": ["city": "Turin"], "none": .null,
      ]
    )
    #expect(user.claims["team"]?.string == "analysis" && user.claims["team"]?.integer == nil)
    #expect(user.claims["level"]?.integer == 7 && user.claims["level"]?.number == 7)
    #expect(user.claims["score"]?.number == 1.5 && user.claims["score"]?.integer == nil)
    #expect(ClaimValue.number(3).integer == 3)
    #expect(user.claims["active"]?.boolean == true)
    #expect(user.claims["tags"]?.array?.compactMap(\.string) == ["a", "b"])
    #expect(user.claims["address"]?["city"]?.string == "Turin")
    #expect(user.claims["none"] == .null && user.claims["missing"] == nil)
    var text = "\(user) \(user.claims)"
    dump(user, to: &text)
    dump(user.claims["address"], to: &text)
    for fact in ["Turin", "analysis", "ada@example.com", "admin"] { #expect(!text.contains(fact)) }
  }
}
