internal import VaultClient
internal import VaultInterface

extension VaultModel {
  /// Why the last unlock failed; `nil` if the vault is unlocked.
  var unlockTrouble: Trouble? { isUnlocked ? nil : lockTrouble }

  /// Tries at once to reach a vault that could not be used: the next try may be a minute away.
  func tryAgain() {
    if trouble != nil { following?.cancel() }
  }

  /// Reads the state of the vault, and its accounts if it can be used.
  nonisolated static func look(
    on connection: Connection
  ) throws(VaultClientError) -> (VaultStatus, [VaultAccount]) {
    let status = try connection.call(GetStatusCall())
    var accounts: [VaultAccount] = []
    if status.problem == nil {
      try connection.stream(GetAccountCall()) { reply in
        if let account = reply.account { accounts.append(account) }
      }
    }
    return (status, accounts)
  }
}
