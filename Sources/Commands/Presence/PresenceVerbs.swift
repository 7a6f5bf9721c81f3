internal import JSON
internal import PlainText
internal import PresenceTerms
internal import System
internal import VaultInterface

/// `presence enable, disable, test`, `unlock`, `lock`.
enum PresenceVerbs {
  static let all = [enable, disable, test, unlock, lock]

  static let enable = Verb(
    "presence enable",
    [.account],
    options: [.reason],
    summary: "require a finger, a security key or the password before the account's refresh token"
      + " is used",
    details: """
      This needs a presence check itself, so that you cannot lock yourself out. That check also \
      unlocks the account. Signing out keeps the protection. A login as another person, or at \
      another provider, needs its own check, and ends the protection.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      EnablePresenceCall(account: account, prompt: prompt)
    }
    let name = reply.account.name
    let isUnlocked = try session.call(within: Session.localLimit) { _ in WatchCall(account: name) }
      .unlocked
    try told(
      session,
      reply.account,
      isUnlocked ? ", and the account is unlocked; to lock it now: thumblatch lock" : ""
    )
  }

  static let disable = Verb(
    "presence disable",
    [.account],
    options: [.reason],
    summary: "turn the protection off; needs a presence check"
  ) { session throws(CommandError) in
    let account = try session.account()
    let reply = try session.call(within: Session.remoteLimit) { prompt in
      DisablePresenceCall(account: account, prompt: prompt)
    }
    try told(session, reply.account)
  }

  static let test = Verb(
    "presence test",
    options: [.reason],
    summary: "run a presence check, and show its result"
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { prompt in
      TestPresenceCall(prompt: prompt)
    }
    let method = PresenceMethod(rawValue: reply.method)?.name ?? PlainText.line(reply.method)
    try session.report(
      ["passed": true, "method": .string(reply.method)],
      "the presence check passed, by \(method)"
    )
  }

  static let unlock = Verb(
    "unlock",
    [Verb.Operand("ACCOUNT", .any, offers: .accounts)],
    options: [
      Verb.Option("--for", "DURATION", "a fixed time, such as 15m; by default each use extends it"),
      .reason,
    ],
    summary: "open the unlock window with one presence check",
    details: "Without ACCOUNT, for all accounts. Until it closes, no further check is needed."
  ) { session throws(CommandError) in
    var accounts: [String] = []
    for word in session.arguments.operands { accounts.append(try session.accountName(word)) }
    let duration = try session.duration("--for")
    guard duration.map({ $0 > 0 }) ?? true else {
      throw .usage(
        "--for must be longer than 0 seconds",
        hint: "to lock the vault: thumblatch lock"
      )
    }
    let reply = try session.call(within: Session.localLimit) { prompt in
      UnlockCall(accounts: accounts, duration: duration.map { Int(clamping: $0) }, prompt: prompt)
    }
    let now = WallTime.now.seconds
    let end = now.addingReportingOverflow(Int64(reply.unlockedFor)).partialValue
    let covered = reply.unlockedAccounts
    try session.report(
      [
        "unlocked_until": .string(Timestamps.rfc3339(end)),
        "unlocked_accounts": .array(covered.map { .string($0) }),
      ],
      "unlocked \(covered.isEmpty ? "all accounts" : covered.joined(separator: ", ")) until "
        + Timestamps.localBrief(end, now: now)
    )
  }

  static let lock = Verb(
    "lock",
    summary: "close the unlock window now"
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { _ in LockCall() }
    try session.report(
      ["locked": true, "was_unlocked": .boolean(reply.wasUnlocked)],
      reply.wasUnlocked ? "locked" : "already locked"
    )
  }

  private static func told(
    _ session: Session,
    _ account: VaultAccount,
    _ more: String = ""
  ) throws(CommandError) {
    try session.report(
      ["account": .object(AccountText.object(account))],
      "presence protection is \(account.presenceProtection ? "on" : "off") for \(account.name)\(more)"
    )
  }
}
