import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing

/// A reader that fails to delete a former print before an enrollment, so that the print is in the
/// way.
@Suite
struct KeptPrintTests {
  private let reader: VirtualReader
  private let presence: VirtualPresence
  private let directory: ScratchDirectory

  init() throws {
    reader = try VirtualReader(.storage)
    presence = try VirtualPresence(reader: reader)
    directory = try ScratchDirectory()
  }

  private func remove() {
    presence.remove()
    reader.remove()
  }

  /// The number of deletions at the reader.
  private func deletions() throws -> Int {
    let file = try Directory(path: directory.path).openForReading("log")
    let text = String(decoding: try file.readAll(limit: 65536), as: UTF8.self)
    return text.split(separator: "\n").count { $0 == "delete" }
  }

  /// An enrollment that has begun at a reader with a former print and another program's, whose
  /// first deletion failed.
  private func begun() throws -> PresenceClient {
    let client = try PresenceClient(
      presence.program,
      environment: [
        "LD_PRELOAD=" + Recording.library, "READER_KEEPS=1",
        "READER_LOG=" + directory.path + "/log",
      ]
    )
    let former = try enroll("right", "right-index", on: reader, client)
    _ = try enroll("theirs", "left-index", on: reader, client)
    _ = try client.call(LoadPrintCall(finger: "right-index", print: former, former: true))
    try client.send(HelperEnrollCall(finger: "right-index", timeout: 60_000), more: true)
    try expectReady(client, ["right", "theirs"])
    #expect(try deletions() == 1)
    return client
  }

  /// The next event, except `waiting`.
  private func next(_ client: PresenceClient) throws -> HelperEnrollEvent {
    while true {
      let event = try client.next(HelperEnrollCall.self).event
      if case .waiting = event { continue }
      return event
    }
  }

  /// Expects that the reader is armed, and stores these prints.
  private func expectReady(_ client: PresenceClient, _ prints: [String]) throws {
    guard case .ready = try next(client) else { return #expect(Bool(false)) }
    #expect(try reader.list() == prints)
  }

  /// Expects that the former print is deleted, and that the enrollment begins again and succeeds.
  private func expectSuccess(_ client: PresenceClient) throws {
    guard case .removed(place: 0) = try next(client) else { return #expect(Bool(false)) }
    try expectReady(client, ["theirs"])
    for _ in 1...5 {
      try reader.send("SCAN right")
      guard case .stage = try next(client) else { return #expect(Bool(false)) }
    }
    guard case .done = try next(client) else { return #expect(Bool(false)) }
    #expect(try client.end() == .exited(0))
    #expect(try deletions() == 2)
  }

  @Test
  func aFullReaderLosesTheFormerPrintAndTheEnrollmentBeginsAgain() throws {
    defer { remove() }
    let client = try begun()
    try reader.send("ERROR 8")
    try expectSuccess(client)
  }

  @Test
  func aFormerPrintThatTheReaderTakesForTheFingerIsDeletedAndTheEnrollmentBeginsAgain() throws {
    defer { remove() }
    let client = try begun()
    try reader.send("SCAN right")
    guard case .retry(.removeFinger) = try next(client) else { return #expect(Bool(false)) }
    try reader.send("SCAN right")
    try expectSuccess(client)
  }
}
