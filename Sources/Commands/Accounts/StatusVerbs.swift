internal import JSON
internal import PlainText
internal import System
internal import VaultClient
internal import VaultInterface

enum StatusVerbs {
  static let all = [status]

  static let status = Verb(
    "status",
    [.account],
    summary: "show the engine, the lock, the reader and the accounts",
    details: """
      Does not open the reader: shows the system's information about it, or the reader that was \
      used last.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
    let now = WallTime.now.seconds
    if let problem = status.problem {
      // The engine answers no other call until the vault is accepted.
      try session.show(
        [
          "engine": engine(status), "device_secret": .string(status.deviceSecret),
          "memory": .string(status.memory.rawValue), "problem": .string(problem),
          "remedy": AccountText.optional(status.remedy),
        ],
        text(status, problem: problem, columns: session.output.columns)
      )
      return
    }
    let reader = try session.call(within: Session.localLimit) { _ in GetReaderCall() }.reader
    let accounts = try accounts(session, named: account)
    let differing = ProviderComparison.differing(accounts, session)
    try session.show(
      object(status, reader, accounts, differing: differing, now: now),
      text(
        status,
        reader,
        accounts,
        differing: differing,
        details: account != nil,
        columns: session.output.columns,
        now: now
      )
    )
  }

  /// One account, or all.
  static func accounts(
    _ session: Session,
    named name: String?,
    on calls: VaultCalls? = nil
  ) throws(CommandError) -> [VaultAccount] {
    var accounts: [VaultAccount] = []
    try session.stream(
      on: calls,
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
    differing: [String: Bool] = [:],
    now: Int64
  ) -> JSONObject {
    [
      "engine": engine(status),
      "device_secret": .string(status.deviceSecret),
      "memory": .string(status.memory.rawValue),
      "counter": AccountText.optional(status.counter?.rawValue),
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
      "enrolled_keys": strings(status.enrolledKeys ?? []),
      "accounts": .array(
        accounts.map { .object(AccountText.object($0, differs: differing[$0.name])) }
      ),
      "problem": .null,
      "remedy": .null,
    ]
  }

  private static func engine(_ status: VaultStatus) -> JSONValue {
    [
      "form": .string(status.form.rawValue), "version": .string(status.version),
      "process": .integer(Int64(status.process)),
    ]
  }

  private static func text(_ status: VaultStatus, problem: String, columns: Int?) -> String {
    var table = Table(headings: ["", ""])
    table.add("engine", engineLine(status))
    table.add("device secret", status.deviceSecret)
    table.add("memory", memory(status.memory))
    table.add("problem", problem)
    if let remedy = status.remedy { table.add("remedy", remedy) }
    return table.text(columns: columns)
  }

  private static func engineLine(_ status: VaultStatus) -> String {
    "\(status.form.rawValue), thumblatchd \(status.version), process \(status.process)"
  }

  static func text(
    _ status: VaultStatus,
    _ reader: VaultReader,
    _ accounts: [VaultAccount],
    differing: [String: Bool] = [:],
    details: Bool,
    columns: Int?,
    now: Int64
  ) -> String {
    var table = Table(headings: ["", ""])
    table.add("engine", engineLine(status))
    table.add("device secret", deviceSecret(status.deviceSecret))
    if let check = status.counter { table.add("old copies", DeviceSecretVerbs.oldCopies(check)) }
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
    let keys = status.enrolledKeys ?? []
    if !keys.isEmpty {
      table.add("keys", keys.map { PlainText.line($0, limit: 64) }.joined(separator: ", "))
    }
    if status.fingerprintLockedOut {
      table.add("", "too many scans failed: password only, until it is given once")
    } else if let reason = status.fingerReason {
      table.add("", reason)
    }
    if accounts.count > 1 {
      let chosen = accounts.first(where: \.isDefault)?.name
      table.add("default", chosen.map { "\($0) (*)" } ?? "none: thumblatch account default NAME")
    }
    let text = table.text(columns: columns)
    if details, let account = accounts.first {
      return text + "\n\n"
        + AccountText.details(account, differs: differing[account.name], columns: columns, now: now)
    }
    guard !accounts.isEmpty else {
      return text + "\n\nno accounts yet: thumblatch login NAME --provider P"
    }
    return text + "\n\n"
      + AccountText.table(accounts, differing: differing, columns: columns, now: now)
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

  private static func deviceSecret(_ tier: String) -> String {
    switch tier {
    case "file": "file (a copy of the directory opens the vault)"
    case "tpm": "TPM (or the recovery code)"
    case "security_key": "security key (or the recovery code)"
    default: tier
    }
  }

  private static func memory(_ kind: SecretMemoryKind) -> String {
    switch kind {
    case .secret: "secret (memfd_secret: not swapped, not dumped)"
    case .locked: "locked (never swapped)"
    case .ordinary: "ordinary (RLIMIT_MEMLOCK is too low: it may be swapped)"
    }
  }

  private static func strings(_ texts: [String]) -> JSONValue {
    .array(texts.map { .string($0) })
  }
}
