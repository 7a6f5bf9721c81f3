import AuditLog
import Cryptography
import Storage
import System
import TestSupport

/// An audit log in a store of its own, written record by record.
final class Log {
  private let scratch: ScratchDirectory
  private let store: Store
  private(set) var keys: AuditKeys
  let auditLog: AuditLog

  /// A log with this many records.
  init(records: Int = 0) throws {
    scratch = try ScratchDirectory()
    let directory = try StateDirectory(try Directory.make(path: scratch.path + "/vault"))
    store = try Store(in: directory)
    keys = try AuditKeys(from: try SealingKey.random())
    auditLog = AuditLog(store: store, vault: [UInt8](repeating: 7, count: 16), owner: 1000)
    try store.transaction { try auditLog.begin(using: keys) }
    try write(records)
  }

  /// Appends this many records in one transaction.
  func write(_ count: Int) throws {
    try store.transaction {
      for number in 0..<count {
        var entry = AuditEntry(event: .lock, outcome: .done)
        entry.requester = "bash, pid \(number)"
        try auditLog.append(entry, at: 1000, using: keys)
      }
    }
  }

  /// Changes the store from outside.
  func edit(_ sql: String) throws { try store.database.run(sql) }

  /// Removes all but the last records.
  func prune(keeping records: Int) throws {
    let limits = AuditLimits(seconds: 1 << 40, records: records)
    guard let end = try auditLog.endOfPruning(to: limits, at: 1000, using: keys) else { return }
    let found = try verdict().found
    try store.transaction {
      _ = try auditLog.prune(through: end, found: found, at: 1000, using: keys)
    }
  }

  /// Authenticates the log under other keys.
  func changeKeys() throws {
    let new = try AuditKeys(from: try SealingKey.random())
    try store.transaction { try auditLog.reauthenticate(from: keys, to: new) }
    keys = new
  }

  func verdict() throws -> AuditVerdict { try auditLog.verifyChain(using: keys) }

  /// The verdict under keys that did not write the log.
  func verdictUnderOtherKeys() throws -> AuditVerdict {
    try auditLog.verifyChain(using: try AuditKeys(from: try SealingKey.random()))
  }
}
