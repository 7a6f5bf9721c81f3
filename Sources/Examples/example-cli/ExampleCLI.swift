// The wall of this room: it uses only the public library, as an app does.

import Glibc
import ThumblatchKit

/// Signs in, asks the provider for the user with the access token, and signs out.
///
/// Usage:
///
///     example-cli http://localhost:8000                   by e-mail and password
///     example-cli https://login.example.com CLIENT_ID     by a code for another device
///
/// Further arguments are keys of a provider file, such as `scope=openid`.
@main
struct ExampleCLI {
  static func main() async {
    do throws(AuthError) { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
      print("error: \(error.message)", error.recoverySuggestion ?? "", separator: "\n")
      exit(1)
    }
  }

  static func run(_ arguments: [String]) async throws(AuthError) {
    guard let issuer = arguments.first else {
      return print("usage: example-cli URL [CLIENT_ID [KEY=VALUE...]]")
    }
    let session = AuthSession(
      account: "example-cli",
      provider: try provider(issuer, Array(arguments.dropFirst())),
      presenter: DesktopPresenter()
    )
    if try await !session.restore().isSignedIn {
      if arguments.count == 1 {
        try await typePassword(session)
      } else {
        try await session.loginWithDeviceCode { prompt in
          print("Open \(prompt.verificationURL ?? "")\nCode: \(prompt.userCode ?? "")")
        }
      }
    }
    let user = try await session.fetchCurrentUser()
    print("signed in as \(user.name ?? user.email ?? user.id ?? "an unnamed user")")
    let outcome = try await session.logout()
    print(
      outcome.mayBeAlive
        ? "signed out here; the login may still be alive there: \(outcome.reason ?? "")"
        : "signed out"
    )
  }

  private static func provider(
    _ issuer: String,
    _ rest: [String]
  ) throws(AuthError) -> AuthProvider {
    let environment: AuthProvider.Environment =
      issuer.hasPrefix("http:") ? .development : .production
    guard let clientID = rest.first else {
      return try .passwordBackend(issuer, environment: environment)
    }
    var settings = try AuthProvider.openID(issuer, clientID: clientID, environment: environment)
      .settings
    for pair in rest.dropFirst().map({ $0.split(separator: "=", maxSplits: 1) }) where !pair.isEmpty
    {
      settings[String(pair[0])] = pair.count == 2 ? String(pair[1]) : ""
    }
    return try AuthProvider(settings: settings, environment: environment)
  }

  private static func typePassword(_ session: AuthSession) async throws(AuthError) {
    print("E-mail: ", terminator: "")
    fflush(nil)
    guard let email = readLine() else { return }
    try await session.login(email: email, password: try await Password.read())
  }
}
