internal import PresenceTerms
internal import Storage

// The part of an examination that looks at the accounts.
extension Vault {
  /// Examines the accounts: each one that needs a person is a finding.
  func examineAccounts() -> [VaultFinding] {
    do throws(VaultFailure) {
      let accounts = try accountFacts(named: nil)
      let found = accounts.compactMap(finding)
      guard found.isEmpty else { return found }
      return [VaultFinding("accounts", .ok, "none needs attention (\(accounts.count))")]
    } catch {
      guard case .vaultUnsafe(let message, let hint) = error else {
        return [VaultFinding("accounts", .problem, "cannot be read: \(error)")]
      }
      return [VaultFinding("accounts", .problem, message, remedy: hint)]
    }
  }

  private func finding(_ account: AccountFacts) -> VaultFinding? {
    let cause = account.cause.map { ": \($0)" } ?? ""
    switch account.state {
    case .ready, .locked, .expired, .refreshing, .signedOut: return nil
    case .uncertain where account.cause != nil:
      return VaultFinding(
        "accounts",
        .warning,
        "\(account.name) is uncertain\(cause)",
        remedy:
          "the next use asks once more, ten minutes after that at the earliest; if it is refused"
          + " again, a login is required. To sign in now: thumblatch login \(account.name)"
      )
    case .uncertain:
      return VaultFinding(
        "accounts",
        .warning,
        "\(account.name) is uncertain: the answer to its last refresh was lost",
        remedy: "nothing to do: the next use asks again, after a while"
      )
    case .loginRequired where account.kind == "unknown":
      return VaultFinding(
        "accounts",
        .problem,
        "\(account.name) cannot be used\(cause)",
        remedy: "restore the vault from a backup; or: thumblatch login \(account.name) "
          + "--provider \(account.provider)"
      )
    case .loginRequired:
      return VaultFinding(
        "accounts",
        .warning,
        "\(account.name) must be signed in again\(cause)",
        remedy: "thumblatch login \(account.name)"
      )
    }
  }
}
