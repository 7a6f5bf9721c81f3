import AuthSession

/// Signs in by a code for another device, asks the provider's API who this is, and signs out.
///
///     example-cli https://login.example.com CLIENT_ID
@main
struct ExampleCLI {
  static func main() async {
    do throws(AuthError) { try await run(CommandLine.arguments) } catch {
      print("error: \(error.message)", error.recoverySuggestion ?? "", separator: "\n")
    }
  }

  static func run(_ arguments: [String]) async throws(AuthError) {
    guard arguments.count == 3 else { return print("usage: example-cli ISSUER CLIENT_ID") }
    let session = AuthSession(
      account: "example-cli",
      provider: try .openID(
        arguments[1],
        clientID: arguments[2],
        environment: arguments[1].hasPrefix("http:") ? .development : .production
      ),
      presenter: TerminalPresenter()
    )
    if try await !session.restore().isSignedIn {
      try await session.loginWithDeviceCode { prompt in
        print("Open \(prompt.verificationURL ?? "") and type \(prompt.userCode ?? "")")
      }
    }
    let user = try await session.fetchCurrentUser()
    print("signed in as \(user.name ?? user.email ?? user.id ?? "somebody")")
    let outcome = try await session.logout()
    print(outcome.isRevoked ? "signed out" : "signed out here: \(outcome.reason ?? "")")
  }
}
