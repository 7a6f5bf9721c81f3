import ThumblatchKit

/// The app: its session, and the commands of its input lines.
@MainActor
final class App {
  /// The backend's profile of a user.
  private struct Profile: Decodable {
    let email: String
  }

  private let provider: AuthProvider?
  private let person: Person
  private var session: AuthSession?
  private var crowd = Crowd()
  private var recording: Task<[String], Never>?

  init(provider: AuthProvider?, person: Person) {
    self.provider = provider
    self.person = person
    session = AuthSession(account: "me", provider: provider, presenter: person)
  }

  /// Carries out a command, and returns its outcome.
  func perform(_ words: [String]) async throws(AuthError) -> String {
    let (options, names) = Self.sorted(words.dropFirst())
    if words[0] == "open" {
      session = made(options)
      return ""
    }
    if words[0] == "close" {
      session = nil
      return ""
    }
    guard let session else { return "there is no session" }
    switch words[0] {
    case "person": Person.Way(rawValue: names[0]).map(person.does)
    case "crowd": crowd.grow(Int(names[0]) ?? 0, session)
    case "leave": return await crowd.take(Int(names[0])).cancelled()
    case "settle": return await crowd.take().summary()
    case "record": record(Int(names[0]) ?? 0, session)
    case "recorded": return await recording?.value.joined(separator: " ") ?? ""
    case "await":
      for await state in session.states where word(state).hasPrefix(names[0]) { break }
    default: return try await perform(words[0], names, options, session)
    }
    return ""
  }

  private func perform(
    _ action: String,
    _ names: [String],
    _ options: [String: String],
    _ session: AuthSession
  ) async throws(AuthError) -> String {
    let reason = options["reason"]?.replacing("_", with: " ")
    let policy = options["policy"].flatMap(Self.policy)
    switch action {
    case "restore": return word(try await session.restore())
    case "register":
      let password = try Password(names[1])
      return try await session.register(email: names[0], password: password).email ?? ""
    case "login":
      return try await session.login(email: names[0], password: try Password(names[1])).email ?? ""
    case "me": return try await session.fetchCurrentUser().email ?? ""
    case "verify": return "\(try await session.verify().isAccepted)"
    case "user": return session.currentUser.map(summary) ?? "nobody"
    case "protect": try await session.enablePresenceProtection(policy: policy, reason: reason)
    case "unprotect": try await session.disablePresenceProtection(policy: policy, reason: reason)
    case "unlock":
      let seconds = options["for"].flatMap(Int.init)
      let window = try await session.unlock(
        for: seconds.map { .seconds($0) },
        policy: policy,
        reason: reason
      )
      return options.isEmpty ? "" : "\(window.duration.components.seconds)"
    case "evaluate":
      try await session.evaluate(policy ?? .fingerprint, reason: reason ?? "to test")
    case "lock": try await session.lock()
    case "logout": return "\(try await session.logout().isRevoked)"
    case "capability": return "\(try await session.presenceCapability())"
    case "dismiss": session.dismissError()
    case "state": return word(session.state)
    case "facts":
      return "\(session.isAuthenticated) \(session.currentUser?.email ?? "nobody")"
        + " \(session.isLoading) \(session.hasProtectedCredentials)"
    case "scoped":
      let accepts = options["narrow"] == "yes"
      return try await session.accessToken(
        scopes: names,
        audience: options["audience"],
        mayNarrowLogin: accepts
      ).value
    default: return try await fetch(action, names, session)
    }
    return ""
  }

  private func fetch(
    _ action: String,
    _ names: [String],
    _ session: AuthSession
  ) async throws(AuthError) -> String {
    switch action {
    case "token":
      guard let seconds = names.first.flatMap(Int.init) else {
        return try await session.accessToken().value
      }
      let token = try await session.accessToken(minimumLifetime: .seconds(seconds))
      return "\(token.value) \(token.isShorterThanRequested)"
    case "cached": return session.cachedAccessToken?.value ?? "none"
    case "soon":
      let seconds = Int(names[0]) ?? 0
      return "\(session.isAccessTokenExpiringSoon(threshold: .seconds(seconds)))"
    case "header":
      return try await session.authorizationHeaders().map { "\($0.name): \($0.value)" }.joined()
    case "get": return "\(try await session.request(AuthRequest(names[0])).status)"
    case "post":
      let request = try AuthRequest.json(names[0], body: ["subject": "Hello"])
      return "\(try await session.request(request).status)"
    case "decode":
      return try await session.decode(Profile.self, from: AuthRequest(names[0])).email
    default: return try await signIn(action, session) ?? "what?"
    }
  }

  // MARK: Steps

  /// The `name=value` words by name, and the other words.
  private static func sorted(_ words: some Sequence<String>) -> ([String: String], [String]) {
    var options: [String: String] = [:]
    var names: [String] = []
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2, !word.contains(":") || word.hasPrefix("reason=") {
        options[String(parts[0])] = String(parts[1])
      } else {
        names.append(word)
      }
    }
    return (options, names)
  }

  private static func policy(_ name: String) -> PresencePolicy? {
    PresencePolicy.allCases.first { "\($0)" == name }
  }

  private func made(_ options: [String: String]) -> AuthSession {
    var configuration = AuthConfiguration()
    if let policy = options["policy"].flatMap(Self.policy) { configuration.presencePolicy = policy }
    configuration.refusesWhileLocked = options["refuses"] == "yes"
    configuration.failedChecksBeforeSignOut = options["failures"].flatMap(Int.init)
    configuration.retry = options["tries"].flatMap(Int.init).map { RetryPolicy(tries: $0) }
    if let ahead = options["ahead"] {
      configuration.refreshAhead = Int(ahead).map { .seconds($0) }
    }
    return AuthSession(
      account: "me",
      provider: provider,
      configuration: configuration,
      presenter: options["presenter"] == "none" ? nil : person
    )
  }

  private func record(_ count: Int, _ session: AuthSession) {
    let states = session.states
    recording = Task {
      var seen: [String] = []
      for await state in states {
        seen.append(word(state))
        if seen.count == count { break }
      }
      return seen
    }
  }
}

/// All facts that a provider has given about a person.
private func summary(_ user: User) -> String {
  let claims = user.claims.keys.sorted().map { "\($0)=\(user.claims[$0]?.string ?? "?")" }
  let facts = [
    user.email ?? "-", user.role ?? "-", user.isEmailVerified.map { "\($0)" } ?? "-",
    user.createdAt.map { $0 > 1_600_000_000 ? "since" : "\($0)" } ?? "-",
  ]
  return (facts + claims).joined(separator: " ")
}

/// A state as one word, with the signed-in user.
private func word(_ state: AuthState) -> String {
  switch state {
  case .unauthenticated: "unauthenticated"
  case .authenticating: "authenticating"
  case .authenticated(let user): "authenticated \(user.email ?? "somebody")"
  case .presencePrompt: "prompt"
  case .locked: "locked"
  case .loginRequired: "login-required"
  case .offline: "offline"
  case .error(let error): "error \(error)"
  }
}
