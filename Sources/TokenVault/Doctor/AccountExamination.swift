internal import Configuration
internal import PlainText
internal import PresenceTerms
internal import Storage
internal import System

// The part of an examination that looks at the accounts.
extension Vault {
  /// Examines the accounts: each one that needs a person is a finding.
  func examineAccounts() -> [VaultFinding] {
    do throws(VaultFailure) {
      let accounts = try accountFacts(named: nil)
      var found = Findings("accounts")
      for account in accounts {
        examine(account, &found)
        try examineRules(for: account, &found)
      }
      if found.all.isEmpty { found.ok("none needs attention (\(accounts.count))") }
      return found.all
    } catch {
      return [VaultFinding("accounts", notExamined: error)]
    }
  }

  private func examine(_ account: AccountFacts, _ found: inout Findings) {
    let cause = account.cause.map { ": \($0)" } ?? ""
    switch account.state {
    case .ready, .locked, .expired, .refreshing: examineEnd(of: account, &found)
    case .signedOut: break
    case .uncertain where account.cause != nil:
      found.warning(
        "the account \(account.name) is uncertain\(cause)",
        remedy: remedy(for: account)
      )
    case .uncertain:
      found.warning(
        "the account \(account.name) is uncertain: the answer to its last refresh was lost",
        remedy: "nothing to do: the next use asks again, after a while"
      )
    case .loginRequired where account.kind == "unknown":
      found.problem(
        "the account \(account.name) cannot be used\(cause)",
        remedy: "restore the vault from a copy; or: thumblatch login \(account.name) "
          + "--provider \(account.provider)"
      )
    case .loginRequired where account.provider == Provider.secretServiceName:
      found.warning(
        "the item \(account.name) has no value\(cause)",
        remedy: "the program that uses it stores it again; if none does: thumblatch account remove"
          + " \(account.name)"
      )
    case .loginRequired where account.isStatic:
      found.warning(
        "the account \(account.name) needs another secret\(cause)",
        remedy: "thumblatch store \(account.name)",
        action: .run("thumblatch store \(account.name)")
      )
    case .loginRequired:
      found.warning(
        "the account \(account.name) must be signed in again\(cause)",
        remedy: "thumblatch login \(account.name)",
        action: .signIn(account.name)
      )
    }
  }

  /// Names an account that the policy would not allow today.
  private func examineRules(
    for account: AccountFacts,
    _ found: inout Findings
  ) throws(VaultFailure) {
    guard account.state != .signedOut, let policy = try? policy() else { return }
    if policy.presence == .required, !account.isProtected {
      found.warning(
        "the account \(account.name) is not used: it has no presence protection"
          + "\(try origin(of: .presence))",
        remedy: "thumblatch presence enable \(account.name)",
        action: .protect(account.name)
      )
    }
    guard let row = try accountIfAny(named: account.name), let provider = try? provider(of: row),
      try !isAllowed(provider.asWritten)
    else { return }
    if case .only(let names) = policy.providers, names.contains(provider.name) {
      found.warning(
        "the account \(account.name) has other settings than the machine's \(account.provider), so"
          + " that no login is allowed\(try origin(of: .providers))",
        remedy: "thumblatch login \(account.name) --provider \(account.provider)",
        action: .run("thumblatch login \(account.name) --provider \(account.provider)")
      )
      return
    }
    found.warning(
      "the account \(account.name) stays signed in at \(account.provider), where no login is"
        + " allowed any more\(try origin(of: .providers))",
      remedy: "thumblatch logout \(account.name), if it is not needed"
    )
  }

  /// Reminds of a static secret that ends soon: no refresh renews it.
  private func examineEnd(of account: AccountFacts, _ found: inout Findings) {
    guard account.isStatic, let end = account.accessTokenExpiresAt,
      Provider.remindsOfEnd(end, storedAt: account.refreshedAt, now: clock.wall.seconds)
    else { return }
    found.warning(
      "the secret of \(account.name) expires at \(DateTime.text(end))",
      remedy: "make another one at its host, then: thumblatch store \(account.name)"
    )
  }

  /// The remedy for an account whose last refresh had an unclear answer.
  private func remedy(for account: AccountFacts) -> String {
    guard let row = try? self.account(named: account.name), !isLeaving(row) else {
      return Self.leavingRemedy
    }
    let answer = try? unclearAnswer(to: try intent(of: row))
    let login = "To sign in now: thumblatch login \(account.name)"
    guard answer?.kind != .empty else {
      return "the next use asks once more, ten minutes after that at the earliest; if it is refused"
        + " again, a login is required. \(login)"
    }
    let provider = try? provider(of: row)
    let settings = provider.flatMap { answer?.remedy(for: $0) }.map { "; \($0)" } ?? ""
    return "the login is kept, and the next use asks again, after a while\(settings). \(login)"
  }
}
