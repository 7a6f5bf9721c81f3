import Configuration
import Glibc
import MachineFiles
import System
import TestSupport
import Testing

@testable import TokenVault
@testable import VaultServer

@Suite
struct JournalSocketTests {
  private func record(
    _ number: Int64 = 7,
    outcome: String = "done",
    account: String? = "work",
    detail: String? = nil
  ) -> JournalRecord {
    JournalRecord(
      vault: "aa",
      owner: 1000,
      record: AuditFacts(
        number: number,
        time: 1_800_000_000,
        event: "refresh",
        outcome: outcome,
        account: account,
        method: nil,
        requester: "bash, PID 1",
        detail: detail
      ),
      head: "00ff"
    )
  }

  /// Reads a datagram as journald does.
  private func fields(_ bytes: [UInt8]) throws -> [String: String] {
    var fields: [String: String] = [:]
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = try #require(rest.firstIndex(of: 0x0A))
      let name = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(8)
      fields[name] = String(decoding: rest.prefix(count), as: UTF8.self)
      rest = rest.dropFirst(count)
      try #require(rest.popFirst() == 0x0A)
    }
    return fields
  }

  private final class Receiver {
    let scratch: ScratchDirectory
    let socket: Descriptor
    var path: String { scratch.path + "/s" }

    init() throws {
      scratch = try ScratchDirectory()
      socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let name = Array((scratch.path + "/s").utf8)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
      let bound = unsafe withUnsafeBytes(of: address) { raw in
        unsafe bind(
          socket.number,
          raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
          socklen_t(raw.count)
        )
      }
      try #require(bound == 0)
      try socket.setNonblocking(true)
    }

    func receive() throws -> [UInt8]? {
      do { return try socket.read(atMost: 65_536) } catch { return nil }
    }
  }

  private func rules(_ text: String, in scratch: ScratchDirectory) throws -> MachineConfiguration {
    let directory = try scratch.open()
    try directory.unlink("thumblatch.conf")
    try directory.create("thumblatch.conf").write(text)
    return MachineConfiguration(MachineDirectory(path: scratch.path, owners: [ThisProcess.user]))
  }

  @Test
  func aRecordIsSentWithItsFields() throws {
    let receiver = try Receiver()
    let scratch = try ScratchDirectory()
    let journal = try JournalSocket(path: receiver.path, rules: try rules("", in: scratch))
    #expect(journal.send(record()))
    let fields = try fields(try #require(try receiver.receive()))
    #expect(
      fields == [
        "MESSAGE": "audit: refresh done, user 1000, account work",
        "MESSAGE_ID": "7f5c9a0e2d6b4c1f8a3e51d0b96c4e27", "PRIORITY": "5",
        "SYSLOG_IDENTIFIER": "thumblatchd", "THUMBLATCH_EVENT": "refresh",
        "THUMBLATCH_OUTCOME": "done", "THUMBLATCH_USER": "1000", "THUMBLATCH_ACCOUNT": "work",
        "THUMBLATCH_REQUESTER": "bash, PID 1", "THUMBLATCH_TIME": "1800000000",
        "THUMBLATCH_VAULT": "aa", "THUMBLATCH_SEQUENCE": "7", "THUMBLATCH_HEAD": "00ff",
      ]
    )
  }

  @Test
  func noTextBeginsAFieldOrControlsATerminal() throws {
    let hostile = "x\nTHUMBLATCH_USER=0\n_UID=0\u{1B}[2J\u{202E}\0"
    let bytes = JournalSocket.datagram(
      of: record(outcome: "failed", account: hostile, detail: hostile)
    )
    let fields = try fields(bytes)
    #expect(fields["THUMBLATCH_USER"] == "1000" && fields["_UID"] == nil)
    #expect(fields["PRIORITY"] == "4")
    #expect(fields["THUMBLATCH_ACCOUNT"] == "x?THUMBLATCH_USER=0?_UID=0?[2J??")
    for value in fields.values { #expect(value.utf8.allSatisfy { $0 >= 0x20 }) }
  }

  @Test
  func withoutAReceiverOrWithAFullOneNothingWaits() throws {
    let scratch = try ScratchDirectory()
    let none = try JournalSocket(path: scratch.path + "/none", rules: try rules("", in: scratch))
    #expect(!none.send(record()))
    let receiver = try Receiver()
    let full = try JournalSocket(path: receiver.path, rules: try rules("", in: scratch))
    let begun = BootInstant.now
    var sent = 0
    while sent < 100_000, full.send(record()) { sent += 1 }
    #expect(sent < 100_000)
    #expect(BootInstant.now.nanoseconds - begun.nanoseconds < 10_000_000_000)
    _ = try receiver.receive()
    #expect(full.send(record()))
  }

  @Test
  func theAdministratorTurnsItOff() throws {
    let receiver = try Receiver()
    let scratch = try ScratchDirectory()
    let off = try rules("[Policy]\njournal = no\n", in: scratch)
    #expect(try JournalSocket(path: receiver.path, rules: off).send(record()))
    #expect(try receiver.receive() == nil)
    let broken = try rules("[Policy]\njournal = perhaps\n", in: scratch)
    #expect(try JournalSocket(path: receiver.path, rules: broken).send(record()))
    #expect(try receiver.receive() != nil)
  }

  @Test
  func theLongestRecordIsTaken() throws {
    let receiver = try Receiver()
    let scratch = try ScratchDirectory()
    let journal = try JournalSocket(path: receiver.path, rules: try rules("", in: scratch))
    let detail = String(repeating: "€", count: 2000)
    #expect(journal.send(record(detail: detail)))
    #expect(try fields(try #require(try receiver.receive()))["THUMBLATCH_DETAIL"] == detail)
  }
}
