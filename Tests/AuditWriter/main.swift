import AuditLog
import Cryptography
import Storage
import System

// Fills the audit log of a vault whose engine does not run, with records like those of an engine.
// The engine finds the log whole. Arguments: the state directory, and how many records there are
// afterwards.

/// A record of an hour with four events: every 100 records are an account's, and one of them
/// failed.
func entry(_ number: Int64) -> AuditEntry {
  let account = "account-\(number / 100 % 10)"
  let identifier = [UInt8](repeating: UInt8(number / 100 % 10), count: 16)
  var entry =
    switch number % 4 {
    case 0: AuditEntry(event: .refresh, outcome: number % 100 == 0 ? .failed : .done)
    case 1: AuditEntry(event: .check, outcome: .done)
    case 2: AuditEntry(event: .unlock, outcome: .done)
    default: AuditEntry(event: .accessToken, outcome: .done)
    }
  entry.account = (identifier, account)
  entry.method = number % 4 == 1 ? "fingerprint" : nil
  entry.requester = "bash, pid \(number)"
  entry.detail = "record \(number), stated reason \"nightly\", rule \"box\""
  return entry
}

func row(_ number: Int64, at time: Int64) -> AuditRow {
  let entry = entry(number)
  var row = AuditRow(
    number: number,
    time: time,
    owner: ThisProcess.user,
    event: entry.event.rawValue,
    outcome: entry.outcome.rawValue,
    mac: []
  )
  (row.accountID, row.account) = (entry.account?.identifier, entry.account?.name)
  (row.method, row.requester, row.detail) = (entry.method, entry.requester, entry.detail)
  return row
}

func fill(_ path: String, upTo total: Int64) throws {
  let directory = try StateDirectory(path: path)
  let secret = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in true }
  let keys = try AuditKeys(from: try SealingKey(secret))
  let store = try Store(in: directory)
  guard let vault = try store.meta("vault") else { throw StorageError.noSuchRow }
  let auditLog = AuditLog(store: store, vault: vault, owner: ThisProcess.user)
  let now = WallTime.now.seconds
  try store.transaction {
    let last = try store.auditNumber(through: AuditLog.mostNumber) ?? 0
    var head = AuditHead.empty
    head.code = try store.auditCodes(from: last, limit: 1).first?.mac ?? head.code
    for number in (last + 1)...total {
      // The oldest one is of two months ago.
      var row = row(number, at: now - (total - number) * 5_184_000 / total)
      row.mac = try auditLog.code(of: row, number: number, previous: head.code, using: keys)
      try store.append(row)
      head.code = row.mac
    }
    (head.last, head.count) = (total, total)
    try auditLog.write(head, using: keys)
    try auditLog.acceptBoxChanges(using: keys)
  }
  try store.checkpoint()
}

try fill(CommandLine.arguments[1], upTo: Int64(CommandLine.arguments[2]) ?? 0)
