import AuthSession
import AuthSessionTesting
import Observation
import Synchronization
import Testing

/// What must not be seen, and what must.
@Suite(.timeLimit(.minutes(1)))
struct RedactionTests {
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
    #expect(!text.contains("very-secret"))
    #expect(token.authorization == "Bearer very-secret-token")
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
