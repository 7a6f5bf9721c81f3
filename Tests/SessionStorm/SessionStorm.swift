import Glibc
import Observation
import ThumblatchKit
import ThumblatchKitTesting
import WatchedLock

/// Everything that an app may do with a session, at once.
///
/// It is built with the thread sanitizer, which ends the program if two threads race.
///
/// Each round has its own session, so that its end (deinit) meets running calls. The work is
/// counted, not timed. It prints how often each event happened.
@main
struct SessionStorm {
  static let rounds = 8
  static let tasks = 1_000

  static func main() async throws {
    watchedlock_install()
    let tally = Tally()
    for round in 0..<rounds { try await storm(round, tally) }
    print(tally.line)
    // A storm without these events would test no races.
    for word in ["token", "cancelled", "state", "signed in", "unlocked"]
    where tally.count(of: word) == 0 {
      print("storm: error: no \(word)")
      exit(1)
    }
  }

  private static func storm(_ round: Int, _ tally: Tally) async throws {
    let vault = StubVault()
    vault.set { $0.users["ada@example.org"] = "password" }
    vault.signIn(ada, protected: round % 2 == 1, as: "me")
    let network = Weather()
    let session = AuthSession(
      account: "me",
      configuration: AuthConfiguration(failedChecksBeforeSignOut: 50),
      presenter: ScriptedPresenter(.touches, .types("wrong"), .cancels, .touches),
      vault: vault,
      network: network
    )
    try await session.restore()
    let watchers = Watchers()
    await all(tally) { try await perform($0, session, vault, network, watchers, tally) }
    // The last change of the state may have come before the last watcher.
    await watchers.end()
    // The session is surely signed in, and all tasks want a token, which ends repeatedly.
    vault.set { $0.failures = [:] }
    try await session.login(email: "ada@example.org", password: try Password("password"))
    await all(tally) { number in
      if number % 50 == 49 { vault.expireToken() }
      try await demand(session, tally)
    }
    // Each joined waiter gets the result.
    let states = session.states
    let joinedWaiter = Task { for await _ in states { tally.add("state") } }
    joinedWaiter.cancel()
    await joinedWaiter.value
  }

  /// Does it a thousand times at once.
  private static func all(
    _ tally: Tally,
    _ body: @escaping @Sendable (Int) async throws -> Void
  ) async {
    await withTaskGroup { group in
      for number in 0..<tasks {
        group.addTask {
          let act = Task { try await body(number) }
          // Some are cancelled, at any point of their work.
          if number % 7 == 0 { act.cancel() }
          do { try await act.value } catch {
            tally.add((error as? AuthError)?.kind == .cancelled ? "cancelled" : "failed")
          }
        }
      }
    }
  }

  private static let ada = User(id: "1", email: "ada@example.org", issuer: "https://id.test")

  /// One action of an app, or of its environment.
  private static func perform(
    _ number: Int,
    _ session: AuthSession,
    _ vault: StubVault,
    _ network: Weather,
    _ watchers: Watchers,
    _ tally: Tally
  ) async throws {
    switch number % 20 {
    case 0: try await session.logout(locally: number % 40 == 0)
    case 1, 2:
      try await session.login(email: "ada@example.org", password: try Password("password"))
      tally.add("signed in")
    case 3: try await session.lock()
    case 4:
      _ = try await session.unlock(reason: "a storm")
      tally.add("unlocked")
    case 5:
      watchers.add { for await _ in session.states.prefix(2) { tally.add("state") } }
    case 6: vault.expireToken()
    // Sometimes: all waiters for one token share its outcome.
    case 7 where number % 100 == 7:
      vault.set { $0.failures[.accessToken] = [AuthError(.offline, "no network")] }
    case 8: network.change()
    case 9: try await observe(session, tally)
    case 10: _ = try await session.request(AuthRequest("https://api.test/\(number)"))
    case 11: try await session.enablePresenceProtection()
    case 12: try await session.disablePresenceProtection()
    case 13: try await session.restore()
    case 14: try await session.evaluate(.fingerprint, reason: "a storm")
    case 15: try await replace(session)
    case 16: try await session.beginLogin(.device).wait()
    default: try await demand(session, tally)
    }
  }

  private static func demand(_ session: AuthSession, _ tally: Tally) async throws {
    _ = try await session.accessToken()
    _ = (session.isAccessTokenExpiringSoon(), session.accessTokenLifetime, session.isLoading)
    tally.add("token")
  }

  /// Acts like a view: it reads, and is notified of the next change.
  private static func observe(_ session: AuthSession, _ tally: Tally) async throws {
    withObservationTracking {
      _ = (session.state, session.currentUser, session.errorMessage)
    } onChange: {
      tally.add("observed")
    }
    session.dismissError()
    try await session.fetchCurrentUser()
  }

  private static func replace(_ session: AuthSession) async throws {
    let token = try await session.accessToken()
    _ = try await session.accessToken(replacing: token)
    _ = try await session.accessToken(scopes: ["mail"])
  }
}
