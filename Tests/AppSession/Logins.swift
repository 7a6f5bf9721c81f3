import ThumblatchKit

/// The provider of a sign-in.
///
/// It is the backend in the first argument, or the KEY=VALUE settings after the second. With `-`
/// and no settings it is the account's previous provider.
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

/// Signs in on a page of the provider.
///
/// `nil` if the word is another command.
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

/// Ends when the address of a sign-in that is to be cancelled is known.
private let given = AsyncStream.makeStream(of: Void.self)

@Sendable
private func tell(_ step: BrowserLoginStep) {
  switch step {
  case .opened(let url): say("step opened \(url)")
  case .notOpened(let url): say("step not-opened \(url)")
  case .refused(let reason): say("step refused \(reason)")
  }
}
