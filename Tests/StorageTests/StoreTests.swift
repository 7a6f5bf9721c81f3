import Testing

@testable import Storage

@Suite
struct StoreTests {
  private let scratch: Scratch
  let store: Store

  init() throws {
    scratch = try Scratch()
    store = try Store(in: try scratch.open())
  }

  private func intent(_ attempts: Int64 = 0) -> IntentRow {
    IntentRow(
      account: accountID,
      intent: [UInt8](repeating: UInt8(3 + attempts), count: 32),
      purpose: .refresh,
      generation: 1,
      startedAt: 5,
      bootID: [UInt8](repeating: 4, count: 16),
      bootInstant: .max,
      attempts: attempts,
      notBefore: 7,
      waitSeconds: 600,
      uncertain: attempts > 0,
      context: [9, 0, 9]
    )
  }

  func record(_ number: Int64, time: Int64 = 100, owner: UInt32 = 0) -> AuditRow {
    AuditRow(
      number: number,
      time: time,
      owner: owner,
      event: "refresh",
      outcome: "done",
      accountID: number % 2 == 0 ? accountID : nil,
      account: "me",
      method: nil,
      requester: "bash",
      detail: "kept",
      mac: [UInt8](repeating: 5, count: 32)
    )
  }

  @Test
  func anAccountIsStoredChangedAndRemoved() throws {
    #expect(try !store.hasSealedBoxes())
    let bare = AccountRow(
      id: [UInt8](repeating: 9, count: 16),
      name: "bare",
      owner: 4_294_967_295,
      provider: "dev",
      providerSettings: [],
      binding: [UInt8](repeating: 2, count: 32),
      createdAt: 0
    )
    try store.insert(bare)
    #expect(try store.account(id: bare.id) == bare)
    #expect(try !store.hasSealedBoxes())
    var row = sampleAccount()
    try store.insert(row)
    #expect(try store.account(id: accountID) == row)
    #expect(try store.hasSealedBoxes())
    row.name = "renamed"
    row.generation = .max
    row.state = .loginRequired
    row.cause = "answer lost"
    row.sealedRefreshToken = nil
    row.email = ""
    try store.update(row)
    #expect(try store.account(named: "renamed", owner: 0) == row)
    #expect(try store.account(named: "me", owner: 0) == nil)
    #expect(try store.account(named: "renamed", owner: 1) == nil)
    #expect(try store.accounts(owner: 0) == [row])
    #expect(
      try store.allAccounts() == [bare, row].sorted { $0.id.lexicographicallyPrecedes($1.id) }
    )
    #expect(try store.deleteAccount(id: accountID))
    #expect(try !store.deleteAccount(id: accountID))
    #expect(throws: StorageError.noSuchRow) { try store.update(row) }
  }

  @Test
  func whatWasStoredIsThereAfterTheNextStart() throws {
    let scratch = try Scratch()
    do {
      let store = try Store(in: try scratch.open())
      try store.insert(sampleAccount())
    }
    let store = try Store(in: try scratch.open())
    #expect(try store.account(id: accountID) == sampleAccount())
  }

  @Test
  func aNameIsTakenOncePerOwner() throws {
    try store.insert(sampleAccount())
    let other = [UInt8](repeating: 8, count: 16)
    #expect(throws: StorageError.constraint(2067)) {
      try store.insert(sampleAccount(id: other))
    }
    try store.insert(sampleAccount(id: other, owner: 1))
    #expect(throws: StorageError.self) { try store.insert(sampleAccount(name: "other")) }
  }

  @Test
  func rowsThatTheSchemaForbidsAreRefused() throws {
    var rows = [AccountRow](repeating: sampleAccount(), count: 7)
    rows[0].id = [1]
    rows[1].binding = []
    rows[2].name = ""
    rows[3].name = String(repeating: "a", count: 65)
    rows[4].generation = -1
    rows[5].sealedRefreshToken = []
    rows[6].email = String(repeating: "a", count: 10_000)
    for row in rows {
      #expect(throws: StorageError.constraint(275)) { try store.insert(row) }
    }
    var token = AccessTokenRow(account: accountID, token: "x", expiresAt: 1, storedAt: 1)
    // No such account.
    #expect(throws: StorageError.constraint(787)) { try store.put(token) }
    try store.insert(sampleAccount())
    token.token = ""
    #expect(throws: StorageError.constraint(275)) { try store.put(token) }
    #expect(try store.accessTokens(account: accountID).isEmpty)
  }

  @Test
  func tokensAndIntentsBelongToTheirAccount() throws {
    try store.insert(sampleAccount())
    var token = AccessTokenRow(account: accountID, token: "a'b\"c", expiresAt: 1, storedAt: 2)
    try store.put(token)
    token.token = "second"
    token.expiresAt = nil
    token.requestedLifetime = 60
    try store.put(token)
    let scoped = AccessTokenRow(
      account: accountID,
      scopeSet: "mail read",
      token: "scoped",
      tokenType: "DPoP",
      expiresAt: 3,
      storedAt: 4,
      grantedScope: "mail"
    )
    try store.put(scoped)
    #expect(try store.accessToken(account: accountID) == token)
    #expect(try store.accessToken(account: accountID, scopeSet: "mail") == nil)
    #expect(try store.accessTokens(account: accountID) == [token, scoped])
    try store.put(intent())
    #expect(try store.intent(account: accountID) == intent())
    try store.put(intent(1))
    #expect(try store.intents() == [intent(1)])
    #expect(try store.deleteIntent(account: accountID))
    #expect(try !store.deleteIntent(account: accountID))
    try store.put(intent(2))
    try store.deleteAccessToken(account: accountID, scopeSet: "mail")
    #expect(try store.accessTokens(account: accountID).count == 2)
    try store.deleteAccessToken(account: accountID, scopeSet: "mail read")
    #expect(try store.accessTokens(account: accountID) == [token])
    try store.deleteAccessTokens(account: accountID)
    #expect(try store.accessTokens(account: accountID).isEmpty)
    try store.put(token)
    try store.deleteAccount(id: accountID)
    #expect(try store.accessTokens(account: accountID).isEmpty)
    #expect(try store.intents().isEmpty)
    try store.verify()
  }

  @Test
  func ofManyScopeSetsThoseThatWereStoredLastAreKept() throws {
    try store.insert(sampleAccount())
    for (number, time) in [(1, 5), (2, 9), (3, 7), (4, 7)] as [(Int, Int64)] {
      let row = AccessTokenRow(
        account: accountID,
        scopeSet: "s\(number)",
        token: "t",
        expiresAt: nil,
        storedAt: time
      )
      try store.put(row)
    }
    try store.put(AccessTokenRow(account: accountID, token: "t", expiresAt: nil, storedAt: 1))
    // Of two tokens of the same second the later one stays.
    try store.trimAccessTokens(account: accountID, keeping: 2)
    #expect(try store.accessTokens(account: accountID).map(\.scopeSet) == ["", "s2", "s4"])
    try store.trimAccessTokens(account: accountID, keeping: 0)
    #expect(try store.accessTokens(account: accountID).map(\.scopeSet) == [""])
  }

  @Test
  func printsLockoutsAndKeysAreKept() throws {
    let row = PrintRow(
      id: [UInt8](repeating: 6, count: 16),
      owner: 1000,
      finger: "right-index",
      driver: "virtual",
      device: "",
      sealed: [1, 2],
      enrolledAt: 3
    )
    try store.insert(row)
    #expect(try store.prints(owner: 1000) == [row])
    #expect(try store.prints(owner: 0).isEmpty)
    #expect(try store.hasSealedBoxes())
    var second = row
    second.id = [UInt8](repeating: 7, count: 16)
    #expect(throws: StorageError.constraint(2067)) { try store.insert(second) }
    #expect(try store.deletePrint(id: row.id))
    #expect(try !store.hasSealedBoxes())

    #expect(try store.lockout(owner: 0) == nil)
    let lockout = LockoutRow(owner: 0, failures: 5, passwordOnly: true)
    try store.put(LockoutRow(owner: 0, failures: 4, passwordOnly: false))
    try store.put(lockout)
    #expect(try store.lockout(owner: 0) == lockout)
    try store.deleteLockout(owner: 0)
    #expect(try store.lockout(owner: 0) == nil)

    #expect(try store.meta("vault") == nil)
    try store.setMeta("vault", to: [1])
    try store.setMeta("vault", to: [])
    #expect(try store.meta("vault") == [])
    try store.setMeta("vault", to: nil)
    #expect(try store.meta("vault") == nil)
  }

  @Test
  func theAuditIsReadInPages() throws {
    #expect(try store.auditTail() == nil)
    for number in 1...10 {
      try store.append(
        record(Int64(number), time: 100 + Int64(number), owner: number > 8 ? 1 : 0)
      )
    }
    #expect(throws: StorageError.constraint(1555)) { try store.append(record(10)) }
    #expect(try store.auditTail() == record(10, time: 110, owner: 1))
    #expect(try store.auditHead()?.number == 1)
    #expect(try store.audit(limit: 4).map(\.number) == [1, 2, 3, 4])
    #expect(try store.audit(after: 4, limit: 4).map(\.number) == [5, 6, 7, 8])
    #expect(try store.audit(since: 108).map(\.number) == [8, 9, 10])
    #expect(try store.audit(owner: 1).map(\.number) == [9, 10])
    #expect(try store.audit(owner: 0, accountID: accountID).map(\.number) == [2, 4, 6, 8])
    // Those of a removed account with the same name are meant too.
    let other = [UInt8](repeating: 7, count: 16)
    try store.insert(sampleAccount(id: other))
    #expect(try store.audit(owner: 0, accountID: other, name: "me").map(\.number) == [2, 4, 6, 8])
    try store.insert(sampleAccount(name: "now"))
    #expect(try store.audit(owner: 0, accountID: other, name: "me").isEmpty)
    #expect(try store.deleteAudit(through: 3) == 3)
    #expect(try store.auditCount() == 7)
    #expect(try store.auditHead()?.number == 4)
  }

  @Test
  func textIsBoundAndNeverAPartOfAStatement() throws {
    let names = ["'; DROP TABLE accounts; --", "\" OR 1=1", "%", "_", "a\u{0}b", "ü"]
    for (index, name) in names.enumerated() {
      try store.insert(
        sampleAccount(id: [UInt8](repeating: UInt8(index), count: 16), name: name)
      )
    }
    for name in names { #expect(try store.account(named: name, owner: 0)?.name == name) }
    #expect(try store.accounts(owner: 0).count == names.count)
  }

  @Test
  func noErrorHoldsAValue() throws {
    try store.insert(sampleAccount(name: "planted-value"))
    do {
      try store.insert(
        sampleAccount(id: [UInt8](repeating: 3, count: 16), name: "planted-value")
      )
      Issue.record("a name was taken twice")
    } catch {
      #expect(!"\(error)\(String(reflecting: error))".contains("planted"))
    }
  }
}
