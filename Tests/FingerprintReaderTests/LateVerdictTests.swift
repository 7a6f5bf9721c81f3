import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing

/// A driver that blocks, and reports what it saw only after the cancel or the deadline.
///
/// libfprint's virtual reader itself reports nothing after a cancel, so a library holds its report
/// back (`Tests/Readers/steps.c`).
@Suite
struct LateVerdictTests {
  private let reader: VirtualReader
  private let presence: VirtualPresence
  private let directory: ScratchDirectory

  init() throws {
    reader = try VirtualReader(.device)
    presence = try VirtualPresence(reader: reader)
    directory = try ScratchDirectory()
  }

  private func remove() {
    presence.remove()
    reader.remove()
  }

  /// A program that reports a verdict 5 s after it was armed, and is armed with `timeout`.
  private func armed(timeout: Int) throws -> PresenceClient {
    let first = try PresenceClient(presence.program)
    let print = try enroll("right", "right-index", on: reader, first)
    #expect(try first.end() == .exited(0))
    let client = try PresenceClient(
      presence.program,
      environment: [
        "LD_PRELOAD=" + Recording.library, "READER_LATE=5000",
        "READER_LOG=" + directory.path + "/log",
      ]
    )
    try client.arm([("right-index", print)], timeout: timeout)
    return client
  }

  @Test
  func aMatchAfterTheDeadlineIsDropped() throws {
    defer { remove() }
    let client = try armed(timeout: 4000)
    try reader.send("SCAN right")
    guard case .failed(.timedOut, _, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    #expect(try client.end() == .exited(0))
  }

  /// A miss counts even then, so that no moment saves a try.
  @Test
  func aMissAfterTheDeadlineCounts() throws {
    defer { remove() }
    let client = try armed(timeout: 4000)
    try reader.send("SCAN wrong")
    #expect(try client.event() == .notMatched)
    #expect(try client.end() == .exited(0))
  }

  @Test(arguments: [("right", nil), ("wrong", HelperCheckEvent.notMatched)])
  func aMatchAfterTheCancelIsDroppedAndAMissCounts(
    _ name: String,
    _ verdict: HelperCheckEvent?
  ) throws {
    defer { remove() }
    let client = try armed(timeout: 60_000)
    // The driver closes the connection only when it has reported.
    let finger = try reader.connect()
    try finger.write("SCAN \(name)")
    let log = try Directory(path: directory.path)
    try #require(eventually { (try? log.openForReading("log")) != nil })
    client.hangUp()
    let event = try client.event()
    if let verdict {
      #expect(event == verdict)
    } else {
      guard case .failed(.cancelled, _, _, _) = event else { return #expect(Bool(false)) }
    }
    #expect(try client.end() == .exited(0))
    _ = finger.number
  }
}
