import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// A session over a stub, with a stopped clock.
struct Session {
  let clock = ManualAuthClock()
  let vault: StubVault
  let presenter: ScriptedPresenter
  let network = ManualNetwork()
  let session: AuthSession

  static let user = User(id: "u1", email: "ada@example.com", name: "Ada", issuer: "https://id.test")

  /// A session whose person answers as `presenter` says.
  init(
    _ configuration: AuthConfiguration = AuthConfiguration(),
    presenter: ScriptedPresenter? = ScriptedPresenter(.touches)
  ) throws {
    vault = StubVault(clock: clock)
    self.presenter = presenter ?? ScriptedPresenter()
    session = AuthSession(
      account: "me",
      provider: try .passwordBackend("http://localhost:8000", environment: .development),
      configuration: configuration,
      presenter: presenter,
      vault: vault,
      clock: clock,
      network: network
    )
  }

  /// A session that is signed in and restored.
  static func signedIn(
    _ configuration: AuthConfiguration = AuthConfiguration(),
    protected isProtected: Bool = false,
    presenter: ScriptedPresenter? = ScriptedPresenter(.touches)
  ) async throws -> Session {
    let made = try Session(configuration, presenter: presenter)
    made.vault.signIn(user, protected: isProtected)
    try await made.session.restore()
    return made
  }
}

/// Yields to other tasks until the condition holds, or the test's time limit ends.
func until(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// The error that the closure throws, or `nil`.
func error(of body: () async throws(AuthError) -> some Any) async -> AuthError? {
  do throws(AuthError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
