internal import VaultClient
internal import VaultInterface

extension VaultModel {
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
