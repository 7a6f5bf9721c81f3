internal import Storage

/// A store with one row, or a few, of every kind.
enum StoreSamples {
  static func fill(_ store: Store) throws {
    try store.transaction {
      try store.setMeta("vault", to: [UInt8](repeating: 1, count: 16))
      try store.insert(account)
      try store.put(
        AccessTokenRow(
          account: StoreReads.account,
          token: "access",
          expiresAt: 1_800_000_000,
          storedAt: 1_700_000_000,
          grantedScope: "openid"
        )
      )
      try store.put(intent)
      try fillPeople(store)
      for number in 1...3 { try store.append(record(Int64(number))) }
    }
    try store.checkpoint()
  }

  private static func fillPeople(_ store: Store) throws {
    let code = [UInt8](repeating: 4, count: 32)
    try store.insert(
      PrintRow(
        id: [UInt8](repeating: 6, count: 16),
        owner: StoreReads.owner,
        finger: "right-index",
        driver: "virtual_device",
        device: "0",
        sealed: [1, 2, 3],
        enrolledAt: 1_700_000_000
      )
    )
    try store.put(LockoutRow(owner: StoreReads.owner, failures: 2, passwordOnly: false))
    try store.put(
      PasswordWaitRow(
        owner: StoreReads.owner,
        failures: 1,
        bootID: [UInt8](repeating: 7, count: 16),
        notBefore: 5,
        waitSeconds: 2
      )
    )
    try store.put(
      EnrolledSetRow(
        owner: StoreReads.owner,
        code: code,
        source: "prints",
        fingers: "right-index",
        confirmedAt: 1_700_000_000
      )
    )
  }

  private static let account = {
    var row = AccountRow(
      id: StoreReads.account,
      name: "me",
      owner: StoreReads.owner,
      provider: "dev",
      providerSettings: [1, 2, 3],
      binding: [UInt8](repeating: 3, count: 32),
      createdAt: 1_700_000_000
    )
    row.sealedClientSecret = [1]
    row.subject = "u1"
    row.email = "ann@example.org"
    row.displayName = "Ann"
    row.protection = 1
    row.generation = 7
    row.sealedRefreshToken = [1, 2]
    row.state = .signedIn
    row.cause = "why"
    row.usedAt = 1_700_000_000
    row.refreshedAt = 1_700_000_000
    row.loginScope = "openid"
    row.missingScope = "email"
    return row
  }()

  private static let intent = IntentRow(
    account: StoreReads.account,
    intent: [UInt8](repeating: 8, count: 32),
    purpose: .refresh,
    generation: 7,
    startedAt: 1_700_000_000,
    bootID: [UInt8](repeating: 7, count: 16),
    bootInstant: 5
  )

  private static func record(_ number: Int64) -> AuditRow {
    var row = AuditRow(
      number: number,
      time: 1_700_000_000,
      owner: StoreReads.owner,
      event: "refresh",
      outcome: "done",
      mac: [UInt8](repeating: UInt8(number), count: 32)
    )
    row.accountID = StoreReads.account
    row.account = "me"
    row.method = "fingerprint"
    row.requester = "bash"
    row.detail = "why"
    return row
  }
}
