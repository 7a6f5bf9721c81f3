import Synchronization
import ThumblatchKit
import WebServer

/// Answers each address: the view of the session's state, and the actions of its buttons.
final class Pages: Sendable {
  /// How long an answer waits for a result that usually comes at once.
  private static let timeout = Duration.seconds(1)
  /// How long a page stays open to wait for another view.
  private static let longestWait = Duration.seconds(120)

  private let session: AuthSession
  private let backend: String
  private let browsers: Browsers
  private let state = PageState()

  init(_ session: AuthSession, backend: String, _ browsers: Browsers) {
    self.session = session
    self.backend = backend
    self.browsers = browsers
  }

  /// Answers one request.
  func answer(_ request: WebRequest) async -> WebResponse {
    await answerUnguarded(request).guarded
  }

  private func answerUnguarded(_ request: WebRequest) async -> WebResponse {
    switch browsers.judge(request) {
    case .refused(let status): return views.stranger().page(status: status)
    case .welcome(let response): return response
    case .known: break
    }
    switch (request.method, request.path) {
    case ("GET", "/"): return await home(wantsLogin: request.form["form"] == "login")
    case ("GET", "/register"): return registration()
    case ("GET", "/inside"): return await inside()
    case ("GET", _), ("HEAD", _): return views.notFound().page(status: 404)
    case ("POST", _): return await act(request)
    default: return WebResponse(status: 405, headers: [("Allow", "GET, POST")])
    }
  }

  private var views: Views { Views(formToken: browsers.formToken, backend: backend) }

  // MARK: Views

  private func home(wantsLogin: Bool) async -> WebResponse {
    if case .error(let error) = session.state, error.recovery == .correctInput, state.draft.isNew,
      !state.isBusy
    {
      // The form of a new account is another page; its link leads back to the sign-in.
      guard wantsLogin else { return .see("/register") }
      return views.login(Draft(email: state.draft.email), nil).page()
    }
    var capability: PresenceCapability?
    if case .authenticated = session.state, !session.hasProtectedCredentials, !state.isAskedLater {
      capability = try? await session.presenceCapability()
    }
    let shown = view(capability)
    var response = shown.page()
    // The page stays open, usable and with its focus, until the view changes. Then its end is sent,
    // which loads the new view.
    if shown.isPassing {
      response.rest = { [self] in
        _ = await until(Self.longestWait) { [self] in view().stamp != shown.stamp }
        return View.onward
      }
    }
    return response
  }

  /// The form of a new account while signed out, with the errors of the last submission.
  private func registration() -> WebResponse {
    guard !state.isBusy else { return .see("/") }
    let draft = state.draft.isNew ? state.draft : Draft(isNew: true)
    switch session.state {
    case .unauthenticated: return views.register(draft, state.notice).page()
    case .error(let error) where error.recovery == .correctInput && !session.isAuthenticated:
      // The error may belong to a sign-in, whose page links here.
      guard state.draft.isNew else { return views.register(draft, nil).page() }
      return views.register(draft.marked(by: error), Self.notice(of: error, draft)).page()
    default: return .see("/")
    }
  }

  /// The text of an error that belongs to none of the fields.
  private static func notice(of error: AuthError, _ draft: Draft) -> Notice? {
    draft.marked(by: error).isWrong ? nil : .alert(error.message.asSentence)
  }

  /// The view of the state.
  private func view(_ capability: PresenceCapability? = nil) -> View {
    let isProtected = session.hasProtectedCredentials
    switch session.state {
    case .presencePrompt(let prompt): return views.prompt(prompt)
    case .authenticating: return views.loading()
    case _ where state.isBusy: return views.loading()
    case .unauthenticated: return views.login(state.draft, state.notice)
    case .loginRequired(_, let reason):
      return views.login(
        state.draft,
        state.notice ?? .alert((reason ?? "please sign in again").asSentence)
      )
    case .locked(let user): return views.lock(user, state.notice)
    case .error(let error) where error.recovery == .correctInput && !session.isAuthenticated:
      return views.login(state.draft.marked(by: error), Self.notice(of: error, state.draft))
    case .error(let error): return views.error(error)
    case .authenticated where !isProtected && !state.isAskedLater:
      return views.presenceSetup(capability, state.notice)
    case .authenticated(let user):
      return views.profile(user, isProtected: isProtected, state.notice)
    case .offline(let user): return views.offline(user)
    }
  }

  /// The protected area: the backend's answer to a valid access token.
  private func inside() async -> WebResponse {
    guard session.isAuthenticated else { return .see("/") }
    let record = await run { [session, backend] () throws(AuthError) in
      try await session.decode(BackendRecord.self, from: AuthRequest(backend + "/auth/me"))
    }
    guard let record else { return .see("/") }
    return views.inside(record).page()
  }

  // MARK: Buttons

  private func act(_ request: WebRequest) async -> WebResponse {
    switch request.path {
    case "/login", "/register": return await signIn(request)
    case "/logout":
      await run { [session, state] () throws(AuthError) in
        let outcome = try await session.logout(reason: "to end your login")
        state.isAskedLater = false
        state.notice =
          outcome.mayBeAlive
          ? .alert(
            "You are signed out here, but your login may still be alive at the backend."
              + (outcome.reason.map { " \($0.asSentence)" } ?? "")
          ) : .status("You are signed out.")
      }
    case "/unlock":
      await run { [session] () throws(AuthError) in
        try await session.unlock(reason: "to open the protected area")
      }
    case "/lock": await run { [session] () throws(AuthError) in try await session.lock() }
    case "/protect":
      await run { [session, state] () throws(AuthError) in
        try await session.enablePresenceProtection(reason: "to protect your login")
        state.notice = .status("Presence protection is on.")
      }
    case "/unprotect":
      await run { [session, state] () throws(AuthError) in
        try await session.disablePresenceProtection(reason: "to end the protection")
        state.isAskedLater = true
        state.notice = .status("Presence protection is off.")
      }
    case "/later": state.isAskedLater = true
    case "/cancel":
      state.cancel()
      _ = await until(Self.timeout) { [state] in !state.isBusy }
    case "/dismiss":
      session.dismissError()
      return .see(state.draft.isNew && !session.isAuthenticated ? "/register" : "/")
    case "/prompt/password", "/prompt/cancel", "/prompt/answer", "/prompt/begin":
      await answerPrompt(request)
    default: return views.notFound().page(status: 404)
    }
    return .see("/")
  }

  private func signIn(_ request: WebRequest) async -> WebResponse {
    let form = request.form
    var draft = Draft(
      name: form["name"] ?? "",
      email: form["email"] ?? "",
      isNew: request.path == "/register"
    )
    if draft.email.isEmpty { draft.emailError = "Enter your e-mail address." }
    if form["password", default: ""].isEmpty { draft.passwordError = "Enter your password." }
    guard !draft.isWrong else {
      let view = draft.isNew ? views.register(draft, nil) : views.login(draft, nil)
      return view.page(status: 422)
    }
    state.draft = draft
    await run { [session, state, draft] () throws(AuthError) in
      let password = try Password(form["password"] ?? "")
      if draft.isNew {
        let name = draft.name.isEmpty ? nil : draft.name
        try await session.register(email: draft.email, name: name, password: password)
      } else {
        try await session.login(email: draft.email, password: password)
      }
      state.draft = Draft()
    }
    return .see("/")
  }

  private func answerPrompt(_ request: WebRequest) async {
    let form = request.form
    // An answer counts only for the prompt at which it was typed, not for a newer one.
    guard case .presencePrompt(let prompt) = session.state, form["prompt"] == prompt.number else {
      return
    }
    let seen = view().stamp
    switch request.path {
    case "/prompt/password": prompt.choosePassword()
    case "/prompt/cancel": prompt.cancel()
    case "/prompt/begin": prompt.begin()
    default:
      guard case .question = prompt.phase, let password = try? Password(form["password"] ?? "")
      else { return }
      prompt.answer(password)
    }
    _ = await until(Self.timeout) { [self] in view().stamp != seen }
  }

  /// Runs a task, and returns when it has ended, needs the person, or takes longer.
  ///
  /// Only one task runs at a time: a second press of a button does nothing.
  @discardableResult
  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(AuthError) -> Value
  ) async -> Value? {
    let result = Result()
    let hasBegun = state.begin { [session, state] in
      do throws(AuthError) {
        let value = try await body()
        result.set(value)
      } catch {
        if case .error = session.state {
        } else if error.recovery == .keepSession {
          state.notice = .status("Cancelled. You can try again.")
        } else if ![.locked, .offline, .notAnswering].contains(error.kind) {
          state.notice = .alert(error.description.asSentence)
        }
      }
    }
    guard hasBegun else { return nil }
    _ = await until(Self.timeout) { [session, state] in
      if case .presencePrompt = session.state { return true }
      return !state.isBusy
    }
    return result.value()
  }
}

/// The result of a task, if it has ended.
private final class Result: Sendable {
  private let content = Mutex<(any Sendable)?>(nil)

  func set(_ value: some Sendable) {
    content.withLock { $0 = value }
  }

  func value<Value>() -> Value? {
    content.withLock { $0 as? Value }
  }
}
