import PresenceTerms
import Storage
import Testing

@testable import TokenVault

/// Answers that leave nothing behind, and a dead grant.
extension RefreshTableTests {
  @Test
  func whatWasProvablyNotSentLeavesNothingBehind() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let long = String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 100)
    for step in [ScriptedExchange.Step.nothingSent, .notStarted("resolve"), .notStarted(long)] {
      bench.exchange.plan(step)
      switch await failure({ _ = try await vault.token() }) {
      case .offline(_, retryAfter: nil, _)?, .providerUnavailable(_, retryAfter: nil, _)?: break
      default:
        Issue.record("\(step)")
        continue
      }
      #expect(try await vault.intent() == nil)
      #expect(try await vault.stateOfMe().state == .ready)
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func aReasonThatNamesALimitIsToldWhole() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let reason =
      "exec /opt/thumblatch/libexec/thumblatch/thumblatch-exchange: Too many open files (the limit"
      + " RLIMIT_NOFILE is 24)"
    bench.exchange.plan(.notStarted(reason))
    guard
      case .providerUnavailable(let text, retryAfter: nil, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told")
      return
    }
    #expect(text.contains(reason), "\(text)")
  }

  @Test
  func beingAskedForPatienceLeavesNothingBehind() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 429, retryAfter: 17, body: ""))
    guard
      case .providerUnavailable(_, retryAfter: 17, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told to wait")
      return
    }
    #expect(try await vault.intent() == nil)
    #expect(try await vault.row().generation == 1)
  }

  @Test
  func aDeadGrantIsKeptAndNeverSentAgain() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    for _ in 0..<3 {
      guard
        case .loginRequired(account: "me", _)? = await failure({
          _ = try await vault.token()
        })
      else {
        Issue.record("no login was required")
        continue
      }
    }
    #expect(bench.exchange.refreshes.count == 1)
    let row = try await vault.row()
    #expect(row.state == .loginRequired)
    #expect(row.cause == "the provider signed you out")
    #expect(row.sealedRefreshToken != nil)
    #expect(try await vault.intent() == nil)
    // A new sign-in repairs the account.
    try await bench.signIn(vault, refresh: "rt-9", access: "at-9")
    #expect(try await vault.token().accessToken == "at-9")
  }
}
