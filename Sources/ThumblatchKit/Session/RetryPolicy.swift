internal import VaultClient
internal import VaultInterface

/// How a session tries again by itself after a temporary failure of the network or the provider.
///
/// It applies to tokens, `fetchCurrentUser()`, `verify()` and requests. It does not apply to a
/// sign-in or a registration: the person waits for those, and may change the input.
///
/// A request is sent again if no part of it left this machine, or if its method is idempotent
/// (RFC 9110, section 9.2.2). An idempotent request is also sent again after an answer of 429, 502,
/// 503 or 504. A POST that may have taken effect is never sent a second time.
public struct RetryPolicy: Sendable, Hashable {
  /// The most tries that any policy allows.
  public static let mostTries = 10
  /// The longest time that any policy allows.
  public static let longestTime = Duration.seconds(600)
  /// The longest pause between two tries, unless the server asks for a longer one.
  static let longestPause = Duration.seconds(30)

  /// The total number of tries, the first one included: 1 to 10.
  public let tries: Int
  /// The total time, from the first try to the beginning of the last one: at most ten minutes.
  public let time: Duration
  /// The pause after the first try.
  ///
  /// It doubles with each further try, to at most 30 seconds. A random part of up to a quarter is
  /// added, so that many apps do not come back at once.
  public let firstPause: Duration

  /// Makes a policy.
  ///
  /// Values beyond the bounds are cut to the bounds.
  ///
  /// A pause is never shorter than the server asks for (`Retry-After`). It is also never shorter
  /// than the vault waits after a lost answer. If the time does not allow the pause, the error
  /// comes at once.
  public init(
    tries: Int = 4,
    time: Duration = .seconds(60),
    firstPause: Duration = .milliseconds(500)
  ) {
    self.tries = min(max(tries, 1), Self.mostTries)
    self.time = min(max(time, .zero), Self.longestTime)
    self.firstPause = min(max(firstPause, .milliseconds(50)), Self.longestPause)
  }

  /// The pause after `made` tries; `nil` if no try or no time is left.
  func pause(after made: Int, elapsed: Duration, asked: Duration?) -> Duration? {
    guard made < tries else { return nil }
    var pause = firstPause
    for _ in 1..<max(made, 1) { pause = min(pause * 2, Self.longestPause) }
    let jittered = max(pause + pause * Double.random(in: 0...0.25), asked ?? .zero)
    return elapsed + jittered <= time ? jittered : nil
  }
}

extension AuthError {
  /// How long the provider, or the vault, asks to wait before the next try; `nil` if neither says.
  public var retryAfter: Duration? {
    if case .providerUnavailable(let time, _) = kind { return time }
    guard case .refused(.busy(_, let seconds?)) = cause as? VaultClientError else { return nil }
    return .seconds(seconds)
  }

  /// Whether the same call may succeed a moment later without a change here.
  var isTemporary: Bool {
    switch kind {
    case .offline, .notAnswering, .providerUnavailable: true
    default: false
    }
  }
}

extension AuthSession {
  /// Makes a call to the vault, and makes it again if the configuration allows that.
  ///
  /// One touch counts for one request. After a prompt was shown, a further try shows none. If it
  /// would need one, the error of the previous try is the outcome.
  func retrying<Value: Sendable>(
    _ check: PresenceCall,
    _ body: (PresenceAsking) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    guard let policy = configuration.retry else { return try await body(check.asking) }
    let begun = clock.elapsed
    var made = 0
    var last: AuthError?
    while true {
      let failure: AuthError
      let moment = facts.moment
      do throws(AuthError) {
        return try await body(check.hasAsked ? check.askingNobody : check.asking)
      } catch {
        if let last, check.hasAsked, error.isOfPresence { throw last }
        failure = error
      }
      made += 1
      guard failure.isTemporary,
        let pause = policy.pause(
          after: made,
          elapsed: .nanoseconds(clock.elapsed - begun),
          asked: failure.retryAfter
        )
      else { throw failure }
      last = failure
      if failure.isUnreached { change { $0.missedProvider(since: moment) } }
      try await wait(pause)
    }
  }

  /// Sends a request, and sends it again if the configuration allows that and a repeat is safe.
  func sendRetrying(
    _ request: AuthRequest,
    _ send: (AuthRequest) async throws(AuthError) -> AuthResponse
  ) async throws(AuthError) -> AuthResponse {
    guard let policy = configuration.retry else { return try await send(request) }
    let begun = clock.elapsed
    var made = 0
    while true {
      let outcome: Result<AuthResponse, AuthError>
      do throws(AuthError) { outcome = .success(try await send(request)) } catch {
        outcome = .failure(error)
      }
      made += 1
      guard request.mayBeSentAgain(after: outcome),
        let pause = policy.pause(
          after: made,
          elapsed: .nanoseconds(clock.elapsed - begun),
          asked: outcome.retryAfter(now: clock.secondsSince1970)
        )
      else { return try outcome.get() }
      try await wait(pause)
    }
  }

  private func wait(_ pause: Duration) async throws(AuthError) {
    do { try await clock.sleep(for: pause) } catch { throw .taskCancelled }
    if Task.isCancelled { throw .taskCancelled }
  }
}

extension AuthRequest {
  /// Whether the effect of two such requests is that of one (RFC 9110, section 9.2.2).
  private var isIdempotent: Bool {
    ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method)
  }

  fileprivate func mayBeSentAgain(after outcome: Result<AuthResponse, AuthError>) -> Bool {
    switch outcome {
    // No part of the request was sent.
    case .failure(let error) where error.isUnreached: true
    case .failure(let error): error.isTemporary && isIdempotent
    case .success(let response): [429, 502, 503, 504].contains(response.status) && isIdempotent
    }
  }
}

extension Result<AuthResponse, AuthError> {
  /// How long the server asks to wait; `now` is in seconds since 1970.
  fileprivate func retryAfter(now: Int64) -> Duration? {
    switch self {
    case .failure(let error): error.retryAfter
    case .success(let response):
      response.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
    }
  }
}

extension AuthError {
  /// Whether a presence check stopped the call.
  fileprivate var isOfPresence: Bool { if case .presence = kind { true } else { false } }
}
