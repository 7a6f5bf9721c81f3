internal import Configuration
internal import Synchronization
package import System
package import TokenVault

/// Sends audit records to systemd-journald as structured fields.
///
/// The datagram is that of journald's native protocol
/// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL), so no library is needed.
package final class JournalSocket: AuditJournal {
  package static let path = "/run/systemd/journal/socket"
  /// The same in each record of the audit log, for filters.
  static let messageIdentifier = "7f5c9a0e2d6b4c1f8a3e51d0b96c4e27"
  /// How long the administrator's choice counts before it is read again, in seconds.
  private static let freshness: Int64 = 5

  private let socket: DatagramSocket
  private let path: String
  private let rules: any MachineRules
  private let choice = Mutex<(isOn: Bool, until: BootInstant)?>(nil)

  /// Makes the socket; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - path: the socket of the journal.
  ///   - rules: the administrator's rules, of which `journal` says whether records are sent.
  /// - Throws: an error if there is no socket left.
  package init(path: String = JournalSocket.path, rules: any MachineRules) throws(SystemError) {
    socket = try DatagramSocket()
    self.path = path
    self.rules = rules
  }

  package func send(_ record: JournalRecord) -> Bool {
    guard isWanted() else { return true }
    do throws(SystemError) {
      try socket.send(Self.datagram(of: record), to: path)
      return true
    } catch {
      // A record that is too long for the socket never gets shorter.
      return error.isTooLong
    }
  }

  /// Whether the administrator wants records; also while the policy cannot be read.
  private func isWanted() -> Bool {
    let now = BootInstant.now
    return choice.withLock { choice in
      if let known = choice, now.nanoseconds < known.until.nanoseconds { return known.isOn }
      let isOn = (try? rules.policy().journal) ?? true
      choice = (isOn, now.advanced(bySeconds: Self.freshness))
      return isOn
    }
  }

  /// The fields of a record.
  ///
  /// A value follows its length, so that no text of a user can begin another field.
  static func datagram(of journal: JournalRecord) -> [UInt8] {
    let record = journal.record
    let about = record.account.map { ", account \($0)" } ?? ""
    let fields: [(String, String?)] = [
      ("MESSAGE", "audit: \(record.event) \(record.outcome), user \(journal.owner)\(about)"),
      ("MESSAGE_ID", messageIdentifier),
      // syslog(3): notice, or warning for a failure.
      ("PRIORITY", ["done", "begun"].contains(record.outcome) ? "5" : "4"),
      ("SYSLOG_IDENTIFIER", "thumblatchd"),
      ("THUMBLATCH_EVENT", record.event),
      ("THUMBLATCH_OUTCOME", record.outcome),
      ("THUMBLATCH_USER", "\(journal.owner)"),
      ("THUMBLATCH_ACCOUNT", record.account),
      ("THUMBLATCH_METHOD", record.method),
      ("THUMBLATCH_REQUESTER", record.requester),
      ("THUMBLATCH_DETAIL", record.detail),
      ("THUMBLATCH_TIME", "\(record.time)"),
      ("THUMBLATCH_VAULT", journal.vault),
      ("THUMBLATCH_SEQUENCE", "\(record.number)"),
      ("THUMBLATCH_HEAD", journal.head),
    ]
    var bytes: [UInt8] = []
    for (name, value) in fields {
      guard let value else { continue }
      let text = Array(plain(value).utf8)
      bytes += Array(name.utf8) + [UInt8(ascii: "\n")]
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(text.count) >> (8 * UInt64($0))) }
      bytes += text + [UInt8(ascii: "\n")]
    }
    return bytes
  }

  /// The text without terminal controls: a store that was edited may hold anything.
  private static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        plain.append("?")
      default: plain.append(scalar)
      }
    }
    return String(plain)
  }
}
