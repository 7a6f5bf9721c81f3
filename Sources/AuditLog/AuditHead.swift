package import Cryptography

/// The keys of the audit log: one for the codes of its records, and one for its head and
/// checkpoint.
package struct AuditKeys: ~Copyable, Sendable {
  package let chain: SealingKey
  package let ends: SealingKey

  /// The keys that are derived from a device secret.
  package init(from secret: borrowing SealingKey) throws(CryptographyError) {
    let chain = try secret.derived(for: "audit chain")
    let ends = try secret.derived(for: "audit ends")
    self.chain = chain
    self.ends = ends
  }
}

/// The kind of a break, by the name that programs read.
package enum AuditFlaw: UInt8, CaseIterable {
  case altered = 1
  case dropped
  case reordered
  case truncated
  case duplicated
  case added
  case head
  case checkpoint

  /// The name on the wire.
  package var name: String { "\(self)" }
}

/// A position at which the audit log was changed.
package struct AuditBreak: Equatable, Sendable {
  package let number: Int64
  package let flaw: AuditFlaw
}

/// The two ends of the audit log, written with each record, so that a truncated log does not match.
package struct AuditHead: Equatable {
  /// The number of the first record that is kept, or would be.
  package var first: Int64
  /// The number of the last record.
  package var last: Int64
  /// The number of records that are kept.
  package var count: Int64
  /// The number of changes to sealed boxes.
  ///
  /// An older log that is restored with its head does not match a newer store.
  var boxChanges: UInt64
  /// The first break that was noticed; it is kept permanently.
  var broken: AuditBreak?
  /// The code of the last record.
  package var code: [UInt8]

  /// The value before the first record.
  package static let empty = AuditHead(
    first: 1,
    last: 0,
    count: 0,
    boxChanges: 0,
    code: AuditChain.start
  )

  /// Records a break; only the first one in the chain is kept.
  mutating func note(_ found: AuditBreak) {
    if let broken, broken.number <= found.number { return }
    broken = found
  }
}

/// The checkpoint in place of the records that were removed: the chain continues from here.
struct AuditCheckpoint: Equatable {
  /// The number of the last record that was removed.
  var number: Int64
  var code: [UInt8]

  /// The value before the first record.
  static let start = AuditCheckpoint(number: 0, code: AuditChain.start)
}

/// A value of the `meta` table that only this vault can have written: version, body, HMAC-SHA256.
///
/// The code also covers the kind of the value, the vault and its owner.
struct AuditSeal {
  private static let version: UInt8 = 1
  private static let codeCount = 32

  let kind: UInt8
  let vault: [UInt8]
  let owner: UInt32

  func seal(_ body: [UInt8], using keys: borrowing AuditKeys) throws(CryptographyError) -> [UInt8] {
    [Self.version] + body + (try authenticate(message(body), using: keys.ends))
  }

  /// The body; `nil` if this vault did not write it.
  func open(
    _ value: [UInt8],
    count: Int,
    using keys: borrowing AuditKeys
  ) throws(CryptographyError) -> [UInt8]? {
    guard value.count == 1 + count + Self.codeCount, value[0] == Self.version else { return nil }
    let body = Array(value[1...count])
    let code = try authenticate(message(body), using: keys.ends)
    return Array(value[(1 + count)...]) == code ? body : nil
  }

  private func message(_ body: [UInt8]) -> [UInt8] {
    [Self.version, kind] + vault + littleEndian(Int64(owner)) + body
  }
}

extension AuditHead {
  static let kind: UInt8 = 1
  static let encodedCount = 6 * 8 + 32

  var encoded: [UInt8] {
    [
      first, last, count, Int64(bitPattern: boxChanges), broken?.number ?? 0,
      Int64(broken?.flaw.rawValue ?? 0),
    ].flatMap(littleEndian) + code
  }

  /// Reads the output of `encoded`; `bytes` are authentic, and therefore have its length.
  init(encoded bytes: [UInt8]) {
    let fields: [Int64] = (0..<6).map { integer(littleEndian: bytes[$0 * 8..<$0 * 8 + 8]) }
    first = fields[0]
    last = fields[1]
    count = fields[2]
    boxChanges = UInt64(bitPattern: fields[3])
    broken = AuditFlaw(rawValue: UInt8(truncatingIfNeeded: fields[5])).map {
      AuditBreak(number: fields[4], flaw: $0)
    }
    code = Array(bytes[48...])
  }
}

extension AuditCheckpoint {
  static let kind: UInt8 = 2
  static let encodedCount = 8 + 32

  var encoded: [UInt8] { littleEndian(number) + code }

  /// Reads the output of `encoded`; `bytes` are authentic, and therefore have its length.
  init(encoded bytes: [UInt8]) {
    number = integer(littleEndian: bytes[..<8])
    code = Array(bytes[8...])
  }
}
