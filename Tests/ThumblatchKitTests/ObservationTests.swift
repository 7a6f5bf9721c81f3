import Observation
import Synchronization
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// The values that an observer of a session or a prompt reads when it is notified.
struct ObservationTests {
  /// A view on another thread reads as soon as it is notified.
  ///
  /// The value must not be old, because no other notification would follow.
  @Test
  func whoIsToldOfAPhaseFindsIt() {
    let prompt = PresencePrompt(requester: "test", account: nil, purpose: "test")
    let found = Mutex<PresencePrompt.Phase?>(nil)
    _ = withObservationTracking {
      prompt.phase
    } onChange: {
      let phase = prompt.phase
      found.withLock { $0 = phase }
    }
    prompt.show(.checking)
    #expect(found.withLock { $0 } == .checking)
  }

  @Test
  func whoIsToldOfANoticeFindsIt() {
    let prompt = PresencePrompt(requester: "test", account: nil, purpose: "test")
    let found = Mutex<String?>(nil)
    _ = withObservationTracking {
      prompt.notice
    } onChange: {
      let notice = prompt.notice
      found.withLock { $0 = notice }
    }
    prompt.show(notice: "another finger")
    #expect(found.withLock { $0 } == "another finger")
  }

  @Test
  func whoIsToldOfAStateFindsIt() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.failures[.fetchUser] = [AuthError(.misconfigured, "no such address")] }
    let session = made.session
    _ = await error { () throws(AuthError) in try await session.fetchCurrentUser() }
    let found = Mutex<AuthState?>(nil)
    let state = withObservationTracking {
      session.state
    } onChange: {
      let state = session.state
      found.withLock { $0 = state }
    }
    #expect(state == .error(AuthError(.misconfigured, "no such address")))
    session.dismissError()
    #expect(found.withLock { $0 } == .authenticated(Session.user))
  }
}
