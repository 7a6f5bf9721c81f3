internal import Presence
internal import PresenceTerms
internal import Storage

/// The result of a sign-out of all accounts for one of them.
package struct EndedAccount: Sendable {
  package let account: String
  package let provider: String
  /// The effect on the grant at the provider, or why nothing was erased.
  package let result: Result<Revocation, VaultFailure>
}

extension Vault {
  /// The limit of accounts that are signed out at once.
  private static let mostAtOnce = 8

  /// Signs out of all accounts, each as `signOut` does.
  ///
  /// One check serves all accounts that need one. Its prompt names them, and it gives one proof for
  /// each. Without it, nothing is erased in any account.
  ///
  /// `tell` gets each account when it is done.
  ///
  /// - Throws: `presenceNeeded`, `presenceFailed`, `invalidArgument` for more names than fit a
  ///   prompt.
  package func signOutAll(
    local: Bool,
    prompt: String?,
    caller: Caller,
    tell: @escaping @Sendable (EndedAccount) -> Void
  ) async throws(VaultFailure) {
    let accounts = try self.accounts()
    let rights = try await rightsToRevoke(accounts, local: local, prompt, caller)
    await withTaskGroup(of: Void.self) { group in
      for (index, row) in accounts.enumerated() {
        if index >= Self.mostAtOnce { await group.next() }
        group.addTask { tell(await self.ended(row, rights[row.id], caller)) }
      }
    }
  }

  private func ended(
    _ row: AccountRow,
    _ right: RightToRevoke?,
    _ caller: Caller
  ) async -> EndedAccount {
    let result: Result<Revocation, VaultFailure>
    do throws(VaultFailure) {
      result = .success(try await signOut(row.id, right, caller))
    } catch {
      result = .failure(error)
    }
    return EndedAccount(account: row.name, provider: row.provider, result: result)
  }

  /// The rights to sign out of each account; asks once for all that need a check.
  ///
  /// An account that needs a check and was not named gets a right that the gate refuses. With
  /// `local` only static secrets need a right.
  private func rightsToRevoke(
    _ accounts: [AccountRow],
    local: Bool,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> [[UInt8]: RightToRevoke] {
    var rights: [[UInt8]: RightToRevoke] = [:]
    var guarded: [AccountRow] = []
    for row in accounts {
      if local, !isOnlyCopy(row) { continue }
      rights[row.id] = .withoutCheck
      // A damaged record is still erased, and must not prevent the other sign-outs.
      guard (try? needsCheckToRevoke(row)) == true else { continue }
      if let right = try await rightOfWindow(row, caller) {
        rights[row.id] = right
      } else {
        guarded.append(row)
      }
    }
    guard let prompt else {
      guard !guarded.isEmpty else { return rights }
      let question = PromptQuestion(
        user: caller.user,
        purpose: .signOut,
        account: nil,
        detail: guarded.map(\.name).joined(separator: ", "),
        accounts: guarded.map(\.id)
      )
      throw try await askForPresence(question, account: nil, caller: caller)
    }
    guard !local || !rights.isEmpty else { return rights }
    for (account, authority) in try spendableForEach(prompt, caller) {
      rights[account] = RightToRevoke(authority: authority, purpose: .signOut)
    }
    return rights
  }
}
