internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

/// A refresh that runs, and what it was asked for.
///
/// One account has one at a time. Callers that ask for the same share its outcome, also a failure.
struct RefreshTask {
  let asked: ScopeRequest
  let task: Task<Result<AccessGrant, VaultFailure>, Never>
  /// Whether it opens the one token of a provider, which only its own caller gets.
  let isOfOneToken: Bool
}

extension Vault {
  /// Starts a refresh; no other refresh of the account may run.
  func startRefresh(_ request: RefreshRequest) -> RefreshTask {
    let account = request.account.row.id
    let isOfOneToken = request.use != nil
    let isDoubt = request.doubted != nil
    let task = Task {
      let result: Result<AccessGrant, VaultFailure>
      do throws(VaultFailure) {
        result = .success(try await self.refresh(request))
      } catch {
        result = .failure(error)
      }
      self.finishRefresh(account, result, isOfOneToken: isOfOneToken, isDoubt: isDoubt)
      return result
    }
    let refreshTask = RefreshTask(asked: request.asked, task: task, isOfOneToken: isOfOneToken)
    refreshes.begin(refreshTask, of: account)
    return refreshTask
  }

  private func finishRefresh(
    _ account: [UInt8],
    _ result: Result<AccessGrant, VaultFailure>,
    isOfOneToken: Bool,
    isDoubt: Bool
  ) {
    var hasFailed = false
    // A token that nothing else renews, or that is still handed out, is tried again while it lives.
    if case .failure(let failure) = result {
      hasFailed = !isOfOneToken && !isDoubt || !failure.isTemporary
    }
    refreshes.endRefresh(of: account, hasFailed: hasFailed)
    // For the next refresh, once this one has nothing left to do.
    if !isOfOneToken { exchange.prepareLater() }
    // The account is not refreshing any more, whatever was stored.
    wakeWatchers()
  }

  func share(
    _ refreshTask: Task<Result<AccessGrant, VaultFailure>, Never>,
    wanted: Int64
  ) async throws(VaultFailure) -> AccessGrant {
    var grant = try await refreshTask.value.get()
    let left = grant.expiresAt.map { $0 - clock.wall.seconds } ?? assumedLifetime
    grant.isShorterThanRequested = left < wanted
    return grant
  }
}
