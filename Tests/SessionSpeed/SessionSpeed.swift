import Synchronization
import ThumblatchKit
import ThumblatchKitTesting

/// Measures a session, for `Scripts/measure` and the tests.
///
/// - `SessionSpeed`: times `accessToken()` with a valid token in memory, in comparison with the
///   read of a locked dictionary. It prints the nanoseconds of both for each round, and finally the
///   median of their ratios.
/// - `SessionSpeed calls N`: makes N such calls, for tests that count their cost.
/// - `SessionSpeed restore`: prints how many nanoseconds `restore()` takes over the machine's
///   vault, as the first call of a process and once more in it, and whether it finds a signed-in
///   user.
@main
struct SessionSpeed {
  static let calls = 1_000_000
  static let rounds = 15

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case nil:
      for accounts in [1, 16] { try await compare(accounts) }
    case "calls":
      guard let count = arguments.last.flatMap({ Int($0) }) else { return print("how many calls?") }
      let session = try await session()
      // The first calls pay for objects that are made once.
      for _ in 0..<1_000 { _ = try await session.accessToken() }
      print("bytes \(try await read(session, count))")
    case "restore":
      let (first, second) = (AuthSession(account: "me"), AuthSession(account: "me"))
      let begun = ContinuousClock.now
      try await first.restore()
      let between = ContinuousClock.now
      try await second.restore()
      let (cold, warm) = (between - begun, ContinuousClock.now - between)
      let word = first.isAuthenticated && second.isAuthenticated ? "authenticated" : "otherwise"
      print("\(Int(nanoseconds(cold))) \(Int(nanoseconds(warm))) \(word)")
    default: print("usage: SessionSpeed [calls N | restore]")
    }
  }

  private static func session() async throws -> AuthSession {
    let vault = StubVault()
    vault.signIn(User(issuer: "https://id.test"), as: "me")
    let session = AuthSession(account: "me", vault: vault)
    try await session.restore()
    return session
  }

  /// Both in turn, so that other work on the machine slows both.
  private static func compare(_ accounts: Int) async throws {
    let session = try await session()
    var tokens = ["me": try await session.accessToken()]
    for other in 1..<accounts { tokens["account-\(other)"] = tokens["me"] }
    let dictionary = Mutex(tokens)
    var ratios: [Double] = []
    for _ in 0..<rounds {
      let begun = ContinuousClock.now
      var bytes = 0
      for _ in 0..<calls { bytes &+= dictionary.withLock { $0["me"] }?.value.utf8.count ?? 0 }
      let between = ContinuousClock.now
      let more = try await read(session, calls)
      let (locked, token) = (between - begun, ContinuousClock.now - between)
      precondition(bytes == more)
      ratios.append(token / locked)
      print("dictionary of \(accounts) \(each(locked)) ns   accessToken() \(each(token)) ns")
    }
    ratios.sort()
    print("ratio \(accounts) \(hundredths(ratios[rounds / 2]))")
  }

  nonisolated(nonsending) private static func read(
    _ session: AuthSession,
    _ count: Int
  ) async throws -> Int {
    var bytes = 0
    for _ in 0..<count { bytes &+= try await session.accessToken().value.utf8.count }
    return bytes
  }

  private static func nanoseconds(_ time: Duration) -> Double { time / .nanoseconds(1) }

  private static func each(_ time: Duration) -> String {
    hundredths(nanoseconds(time) / Double(calls))
  }

  private static func hundredths(_ value: Double) -> String {
    let scaled = Int((value * 100).rounded())
    return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
  }
}
