import AuthSession

/// Where the app signs in.
///
/// At the backend that the first argument names, or as the settings say that follow the second, as
/// KEY=VALUE. With `-` and no settings: where the account did before.
func provider(_ arguments: [String]) throws(AuthError) -> AuthProvider? {
  var settings: [String: String] = [:]
  for argument in arguments.dropFirst(3) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    if parts.count == 2 { settings[parts[0]] = parts[1] }
  }
  if !settings.isEmpty {
    return try AuthProvider(name: "idp", settings: settings, environment: .development)
  }
  if arguments[1] == "-" { return nil }
  return try .passwordBackend(arguments[1], name: "dev", environment: .development)
}

/// Signs in on a page of the provider; `nil` if the word asks for something else.
func signIn(_ word: String, _ session: AuthSession) async throws(AuthError) -> String? {
  switch word {
  case "browser": return try await session.loginInBrowser(show: tell).email ?? ""
  case "by-hand":
    return try await session.loginInBrowser(open: { _ in false }, show: tell).email ?? ""
  case "give-up":
    let login = Task { () -> Result<User, AuthError> in
      do throws(AuthError) {
        return .success(
          try await session.loginInBrowser(open: { _ in true }) { step in
            tell(step)
            given.continuation.finish()
          }
        )
      } catch {
        return .failure(error)
      }
    }
    for await _ in given.stream {}
    login.cancel()
    return try await login.value.get().email ?? ""
  case "device":
    return try await session.loginWithDeviceCode { prompt in
      say("step \(prompt.completeVerificationURL ?? "?") \(prompt.userCode ?? "?")")
    }.email ?? ""
  default: return nil
  }
}

/// Ends when the address of a login that is to be given up is known.
private let given = AsyncStream.makeStream(of: Void.self)

@Sendable
private func tell(_ step: BrowserLoginStep) {
  switch step {
  case .opened(let url): say("step opened \(url)")
  case .notOpened(let url): say("step not-opened \(url)")
  case .refused(let reason): say("step refused \(reason)")
  }
}
