import Observation
import Synchronization
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// The values that descriptions must hide, and those that they must show.
@Suite(.timeLimit(.minutes(10)))
struct RedactionTests {
  /// A value of an app's own that contains one of the library's.
  private struct Holder<Value> {
    let value: Value
  }

  @Test
  func neitherTokenNorPasswordCanBePrinted() async throws {
    let token = AccessToken("very-secret-token", expiresAt: 2_000_000_000)
    let password = try Password("very-secret-password")
    var text = "\(token) \(String(reflecting: token)) \(password) \(String(reflecting: password))"
    dump(token, to: &text)
    dump(password, to: &text)
    dump(Optional(token), to: &text)
    dump([password], to: &text)
    let request = TokenRequest(rejected: "very-secret-token")
    let provider = try AuthProvider(
      name: "work",
      settings: [
        "kind": "oidc", "issuer": "https://id.test", "client_id": "app",
        "client_secret": "very-secret-client",
      ]
    )
    text += "\(request) \(String(reflecting: request)) \(provider) \(String(reflecting: provider))"
    dump(request, to: &text)
    dump(provider, to: &text)
    let headers: AuthHeaders = ["Authorization": "Bearer very-secret-token"]
    text += "\(headers) \(String(reflecting: headers)) \(headers[0]) \([headers[0]])"
    dump(headers, to: &text)
    #expect(!text.contains("very-secret"))
    #expect(token.authorization == "Bearer very-secret-token")
  }

  /// The output of `print`, `dump` and an interpolation for a value, by itself and inside other
  /// values.
  private func shown<Value>(_ value: Value) -> String {
    var text = "\(value) \(String(reflecting: value)) \(Optional(value) as Any) \([value])"
    dump(value, to: &text)
    dump(Holder(value: value), to: &text)
    return text
  }

  @Test
  func noStateShowsThePerson() async throws {
    let user = User(
      id: "very-private-id",
      email: "very-private@example.org",
      name: "very-private Ada",
      issuer: "https://very-private.test"
    )
    let failure = AuthError(.providerRefused(status: 409), "very-private@example.org is known")
    let states: [AuthState] = [
      .authenticated(user), .locked(user), .offline(user), .error(failure),
      .loginRequired(user, reason: "very-private"),
      .presencePrompt(
        PresencePrompt(
          requester: "very-private",
          account: "very-private",
          purpose: "very-private",
          detail: "very-private",
          reason: "very-private",
          passwordReason: "very-private"
        )
      ),
    ]
    for state in states {
      #expect(!shown(state).contains("very-private"), "\(state)")
    }
    #expect("\(states[0]) \(states[3])" == "authenticated error(providerRefused(status: 409))")
    #expect(!String(reflecting: failure).contains("very-private"))
    // The message itself is for the person.
    #expect("\(failure)" == "very-private@example.org is known")
  }

  @Test
  func noSnapshotSessionRequestOrAnswerShowsThePerson() async throws {
    let made = try Session()
    let user = User(id: "very-private", email: "very-private", issuer: "https://id.test")
    made.vault.signIn(user)
    try await made.session.restore()
    #expect(made.session.currentUser == user)
    let snapshot = try await made.vault.snapshot(of: "me")
    let prompt = PresencePrompt(requester: "very-private", account: nil, purpose: "very-private")
    prompt.show(.question("very-private", isHidden: true))
    let text = [
      shown(made.session), shown(user), shown(snapshot), shown(try #require(snapshot.account)),
      shown(prompt), shown(prompt.phase), shown(LoginPrompt(url: "very-private", lifetime: .zero)),
      shown(AuthRequest("https://api.test/very-private", body: Array("very-private".utf8))),
      shown(AuthResponse(status: 200, location: "very-private", body: Array("p".utf8))),
    ]
    for (index, text) in text.enumerated() {
      #expect(!text.contains("very-private"), "\(index): \(text)")
    }
    #expect("\(made.session)" == "AuthSession(authenticated)")
    for rest in ["", "/a?b", "?mail=ada@example.org", "#part", "/ada@example.org"] {
      let request = AuthRequest("https://api.test" + rest)
      #expect("\(request)" == "AuthRequest(GET https://api.test)")
    }
    #expect("\(AuthRequest("https://ada:pw@api.test/"))" == "AuthRequest(GET https://api.test)")
  }

  @Test
  func aChangeOfTheStateIsObserved() async throws {
    let made = try await Session.signedIn()
    let changes = Mutex(0)
    withObservationTracking {
      _ = made.session.state
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    #expect(changes.withLock { $0 } == 0)
    try await made.session.logout()
    #expect(changes.withLock { $0 } == 1)
  }

  @Test
  func aChangeOfThePromptIsObserved() async throws {
    let prompt = PresencePrompt(requester: "a test", account: "me", purpose: "unlock")
    let changes = Mutex(0)
    withObservationTracking {
      _ = prompt.phase
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    prompt.show(.finger(.center))
    #expect(changes.withLock { $0 } == 1)
    #expect(prompt.phase == .finger(.center))
  }

  @Test
  func theSequenceOfStatesEndsWithTheSession() async throws {
    let states: AsyncStream<AuthState>
    do {
      let made = try await Session.signedIn()
      states = made.session.states
      try await made.session.logout()
    }
    var seen: [AuthState] = []
    for await state in states { seen.append(state) }
    #expect(seen == [.authenticated(Session.user), .unauthenticated])
  }
}
