import Synchronization
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// A session that retries automatically.
@Suite(.timeLimit(.minutes(10)))
struct RetryTests {
  private static let down = AuthError(.providerUnavailable(retryAfter: nil, status: 503), "down")
  private static let patience = AuthError(
    .providerUnavailable(retryAfter: .seconds(20), status: 429),
    "not so fast"
  )

  private func made(
    _ policy: RetryPolicy? = RetryPolicy(),
    protected isProtected: Bool = false,
    presenter: ScriptedPresenter? = ScriptedPresenter(.touches)
  ) async throws -> Session {
    try await Session.signedIn(
      AuthConfiguration(retry: policy),
      protected: isProtected,
      presenter: presenter
    )
  }

  /// Moves the clock on whenever a task waits for it, until the task has ended.
  private func value<Value: Sendable>(
    of task: Task<Value, any Error>,
    _ clock: ManualAuthClock,
    by step: Duration = .seconds(1)
  ) async throws -> Result<Value, any Error> {
    let end = Ended()
    Task {
      _ = await task.result
      end.set()
    }
    while !end.isSet {
      try Task.checkCancellation()
      if clock.sleepers > 0 { clock.advance(by: step) }
      await Task.yield()
    }
    return await task.result
  }

  @Test
  func aFailureOfTheMomentIsTriedAgainAndTheTokenComes() async throws {
    let made = try await made()
    made.vault.set { $0.failures[.accessToken] = [Self.down, AuthError(.offline, "no network")] }
    let task = Task { try await made.session.accessToken() }
    #expect(try await value(of: task, made.clock).get().value == "at-1")
    #expect(made.vault.count(of: .accessToken) == 3)
    #expect(made.session.state == .authenticated(Session.user))
  }

  @Test
  func withoutAPolicyTheFirstFailureIsAnError() async throws {
    let made = try await made(nil)
    made.vault.set { $0.failures[.accessToken] = [Self.down] }
    let failure = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(failure == Self.down)
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func theWaitIsAsLongAsTheServerAsks() async throws {
    let made = try await made()
    made.vault.set { $0.failures[.accessToken] = [Self.patience] }
    let task = Task { try await made.session.accessToken() }
    try await until { made.clock.sleepers == 1 }
    made.clock.advance(by: .seconds(19))
    #expect(made.clock.sleepers == 1)
    made.clock.advance(by: .seconds(1))
    _ = try await task.value
    #expect(made.clock.elapsed == 20_000_000_000)
  }

  @Test
  func whatThereIsNoTimeForIsAnErrorAtOnce() async throws {
    let made = try await made(RetryPolicy(time: .seconds(19)))
    made.vault.set { $0.failures[.accessToken] = [Self.patience] }
    let failure = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(failure == Self.patience)
    #expect(made.clock.sleepers == 0)
  }

  @Test
  func theNumberOfTriesIsBounded() async throws {
    let made = try await made(RetryPolicy(tries: 3, time: .seconds(600)))
    made.vault.set { $0.failures[.accessToken] = Array(repeating: Self.down, count: 9) }
    let task = Task { try await made.session.accessToken() }
    guard case .failure(let failure) = try await value(of: task, made.clock) else {
      Issue.record("a token came")
      return
    }
    #expect(failure as? AuthError == Self.down)
    #expect(made.vault.count(of: .accessToken) == 3)
    let widest = RetryPolicy(tries: 999, time: .seconds(99_999), firstPause: .zero)
    #expect(widest.tries == 10 && widest.time == .seconds(600))
    #expect(widest.firstPause == .milliseconds(50))
    #expect(RetryPolicy(tries: -1, time: .seconds(-1)).tries == 1)
  }

  @Test(arguments: [
    AuthError(.loginRequired, "x"), AuthError(.presence(.noMatch), "x"), AuthError(.busy, "x"),
    AuthError(.misconfigured, "x"), AuthError(.providerRefused(status: 403), "x"),
  ])
  func whatNoTryMendsIsTriedOnce(_ failure: AuthError) async throws {
    let made = try await made()
    made.vault.set { $0.failures[.accessToken] = [failure] }
    let found = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(found?.kind == failure.kind)
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func aTaskThatIsCancelledWaitsNoLonger() async throws {
    let made = try await made()
    made.vault.set { $0.failures[.accessToken] = [Self.patience] }
    let task = Task { try await made.session.accessToken() }
    try await until { made.clock.sleepers == 1 }
    task.cancel()
    let failure = await #expect(throws: AuthError.self) { try await task.value }
    #expect(failure?.kind == .cancelled)
    try await until { made.clock.sleepers == 0 }
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func noSecondPromptIsShown() async throws {
    let made = try await made(protected: true)
    // The touch is spent on a refresh that fails. The next attempt would need another touch.
    made.vault.set { $0.refreshFailures = [Self.down] }
    let task = Task { try await made.session.accessToken() }
    guard case .failure(let failure) = try await value(of: task, made.clock) else {
      Issue.record("a token came")
      return
    }
    #expect(failure as? AuthError == Self.down)
    #expect(made.presenter.prompts.count == 1)
    #expect(made.vault.count(of: .accessToken) == 2)
    // With an open window no touch is needed, and the retry succeeds.
    made.vault.set {
      $0.isUnlocked = true
      $0.refreshFailures = [Self.down]
    }
    let second = Task { try await made.session.accessToken() }
    #expect(try await value(of: second, made.clock).get().value == "at-1")
    #expect(made.presenter.prompts.count == 1)
  }

  @Test
  func allWhoWaitForATokenShareTheTries() async throws {
    let made = try await made()
    made.vault.set { $0.failures[.accessToken] = [Self.patience] }
    let tasks = (0..<5).map { _ in Task { try await made.session.accessToken().value } }
    try await until { made.clock.sleepers == 1 && made.vault.count(of: .accessToken) == 1 }
    for task in tasks.dropFirst() { task.cancel() }
    made.clock.advance(by: .seconds(20))
    #expect(try await tasks[0].value == "at-1")
    #expect(made.vault.count(of: .accessToken) == 2)
  }

  @Test(arguments: [
    ("GET", 503, 2), ("PUT", 429, 2), ("DELETE", 504, 2), ("HEAD", 502, 2), ("POST", 503, 1),
    ("PATCH", 429, 1), ("GET", 500, 1), ("GET", 404, 1),
  ])
  func aRequestIsSentAgainWhereThatIsSafe(
    _ method: String,
    _ status: Int,
    _ sent: Int
  ) async throws {
    let made = try await made()
    let count = Counter()
    made.vault.set {
      $0.respond = { _, _ in
        count.next() == 1
          ? AuthResponse(status: status, headers: ["retry-after": "3"]) : AuthResponse(status: 200)
      }
    }
    let task = Task {
      try await made.session.request(AuthRequest("https://api.test/", method: method))
    }
    let response = try await value(of: task, made.clock).get()
    #expect(response.status == (sent == 2 ? 200 : status))
    #expect(made.vault.requests.count == sent)
    if sent == 2 { #expect(made.clock.elapsed == 3_000_000_000) }
  }

  @Test(
    arguments: [
      // The clock shows Tue, 14 Nov 2023 22:13:20 GMT.
      ("20", 20), ("Tue, 14 Nov 2023 22:13:40 GMT", 20), ("Wed, 15 Nov 2023 00:00:00 GMT", nil),
      ("90000", nil), ("99999999999999999999", nil),
    ] as [(String, Int64?)]
  )
  func aRequestWaitsAsLongAsTheServerAsks(_ header: String, _ seconds: Int64?) async throws {
    let made = try await made()
    let count = Counter()
    made.vault.set {
      $0.respond = { _, _ in
        count.next() == 1
          ? AuthResponse(status: 503, headers: ["Retry-After": header]) : AuthResponse(status: 200)
      }
    }
    let task = Task { try await made.session.request(AuthRequest("https://api.test/")) }
    let response = try await value(of: task, made.clock).get()
    // The longer waits exceed the time limit: the first answer is the result.
    #expect(response.status == (seconds == nil ? 503 : 200))
    #expect(made.clock.elapsed == (seconds ?? 0) * 1_000_000_000)
  }

  @Test(arguments: [
    "", "-1", "1.5", "soon", "Tue, 14 Nov 2023 22:13:40 CET", "Tue, 14 Foo 2023 22:13:40 GMT",
    "Tue, 14 Nov 2023 29:13:40 GMT", "Tue, +4 Nov 2023 22:13:40 GMT",
    "Tue, 14 Nov 2023 22:13:20 GMT",
  ])
  func aWaitThatSaysNothingIsThePolicys(_ header: String) async throws {
    let made = try await made(RetryPolicy(firstPause: .seconds(2)))
    let count = Counter()
    made.vault.set {
      $0.respond = { _, _ in
        count.next() == 1
          ? AuthResponse(status: 503, headers: ["Retry-After": header]) : AuthResponse(status: 200)
      }
    }
    let task = Task { try await made.session.request(AuthRequest("https://api.test/")) }
    #expect(try await value(of: task, made.clock).get().status == 200)
    #expect((2_000_000_000...3_000_000_000).contains(made.clock.elapsed))
  }

  @Test(arguments: [AuthError.Kind.offline, .notAnswering])
  func aRequestThatWasNotSentIsSentWhateverItIs(_ kind: AuthError.Kind) async throws {
    let made = try await made()
    made.vault.set { $0.failures[.send] = [AuthError(kind, "nothing was sent")] }
    let request = AuthRequest("https://api.test/", method: "POST", body: [1])
    let task = Task { try await made.session.request(request) }
    #expect(try await value(of: task, made.clock).get().status == 200)
    #expect(made.vault.count(of: .send) == 2)
    // A request that may have taken effect is not sent again.
    made.vault.set { $0.failures[.send] = [Self.down] }
    let failure = await error { () throws(AuthError) in try await made.session.request(request) }
    #expect(failure == Self.down)
  }

  @Test
  func aRequestWithANewTokenIsSentAgainToo() async throws {
    let made = try await made()
    let count = Counter()
    made.vault.set {
      $0.respond = { _, token in
        guard token.value == "at-2" else { return AuthResponse(status: 401) }
        return AuthResponse(status: count.next() == 1 ? 503 : 200)
      }
    }
    let task = Task { try await made.session.request(AuthRequest("https://api.test/")) }
    #expect(try await value(of: task, made.clock).get().status == 200)
    #expect(made.vault.requests.count == 3)
  }

  @Test
  func aServerThatIsNotTrustedIsNotAskedAgain() async throws {
    let made = try await made()
    let failure = AuthError(.providerNotTrusted, "another certificate")
    made.vault.set { $0.failures[.send] = [failure] }
    let outcome = await error { () throws(AuthError) in
      try await made.session.request(AuthRequest("https://api.test/"))
    }
    #expect(outcome == failure)
    #expect(made.vault.count(of: .send) == 1)
  }
}

/// Counts calls of a closure.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// Whether a task has ended.
private final class Ended: Sendable {
  private let hasEnded = Mutex(false)

  var isSet: Bool { hasEnded.withLock { $0 } }

  func set() { hasEnded.withLock { $0 = true } }
}
