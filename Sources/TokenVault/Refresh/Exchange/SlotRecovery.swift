internal import Cryptography
internal import OAuth
internal import Storage
internal import System

// How a holder of the slot takes over what an engine or an exchange helper has left behind, by the
// table in `Refresh.swift`.
extension Vault {
  /// The result of a recovery.
  enum Recovery {
    /// There was nothing, or nothing that can be settled now.
    case nothing
    /// The tokens of a login or a refresh are stored.
    ///
    /// `replaced` says whether the refresh token that a login has replaced was revoked.
    case tokens(replaced: Revocation?)
    /// The exchange has ended, and brought no tokens.
    case over(VaultFailure)
    /// The answer to a login stays in the slot until the provider's keys can be read.
    case waiting(VaultFailure)
  }

  /// Recovers an account by the table.
  ///
  /// The row and the audit log keep the provider's answer to a caller that is gone. The present
  /// caller gets an answer of its own. Failures of the store are thrown to each caller.
  ///
  /// - Parameters:
  ///   - identifier: the account, which the calling function has entered.
  ///   - slot: its slot, locked.
  ///   - isLoginOver: whether a login whose answer cannot be judged is refused, because no caller
  ///     waits for it.
  ///   - asksProvider: whether the provider's keys may be read for that.
  /// - Returns: the result.
  /// - Throws: failures of the store.
  @discardableResult
  func recover(
    _ identifier: [UInt8],
    _ slot: borrowing SlotFile,
    isLoginOver: Bool = false,
    asksProvider: Bool = true
  ) async throws(VaultFailure) -> Recovery {
    try demandCurrentStore()
    let found = try stored(try store.intent(account: identifier))
    let kept = refreshes.unwritten.image(of: identifier, for: found)
    let image = if let kept { kept } else { try stored(try slot.readWhole()) }
    guard let intent = found else {
      if !SlotImage.isEmpty(image) { try stored(try slot.zero()) }
      return .nothing
    }
    guard !intent.uncertain || !SlotImage.isEmpty(image) else { return .nothing }
    let keys: KeySet?
    do throws(VaultFailure) {
      keys = asksProvider ? try await newerKeys(for: intent, image) : nil
    } catch {
      guard isLoginOver || isInTheWay(intent) else { return .waiting(error) }
      keys = nil
    }
    let replaced = asksProvider ? try await signInToReplace(by: intent) : nil
    do throws(VaultFailure) {
      let settled = try settle(
        intent,
        with: image,
        slot,
        caller: .engine(owner),
        evidence: Evidence(keys: keys, replaced: replaced)
      )
      guard case .tokens = settled else { return .nothing }
      guard let replaced else { return .tokens(replaced: nil) }
      return .tokens(replaced: await end(replaced, replacedBy: intent.intent))
    } catch {
      // No caller is left that could show a prompt.
      if let held = takeHeldSignIn(intent.intent) {
        return .over(error.telling(await discard(held)))
      }
      if case .vaultUnsafe = error { throw error }
      if case .unexpected = error { throw error }
      guard asksProvider else {
        dropDiscarded(of: intent.intent)
        return .over(error)
      }
      return .over(error.telling(await revokeDiscarded(of: intent.intent)))
    }
  }

  /// Whether a login has waited for keys long enough, and blocks an earlier login.
  private func isInTheWay(_ intent: IntentRow) -> Bool {
    guard clock.wall.seconds - intent.startedAt >= Self.longestWait,
      let row = try? accountIfAny(withIdentifier: intent.account)
    else { return false }
    return row.state == .signedIn && row.sealedRefreshToken != nil
  }
}
