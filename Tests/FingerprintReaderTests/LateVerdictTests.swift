import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing

/// A driver that blocks, and reports its result only after the cancellation or the deadline.
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

  /// A program that reports a verdict after `report`, and is armed for this many seconds.
  private func armed(seconds: Int64) throws -> PresenceClient {
    let first = try PresenceClient(presence.program)
    let print = try enroll("right", "right-index", on: reader, first)
    #expect(try first.end() == .exited(0))
    let client = try PresenceClient(
      presence.program,
      environment: [
        "LD_PRELOAD=" + Recording.library, "READER_LATE=" + directory.path + "/report",
        "READER_LOG=" + directory.path + "/log",
      ]
    )
    try client.arm([("right-index", print)], timeout: Int(seconds) * 1000)
    return client
  }

  /// Waits until the library has noted this.
  private func noted(_ what: String) throws {
    let log = try Directory(path: directory.path)
    try #require(
      eventually {
        let bytes = try? log.openForReading("log").readAll(limit: 10_000)
        return bytes.map { String(decoding: $0, as: UTF8.self).contains(what + "\n") } == true
      }
    )
  }

  /// Lets the driver report its result.
  private func report() throws { try run("/usr/bin/touch", [directory.path + "/report"]) }

  /// A program whose reader saw a finger in time, and reports it after the deadline.
  private func late(_ name: String) throws -> PresenceClient {
    // Only the finger is to come within it.
    let seconds: Int64 = 15
    let client = try armed(seconds: seconds)
    let end = BootInstant.now.advanced(bySeconds: seconds)
    // The driver closes the connection only when it has reported.
    let finger = try reader.connect()
    try finger.write("SCAN \(name)")
    try noted("held")
    try #require(BootInstant.now < end)
    try #require(eventually { BootInstant.now > end })
    try report()
    _ = finger.number
    return client
  }

  @Test
  func aMatchAfterTheDeadlineIsDropped() throws {
    defer { remove() }
    let client = try late("right")
    guard case .failed(.timedOut, _, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    #expect(try client.end() == .exited(0))
  }

  /// A miss counts even then, so that no moment saves a try.
  @Test
  func aMissAfterTheDeadlineCounts() throws {
    defer { remove() }
    let client = try late("wrong")
    #expect(try client.event() == .notMatched)
    #expect(try client.end() == .exited(0))
  }

  @Test(arguments: [("right", nil), ("wrong", HelperCheckEvent.notMatched)])
  func aMatchAfterTheCancelIsDroppedAndAMissCounts(
    _ name: String,
    _ verdict: HelperCheckEvent?
  ) throws {
    defer { remove() }
    let client = try armed(seconds: 60)
    // The driver closes the connection only when it has reported.
    let finger = try reader.connect()
    try finger.write("SCAN \(name)")
    try noted("held")
    client.hangUp()
    // The program has read the end.
    try noted("work")
    try report()
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
