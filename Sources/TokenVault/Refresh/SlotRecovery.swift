internal import Cryptography
internal import OAuth
internal import Storage
internal import System

// What a holder of the slot makes of what an engine or an exchange helper has left behind, by the
// table that stands in `Refresh.swift`.
extension Vault {
  /// What the table made of what was left behind.
  enum Recovery {
    /// There was nothing, or nothing that can be settled now.
    case nothing
    /// The tokens of a login or a refresh are stored; `replaced` tells what became of the refresh token
    /// that a login has replaced.
    case tokens(replaced: Revocation?)
    /// It is over, and brought no tokens.
    case over(VaultFailure)
    /// The answer to a login lies in the slot until the provider's keys can be read.
    case waiting(VaultFailure)
  }

  /// The table, with the slot's lock held.
  ///
  /// The row and the audit log hold what the provider said to a caller that is gone; the present
  /// caller gets an answer of its own. What the store says is thrown to each caller.
  ///
  /// - Parameters:
  ///   - identifier: the account, which the caller has to itself.
  ///   - slot: its slot, locked.
  ///   - isLoginOver: nobody waits any more for a login whose answer cannot be judged: it is refused.
  ///   - asksProvider: whether its keys may be fetched for that.
  /// - Returns: what became of it.
  /// - Throws: what the store cannot do.
  @discardableResult
  func recover(
    _ identifier: [UInt8],
    _ slot: borrowing SlotFile,
    isLoginOver: Bool = false,
    asksProvider: Bool = true
  ) async throws(VaultFailure) -> Recovery {
    try demandCurrentStore()
    let image = try stored(try slot.readWhole())
    let found = try stored(try store.intent(account: identifier))
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
      let now = try account(withIdentifier: identifier)
      return .tokens(replaced: await end(replaced, replacedBy: now, intent.intent))
    } catch {
      // Nobody is there to be asked any more.
      if let held = signIns.takeHeld(intent.intent) {
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

  /// Whether a login that waits for keys has had its time, and keeps an earlier login from use.
  private func isInTheWay(_ intent: IntentRow) -> Bool {
    guard clock.wall.seconds - intent.startedAt >= Self.longestWait,
      let row = try? accountIfAny(withIdentifier: intent.account)
    else { return false }
    return row.state == .signedIn && row.sealedRefreshToken != nil
  }
}
