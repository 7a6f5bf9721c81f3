import SecretMemory
import System
import TestSupport
import Testing
import TokenFile

@testable import Storage

/// A writer is stopped at each of its system calls, by a kill or by an error of the kernel, and the
/// vault is opened again.
@Suite(.timeLimit(.minutes(30)))
struct CrashTests {
  /// The system calls that write a vault.
  static let calls = [
    "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "unlinkat", "renameat",
    "linkat", "mkdirat", "openat2",
  ]

  /// Runs the writer with an injection at call number `number`.
  ///
  /// `nil` if it ended before that call.
  private func write(
    _ scratch: Scratch,
    _ scenario: String,
    _ call: String,
    _ number: Int,
    _ injection: StoppedProgram.Injection
  ) throws -> [String]? {
    try StoppedProgram(
      "StorageWriter",
      [scratch.path, scenario],
      base: scratch.base,
      refusal: "error \(StorageError.inUse)"
    ).stopped(at: call, number, injection)
  }

  /// Stops the writer at each call of one kind: `prepare` makes a fresh directory, and `judge`
  /// checks the result.
  private func everyStop(
    _ scenario: String,
    _ call: String,
    _ injection: StoppedProgram.Injection,
    prepare: (Scratch) throws -> Void,
    judge: (Scratch, [String]) throws -> Void
  ) throws -> Int {
    var number = 0
    while true {
      let scratch = try Scratch()
      try prepare(scratch)
      guard let lines = try write(scratch, scenario, call, number + 1, injection) else {
        return number
      }
      number += 1
      // An error in a report, or in a call of the C library, may be ignored. A reported step must
      // still hold.
      try judge(scratch, lines)
    }
  }

  // MARK: - A fresh vault

  private func judgeFresh(_ scratch: Scratch, _ lines: [String]) throws {
    let secretPath = scratch.path + "/device-secret"
    let secretBefore = Files.exists(secretPath) ? try Files.contents(secretPath) : nil
    if lines.contains("secret") { #expect(secretBefore?.count == 32) }
    #expect(secretBefore == nil || secretBefore?.count == 32)
    let directory = try scratch.open()
    let store = try Store(in: directory)
    try store.verify()
    let secret = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
      try store.hasSealedBoxes()
    }
    if let secretBefore {
      let same = unsafe secret.withUnsafeBytes { unsafe Array($0) } == secretBefore
      #expect(same)
    }
    let account = try store.account(id: accountID)
    if lines.contains("account") { #expect(account != nil) }
    if lines.contains("slot") || account != nil {
      _ = try SlotFile(in: directory, account: accountID)
    }
    try SlotFile.create(in: directory, account: accountID)
    let counter = try RollbackCounterFile.read(in: directory)?.count
    if lines.contains("rollback-counter") { #expect(counter == 1) }
    try RollbackCounterFile.write(count: 1, code: counterCode, in: directory)
    let known: Set = [
      "device-secret", "rollback-counter", "slots", "tokens", "vault.db", "vault.db-wal",
    ]
    #expect(try Set(directory.root.names()).isSubset(of: known))
  }

  @Test(arguments: CrashTests.calls)
  func aKillWhileAVaultIsMadeLeavesOneThatOpens(_ call: String) throws {
    _ = try everyStop("fresh", call, .kill, prepare: { _ in }, judge: judgeFresh)
  }

  // MARK: - A change

  /// A vault of generation 1, with an answer in the slot and a token for the front.
  private func prepareChange(_ scratch: Scratch) throws {
    let directory = try scratch.open()
    let store = try Store(in: directory)
    _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in false }
    try SlotFile.create(in: directory, account: accountID)
    try store.insert(sampleAccount())
    try store.put(
      AccessTokenRow(account: accountID, token: "access-1", expiresAt: nil, storedAt: 1)
    )
    try RollbackCounterFile.write(count: 1, code: counterCode, in: directory)
    try TokenFiles.write(try sampleToken("access-1"), account: "me", in: directory)
    try Files.patch([1, 2, 3], at: 0, of: scratch.path + "/slots/" + Hexadecimal.text(accountID))
  }

  private func judgeChange(_ scratch: Scratch, _ lines: [String]) throws {
    let directory = try scratch.open()
    let store = try Store(in: directory)
    try store.verify()
    let row = try #require(try store.account(id: accountID))
    #expect(row.generation == 1 || row.generation == 2)
    let box = [UInt8](repeating: UInt8(row.generation), count: 3_000)
    let whole = row.sealedRefreshToken == box
    #expect(whole)
    // One transaction: never the token of one generation with the box of another.
    #expect(try store.accessToken(account: accountID)?.token == "access-\(row.generation)")
    if lines.contains("changed") { #expect(row.generation == 2) }

    let counter = try #require(try RollbackCounterFile.read(in: directory)).count
    #expect(counter == 1 || counter == 2)
    #expect(counter <= row.generation)
    if lines.contains("rollback-counter") { #expect(counter == 2) }

    let cached = try TokenFiles.read(account: "me", in: directory)
    let names = ["access-1", "access-2"].map { Array($0.utf8) }
    // It is a cache: between the old token and the new one there may be none.
    if let cached { #expect(names.contains(cached.token)) }
    if lines.contains("token") { #expect(cached?.token == names[1]) }

    let slot = try SlotFile(in: directory, account: accountID).readWhole()
    let zero = slot.allSatisfy { $0 == 0 }
    #expect(zero || Array(slot.prefix(3)) == [1, 2, 3])
    if lines.contains("zeroed") { #expect(zero) }
    #expect(try Files.contents(scratch.path + "/device-secret").count == 32)
    // The next change works, too.
    try store.transaction { try store.setMeta("next", to: [1]) }
    try store.checkpoint()
  }

  @Test(arguments: CrashTests.calls, StoppedProgram.Injection.allCases)
  func aStopDuringAChangeLeavesTheOldOrTheNew(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) throws {
    let stops = try everyStop(
      "change",
      call,
      injection,
      prepare: prepareChange,
      judge: judgeChange
    )
    // Control: the injection hits the writer.
    if ["write", "pwrite64", "fsync", "fdatasync", "renameat", "ftruncate"].contains(call) {
      #expect(stops > 0)
    }
  }

  @Test
  func withoutAStopEverythingIsDone() throws {
    let scratch = try Scratch()
    try prepareChange(scratch)
    let report = try Report(scratch)
    let end = try run(Writer.path(), [scratch.path, "change"], output: report.descriptor.number)
    #expect(end == .exited(0))
    #expect(
      try report.lines() == [
        "open", "changed", "rollback-counter", "token", "zeroed", "checkpoint",
      ]
    )
    try judgeChange(scratch, try report.lines())
  }

  @Test
  func aFailedSyncIsUncertainAndTheStoreAnswersNoMore() throws {
    let scratch = try Scratch()
    try prepareChange(scratch)
    let lines = try #require(try write(scratch, "change", "fdatasync", 1, .ioError))
    #expect(lines.last?.contains("may not have reached the disk") == true)
    #expect(!lines.contains("changed"))
  }
}
