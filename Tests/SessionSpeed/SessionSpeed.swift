import AuthSession
import AuthSessionTesting
import Synchronization

/// Times `accessToken()` with a valid token in memory beside the read of a locked dictionary.
///
/// Prints, for each of the rounds, the nanoseconds of both, and last the median of their ratios.
@main
struct SessionSpeed {
  static let calls = 1_000_000
  static let rounds = 15

  static func main() async throws {
    let vault = StubVault()
    vault.signIn(User(issuer: "https://id.test"), as: "me")
    let session = AuthSession(account: "me", vault: vault)
    try await session.restore()
    let dictionary = Mutex(["me": try await session.accessToken().value])
    var ratios: [Double] = []
    for _ in 0..<rounds {
      let locked = measure { count in
        var bytes = 0
        for _ in 0..<count { bytes &+= dictionary.withLock { $0["me"] }?.utf8.count ?? 0 }
        return bytes
      }
      let token = try await measureTokens(session)
      ratios.append(token / locked)
      print(line("locked dictionary", locked) + line("accessToken()", token))
    }
    ratios.sort()
    print("ratio \(hundredths(ratios[rounds / 2]))")
  }

  private static func measure(_ body: (Int) -> Int) -> Double {
    let begun = ContinuousClock.now
    let bytes = body(calls)
    precondition(bytes > 0)
    return nanoseconds(since: begun)
  }

  nonisolated(nonsending) private static func measureTokens(
    _ session: AuthSession
  ) async throws -> Double {
    let begun = ContinuousClock.now
    var bytes = 0
    for _ in 0..<calls { bytes &+= try await session.accessToken().value.utf8.count }
    precondition(bytes > 0)
    return nanoseconds(since: begun)
  }

  private static func nanoseconds(since begun: ContinuousClock.Instant) -> Double {
    let (seconds, attoseconds) = (ContinuousClock.now - begun).components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(calls)
  }

  private static func line(_ name: String, _ time: Double) -> String {
    "\(name) \(hundredths(time)) ns   "
  }

  private static func hundredths(_ value: Double) -> String {
    let scaled = Int((value * 100).rounded())
    return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
  }
}
