internal import Configuration
internal import OAuth
internal import Storage
internal import Synchronization
internal import System

// Tools run a helper for a token, and run it again after a 401. They do not say which token was
// refused, so a vault that thinks its token valid would hand out the same one again. A repeat by
// the same tool soon after is therefore a suspicion. The provider decides whether it still accepts
// the token.

/// A program that runs helpers: a process that cannot be confused with a later one.
package struct Tool: Sendable, Hashable {
  package let process: Int32
  /// When it started, in ticks since the boot.
  package let started: UInt64

  package init(process: Int32, started: UInt64) {
    self.process = process
    self.started = started
  }
}

extension Vault {
  /// A token for a caller that may be the helper of a tool.
  ///
  /// A tool that starts two helpers at once gets the same token twice. A tool that repeats its call
  /// later has probably had the token refused.
  func helperToken(_ call: TokenCall) async throws(VaultFailure) -> (AccessGrant, TokenCacheKey) {
    let (grant, token) = try await grantedToken(call)
    guard let tool = call.tool, mayBeReplaced(grant) else { return (grant, token) }
    let isRepeated = note(grant, to: tool)
    guard isRepeated, call.rejected == nil, call.prompt == nil,
      refreshes.retryWait(of: token.account, at: clock.boot) == nil,
      helperHandouts.withLock({ $0.takeLook(at: token.account, now: clock.boot) })
    else { return (grant, token) }
    var again = call
    switch try await opinion(on: grant, token) {
    case .accepted: return (grant, token)
    case .refused: again.rejected = grant.accessToken
    // A sealed token is opened again only to exchange it.
    case .unknown where grant.opened != nil: return (grant, token)
    case .unknown:
      // After the end of the login no newer token comes. A sign-out since then has ended this one.
      guard try account(withIdentifier: token.account).state == .signedIn else {
        return try await grantedToken(call)
      }
      again.doubted = grant.accessToken
      // No person is asked because of a doubt.
      again.caller.asking = .never
    }
    do throws(VaultFailure) {
      let (grant, token) = try await grantedToken(again)
      _ = note(grant, to: tool)
      return (grant, token)
    } catch {
      switch error {
      case .loginRequired: throw error
      // Without a newer token, the one in doubt still serves.
      case _ where again.doubted != nil: return try await grantedToken(call)
      case .presenceNeeded(let need) where !need.prompt.isEmpty:
        helperHandouts.withLock { $0.notePrompt(of: token.account, now: clock.boot) }
        throw error
      default: throw error
      }
    }
  }

  /// Whether another token could take the place of this one, without a further check.
  ///
  /// The sealed token of a protected account is opened for each call, by a check of its own. A
  /// static secret has no successor.
  private func mayBeReplaced(_ grant: AccessGrant) -> Bool {
    guard let opened = grant.opened else { return true }
    guard opened.method == nil, let provider = try? provider(of: account(of: grant)) else {
      return false
    }
    return provider.canRefresh
  }

  private func note(_ grant: AccessGrant, to tool: Tool) -> Bool {
    helperHandouts.withLock { $0.note(grant.accessToken, to: tool, at: clock.boot) }
  }

  /// What a provider says about a token.
  private enum Opinion {
    case accepted
    case refused
    /// It has no endpoint that tells.
    case unknown
  }

  /// Asks the provider whether a token has ended before its time.
  ///
  /// If the provider gives no clear answer, the token counts as accepted. Without an endpoint that
  /// knows the token, a refresh may bring a newer one. Introspection may call a valid token
  /// inactive if this client may not know of it. So that is only a doubt, which asks no person.
  private func opinion(
    on grant: AccessGrant,
    _ token: TokenCacheKey
  ) async throws(VaultFailure) -> Opinion {
    let account = try account(of: grant)
    // The tool waits for a few seconds only.
    guard
      let judgement = try? await verification(
        of: grant,
        account,
        isUsual: token.scopeSet.isEmpty,
        tries: 1
      )
    else { return .accepted }
    return switch judgement {
    case .refused: .refused
    case .notThere, .inactive: .unknown
    case .accepted, .rateLimited, .unclear, .failing: .accepted
    }
  }
}

/// Which tokens the helpers of tools got of late.
struct HelperHandouts {
  private struct Handout {
    let tool: Tool
    /// A hash of the token, which says nothing about it to another process.
    let token: Int
    let moment: BootInstant
  }

  /// After how many seconds the same call is a suspicion.
  ///
  /// Sooner, a tool has started two helpers.
  private static let repeats: ClosedRange<Int64> = 5...60
  /// How many seconds lie between two looks at one account.
  private static let pause: Int64 = 60
  /// For how many seconds no look is taken after one that has opened a prompt.
  private static let pauseAfterPrompt: Int64 = 300
  private static let most = 64

  /// The last hand-outs, the newest at the end.
  private var handouts: [Handout] = []
  /// When the token of an account may be looked at again.
  private var nextLook: [[UInt8]: BootInstant] = [:]

  /// Notes a hand-out.
  ///
  /// - Returns: whether the same tool got the same token so long ago that a server may have refused
  ///   it.
  mutating func note(_ token: String, to tool: Tool, at now: BootInstant) -> Bool {
    let token = token.hashValue
    let isRepeated = isRepeated(token, to: tool, at: now)
    add(token, to: tool, at: now)
    return isRepeated
  }

  /// Notes a hand-out, unless it calls for a look at the account's token.
  ///
  /// - Returns: false if the account's token should be looked at first; then nothing is noted.
  mutating func noteUnlessSuspicious(
    _ token: String,
    of account: [UInt8],
    to tool: Tool,
    at now: BootInstant
  ) -> Bool {
    let token = token.hashValue
    let mayLook = nextLook[account].map { now >= $0 } ?? true
    guard !mayLook || !isRepeated(token, to: tool, at: now) else { return false }
    add(token, to: tool, at: now)
    return true
  }

  private func isRepeated(_ token: Int, to tool: Tool, at now: BootInstant) -> Bool {
    handouts.contains {
      $0.tool == tool && $0.token == token && Self.repeats.contains(now.seconds(since: $0.moment))
    }
  }

  private mutating func add(_ token: Int, to tool: Tool, at now: BootInstant) {
    handouts.removeAll { now.seconds(since: $0.moment) > Self.repeats.upperBound }
    handouts.append(Handout(tool: tool, token: token, moment: now))
    if handouts.count > Self.most { handouts.removeFirst() }
  }

  /// Claims the one check of an account's token that is allowed within a while; `false` if it was
  /// claimed already.
  mutating func takeLook(at account: [UInt8], now: BootInstant) -> Bool {
    nextLook = nextLook.filter { now < $0.value }
    guard nextLook[account] == nil else { return false }
    nextLook[account] = now.advanced(bySeconds: Self.pause)
    return true
  }

  /// Notes that a look has opened a prompt.
  mutating func notePrompt(of account: [UInt8], now: BootInstant) {
    nextLook[account] = now.advanced(bySeconds: Self.pauseAfterPrompt)
  }
}
