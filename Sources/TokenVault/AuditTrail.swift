internal import Cryptography
internal import Storage

/// What is written down, by name: the names are stable, programs read them.
enum AuditEvent: String {
  case created = "vault-created"
  case login
  case registration
  case refresh
  case refreshAnswer = "refresh-answer"
  case rejected = "token-rejected"
  case check = "presence-check"
  case protection
  case unlock
  case lock
  case enrollment
  case fingerDeletion = "finger-deletion"
  case fingersChanged = "fingers-changed"
  case logout
  case refusal
}

/// How it went.
enum AuditOutcome: String {
  case begun
  case done
  case failed
  case refused
}

/// One line of the trail before it is numbered and chained.
struct AuditEntry {
  let event: AuditEvent
  let outcome: AuditOutcome
  var account: (identifier: [UInt8], name: String)?
  var method: String?
  var requester: String?
  var detail: String?

  /// The entry with texts that fit the store and a terminal: a helper's long excuse must neither
  /// keep a record from being written, nor write more than its line.
  var bounded: AuditEntry {
    var entry = self
    entry.requester = requester.map { Self.bounded($0, most: 256) }
    entry.detail = detail.map { Self.bounded($0, most: 1000) }
    return entry
  }

  private static func bounded(_ text: String, most: Int) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: kept.append("?")
      default: kept.append(scalar)
      }
    }
    return String(kept)
  }
}

/// The chain: each record is authenticated together with the one before it, so that altering,
/// dropping or reordering one shows.
struct AuditChain {
  /// What stands in for the record before the first.
  static let start = [UInt8](repeating: 0, count: 32)

  /// The bytes that are authenticated: every member, length-prefixed, after the code before.
  static func message(
    number: Int64,
    time: Int64,
    entry: AuditEntry,
    previous: [UInt8]
  ) -> [UInt8] {
    var bytes = previous
    func append(_ part: [UInt8]) {
      let count = UInt32(truncatingIfNeeded: part.count)
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * UInt32($0))) }
      bytes += part
    }
    func append(_ value: Int64) {
      append((0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) })
    }
    func append(_ text: String?) {
      // A missing member and an empty one are different records.
      append(text == nil ? [0] : [1])
      append([UInt8]((text ?? "").utf8))
    }
    append(number)
    append(time)
    append(entry.event.rawValue)
    append(entry.outcome.rawValue)
    append(entry.account?.identifier ?? [])
    append(entry.account?.name)
    append(entry.method)
    append(entry.requester)
    append(entry.detail)
    return bytes
  }
}
