import AuthSession
import Synchronization
import WebServer

/// What each address answers: the view of the session's state, and what its buttons do.
final class Pages: Sendable {
  private struct Content {
    /// Said once, on the next page.
    var notice: String?
    /// The person was asked whether to protect the login, and said no.
    var maybeLater = false
    var running = 0
  }

  private let session: AuthSession
  private let backend: String
  private let visitors: Visitors
  private let content = Mutex(Content())

  init(_ session: AuthSession, backend: String, _ visitors: Visitors) {
    self.session = session
    self.backend = backend
    self.visitors = visitors
  }

  /// Answers one request.
  func answer(_ request: WebRequest) async -> WebResponse {
    if let refusal = visitors.refusal(of: request) {
      return refusal.status == 303
        ? refusal : views.page(status: refusal.status, views.stranger())
    }
    switch (request.method, request.path) {
    case ("GET", "/"): return home()
    case ("GET", "/register"): return views.page(views.register())
    case ("GET", "/inside"): return await inside()
    case ("POST", _): return await act(request)
    default: return views.page(status: 404, views.notFound())
    }
  }

  private var views: Views { Views(formToken: visitors.formToken) }

  /// The view of the state.
  private func home() -> WebResponse {
    let (notice, isRunning, maybeLater) = content.withLock { content in
      defer { content.notice = nil }
      return (content.notice, content.running > 0, content.maybeLater)
    }
    switch session.state {
    case .presencePrompt(let prompt): return views.page(views.prompt(prompt))
    case .authenticating: return views.page(views.loading())
    case _ where isRunning: return views.page(views.loading())
    case .unauthenticated: return views.page(views.login(notice: notice))
    case .loginRequired(_, let reason):
      return views.page(views.login(notice: notice ?? reason ?? "Please sign in again."))
    case .locked(let user): return views.page(views.lock(user, notice: notice))
    case .error(let error): return views.page(views.error(error))
    case .authenticated where !session.hasProtectedCredentials && !maybeLater:
      return views.page(views.presenceSetup(notice: notice))
    case .authenticated(let user):
      return views.page(
        views.profile(user, isProtected: session.hasProtectedCredentials, notice: notice)
      )
    case .offline(let user):
      return views.page(
        views.profile(
          user,
          isProtected: session.hasProtectedCredentials,
          notice: notice ?? "There is no network at the moment."
        )
      )
    }
  }

  /// The protected area: what the backend says to a valid access token.
  private func inside() async -> WebResponse {
    guard session.isAuthenticated else { return .see("/") }
    var answer: AuthResponse?
    await run { [session, backend] () throws(AuthError) in
      try await session.request(AuthRequest(backend + "/auth/me"))
    } then: {
      answer = $0
    }
    guard let answer else { return .see("/") }
    return views.page(views.inside(answer))
  }

  private func act(_ request: WebRequest) async -> WebResponse {
    let form = request.form
    switch request.path {
    case "/login", "/register":
      await run { [session] () throws(AuthError) in
        let password = try Password(form["password"] ?? "")
        if request.path == "/login" {
          try await session.login(email: form["email"] ?? "", password: password)
        } else {
          try await session.register(
            email: form["email"] ?? "",
            name: form["name"],
            password: password
          )
        }
      }
    case "/logout":
      await run { [session] () throws(AuthError) in _ = try await session.logout() }
      content.withLock { $0.maybeLater = false }
    case "/unlock":
      await run { [session] () throws(AuthError) in
        try await session.unlock(reason: "to open the protected area")
      }
    case "/lock": await run { [session] () throws(AuthError) in try await session.lock() }
    case "/protect":
      await run { [session] () throws(AuthError) in
        try await session.enablePresenceProtection(reason: "to protect your login")
      }
    case "/unprotect":
      await run { [session] () throws(AuthError) in
        try await session.disablePresenceProtection(reason: "to end the protection")
      }
      content.withLock { $0.maybeLater = true }
    case "/later": content.withLock { $0.maybeLater = true }
    case "/dismiss": session.dismissError()
    case "/prompt/password", "/prompt/cancel", "/prompt/answer", "/prompt/begin":
      await answerPrompt(request)
    default: return views.page(status: 404, views.notFound())
    }
    return .see("/")
  }

  private func answerPrompt(_ request: WebRequest) async {
    guard case .presencePrompt(let prompt) = session.state else { return }
    let old = prompt.phase
    switch request.path {
    case "/prompt/password": prompt.choosePassword()
    case "/prompt/cancel": prompt.cancel()
    case "/prompt/begin": prompt.begin()
    default:
      guard let password = try? Password(request.form["password"] ?? "") else { return }
      prompt.answer(password)
    }
    await settle { prompt.phase != old }
  }

  // MARK: Work

  /// Begins something, and comes back when it has ended, asks for somebody, or takes its time.
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(AuthError) -> Value,
    then done: ((Value) -> Void)? = nil
  ) async {
    content.withLock { $0.running += 1 }
    let result = Outcome<Value>()
    Task {
      do throws(AuthError) { result.set(try await body()) } catch {
        if error.recovery != .keepSession { content.withLock { $0.notice = error.description } }
      }
      content.withLock { $0.running -= 1 }
      result.end()
    }
    await settle {
      if case .presencePrompt = self.session.state { return true }
      return result.hasEnded
    }
    if let value = result.value { done?(value) }
  }

  /// Waits for something that mostly happens at once; a page that says "one moment" comes else.
  private func settle(_ condition: () -> Bool) async {
    for _ in 0..<100 where !condition() { try? await Task.sleep(for: .milliseconds(10)) }
  }
}

/// What came of a task.
private final class Outcome<Value: Sendable>: Sendable {
  private let content = Mutex<(value: Value?, hasEnded: Bool)>((nil, false))

  var value: Value? { content.withLock { $0.value } }
  var hasEnded: Bool { content.withLock { $0.hasEnded } }

  func set(_ value: Value) {
    content.withLock { $0.value = value }
  }

  func end() {
    content.withLock { $0.hasEnded = true }
  }
}
