internal import JSON
internal import System
internal import VaultInterface

/// `status`, `account list`.
enum StatusVerbs {
  static let all = [status, accountList]

  static let status = Verb(
    "status",
    [.account],
    summary: "show engine, lock, reader and accounts"
  ) { session throws(CommandError) in
    let account = try session.account()
    let status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
    let reader = try session.call(within: Session.localLimit) { _ in GetReaderCall() }.reader
    let accounts = try accounts(session, named: account)
    let now = WallTime.now.seconds
    try session.show(
      object(status, reader, accounts, now: now),
      text(status, reader, accounts, columns: session.output.columns, now: now)
    )
  }

  static let accountList = Verb(
    "account list",
    summary: "list the accounts"
  ) { session throws(CommandError) in
    let accounts = try accounts(session, named: nil)
    if accounts.isEmpty && !session.output.json {
      session.output.talk("no accounts yet: thumblatch login NAME --provider P")
      return
    }
    try session.show(
      ["accounts": .array(accounts.map { .object(AccountText.object($0)) })],
      AccountText.table(accounts, columns: session.output.columns, now: WallTime.now.seconds)
    )
  }

  /// One account, or all.
  static func accounts(
    _ session: Session,
    named name: String?
  ) throws(CommandError) -> [VaultAccount] {
    var accounts: [VaultAccount] = []
    try session.stream(
      within: Session.localLimit,
      more: name == nil,
      { _ in GetAccountCall(account: name) },
      each: { reply in if let account = reply.account { accounts.append(account) } }
    )
    return accounts
  }

  static func object(
    _ status: VaultStatus,
    _ reader: VaultReader,
    _ accounts: [VaultAccount],
    now: Int64
  ) -> JSONObject {
    [
      "engine": [
        "form": .string(status.form.rawValue), "version": .string(status.version),
        "process": .integer(Int64(status.process)),
      ],
      "device_secret": .string(status.deviceSecret),
      "memory": .string(status.memory.rawValue),
      "unlocked": .boolean(status.unlocked),
      "unlocked_until": AccountText.time(
        status.unlockedFor.map { Int(clamping: now).addingReportingOverflow($0).partialValue }
      ),
      "unlocked_accounts": strings(status.unlockedAccounts),
      "reader": .object(ReaderText.object(reader)),
      "enrolled_fingers": strings(status.enrolledFingers),
      "fingerprint_locked_out": .boolean(status.fingerprintLockedOut),
      "desktop_fingers": strings(status.desktopFingers ?? []),
      "finger_source": AccountText.optional(status.fingerSource?.rawValue),
      "finger_reason": AccountText.optional(status.fingerReason),
      "accounts": .array(accounts.map { .object(AccountText.object($0)) }),
    ]
  }

  static func text(
    _ status: VaultStatus,
    _ reader: VaultReader,
    _ accounts: [VaultAccount],
    columns: Int?,
    now: Int64
  ) -> String {
    var table = Table(headings: ["", ""])
    table.add(
      "engine",
      "\(status.form.rawValue), thumblatchd \(status.version), process \(status.process)"
    )
    table.add("device secret", status.deviceSecret)
    table.add("memory", memory(status.memory))
    table.add("vault", window(status, now: now))
    table.add("reader", ReaderText.line(reader))
    table.add(
      "fingers",
      FingerText.line(
        own: status.enrolledFingers,
        desktop: status.desktopFingers ?? [],
        status.fingerSource
      )
    )
    if status.fingerprintLockedOut {
      table.add("", "too many failed: password only, until it is given once")
    } else if let reason = status.fingerReason {
      table.add("", reason)
    }
    var text = table.text(columns: columns)
    if !accounts.isEmpty {
      text += "\n\n" + AccountText.table(accounts, columns: columns, now: now)
    }
    return text
  }

  private static func window(_ status: VaultStatus, now: Int64) -> String {
    guard status.unlocked else { return "locked" }
    let accounts = status.unlockedAccounts
    let covered = accounts.isEmpty ? "" : " for \(accounts.joined(separator: ", "))"
    guard let left = status.unlockedFor else { return "unlocked\(covered)" }
    let end = now.addingReportingOverflow(Int64(left)).partialValue
    let until = Timestamps.localBrief(end, now: now)
    return "unlocked until \(until) (\(Durations.text(Int64(left))) left)\(covered)"
  }

  private static func memory(_ kind: SecretMemoryKind) -> String {
    switch kind {
    case .secret: "secret (memfd_secret: never swapped, never dumped)"
    case .locked: "locked (never swapped)"
    case .ordinary: "ordinary: RLIMIT_MEMLOCK leaves no room for locked memory"
    }
  }

  private static func strings(_ texts: [String]) -> JSONValue {
    .array(texts.map { .string($0) })
  }
}
