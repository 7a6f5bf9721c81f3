import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing

/// The unmodified program on recordings of real readers, replayed by umockdev.
@Suite
struct RecordedReaderTests {
  private let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
  }

  private var log: String { directory.path + "/log" }

  /// The events at the reader, in order.
  private func events() throws -> [String] {
    guard let file = try? Directory(path: directory.path).openForReading("log") else { return [] }
    let text = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  @Test
  func mostRecordingsPlayHereAndTheOthersAreNamed() {
    let names = Recording.all.map(\.name)
    Swift.print("recordings: \(names.count) are played: \(names.joined(separator: ", "))")
    for why in Recording.notPlayed {
      Swift.print("recordings: not played, since plain libfprint does not play it here: \(why)")
    }
    for recording in Recording.all where recording.crashesUnplugged {
      Swift.print("recordings: not unplugged, since that ends plain libfprint: \(recording.name)")
    }
    #expect(names.count >= 15, "\(Recording.notPlayed)")
    #expect(Recording.chips.count >= 3)
    #expect(Set(Recording.all.compactMap(\.scan)) == [.press, .swipe])
  }

  @Test(arguments: Recording.all)
  func aFingerIsEnrolled(_ recording: Recording) throws {
    let client = try recording.program()
    let (print, touches) = try client.enrollRecorded(recording)
    #expect(touches > 0)
    #expect((print != nil) == (recording.steps != nil))
    #expect(try client.end() == .exited(0))
  }

  @Test(arguments: Recording.all)
  func aCheckComesToTheVerdictOfPlainLibfprint(_ recording: Recording) throws {
    let client = try recording.program()
    let print =
      recording.steps == nil
      ? try recording.print() : try #require(try client.enrollRecorded(recording).print)
    #expect(try client.verdict(print, of: recording) == recording.verdict)
    #expect(try client.end() == .exited(0))
  }

  @Test(arguments: Recording.all.filter { $0.scan != nil })
  func aReaderIsPressedOrSwipedAsPlainLibfprintSays(_ recording: Recording) throws {
    let client = try recording.program()
    try client.send(HelperEnrollCall(finger: recording.finger, timeout: 60_000), more: true)
    guard case .ready(_, _, let scan) = try client.next(HelperEnrollCall.self).event else {
      return #expect(Bool(false))
    }
    #expect(scan == recording.scan)
    #expect(try client.end() == .exited(0))
  }

  @Test(arguments: Recording.chips)
  func aFingerThatIsDeletedIsDeletedOnTheReaderAndCanBeEnrolledAgain(
    _ recording: Recording
  ) throws {
    let client = try recording.program(log: log)
    let print = try #require(try client.enrollRecorded(recording).print)
    #expect(try client.verdict(print, of: recording) == recording.verdict)
    #expect(try !events().contains("delete"))
    _ = try client.call(LoadPrintCall(finger: recording.finger, print: print, former: true))
    let deletions = try client.call(HelperDeletePrintsCall(timeout: 30_000))
    #expect(deletions == HelperDeletions(prints: [.deleted]))
    #expect(try events().count { $0 == "delete" } == 1)
    #expect(try client.end() == .exited(0))

    let again = try recording.program()
    #expect(try again.enrollRecorded(recording).print != nil)
    #expect(try again.end() == .exited(0))
  }

  @Test(arguments: Recording.chips)
  func aPrintThatTheEngineDoesNotKeepIsDeletedOnTheReader(_ recording: Recording) throws {
    let client = try recording.program(log: log)
    let call = HelperEnrollCall(finger: recording.finger, timeout: 60_000, keep: true)
    try client.send(call, more: true)
    while true {
      if case .done = try client.next(HelperEnrollCall.self).event { break }
    }
    #expect(try client.end() == .exited(0))
    #expect(try events().last == "delete")

    // An engine that keeps it, and one that does not know the setting.
    for keep in [true, false] {
      let other = try recording.program(log: log)
      _ = try other.enrollRecorded(recording, keep: keep)
      #expect(try other.end() == .exited(0))
      #expect(try events().count { $0 == "delete" } == 1)
    }
  }

  @Test(arguments: Recording.unpluggable, ["open", "armed", "stage", "transfer", "close"])
  func aReaderThatIsUnpluggedEndsTheOperationAndNotTheProgram(
    _ recording: Recording,
    _ point: String
  ) throws {
    let client = try recording.program("READER_UNPLUG=" + point, log: log)
    if point == "stage" || recording.steps != nil {
      let call = HelperEnrollCall(finger: recording.finger, timeout: 60_000)
      try client.send(call, more: true)
      let reply = try lastReply(client, until: point == "close")
      if case .done = reply.event {
        #expect(point == "close")
      } else if case .failed(.notAvailable, let detail, _) = reply.event {
        #expect(detail == "the fingerprint reader was unplugged")
      } else {
        Issue.record("\(reply.event)")
      }
    } else {
      try expectUnplugged(client, try recording.print(), recording, point)
    }
    #expect(try client.end() == .exited(0))
    #expect(try events().contains("unplug"))
  }

  /// The reader is unplugged in another process than the one that enrolled the finger.
  @Test(arguments: Recording.chips.filter { !$0.crashesUnplugged }, ["armed", "transfer", "close"])
  func aReaderThatStoresPrintsAndIsUnpluggedEndsTheCheckAndNotTheProgram(
    _ recording: Recording,
    _ point: String
  ) throws {
    let before = try recording.program()
    let print = try #require(try before.enrollRecorded(recording).print)
    #expect(try before.end() == .exited(0))
    let client = try recording.program("READER_UNPLUG=" + point, log: log)
    try expectUnplugged(client, print, recording, point)
    #expect(try client.end() == .exited(0))
    #expect(try events().contains("unplug"))
  }

  /// Expects that a check fails by the unplugging, or has its verdict before the reader is closed.
  private func expectUnplugged(
    _ client: PresenceClient,
    _ print: SharedSecret,
    _ recording: Recording,
    _ point: String
  ) throws {
    let verdict = try client.verdict(print, of: recording)
    if point == "close" {
      #expect(verdict == recording.verdict)
    } else if case .failed(.notAvailable, let detail, _, _) = verdict {
      #expect(detail == "the fingerprint reader was unplugged")
    } else {
      Issue.record("\(verdict)")
    }
  }

  private func lastReply(_ client: PresenceClient, until close: Bool) throws -> HelperEnrollReply {
    while true {
      let reply = try client.next(HelperEnrollCall.self)
      switch reply.event {
      case .done, .failed: return reply
      case .ready, .waiting, .stage, .retry, .removed: continue
      }
    }
  }

  @Test(arguments: Recording.onUSB)
  func aReaderThatAnotherProgramHasIsSaidToBeBusy(_ recording: Recording) throws {
    let client = try recording.program("READER_BUSY=1000")
    try client.send(HelperEnrollCall(finger: recording.finger, timeout: 2000), more: true)
    while true {
      switch try client.next(HelperEnrollCall.self).event {
      case .waiting: continue
      // A hidden reader is looked for by another process of the engine.
      case .failed(.busy, let detail?, _):
        #expect(detail.hasPrefix("reader busy"))
      case let other: Issue.record("\(other)")
      }
      break
    }
    #expect(try client.end() == .exited(0))
  }

  /// Opening some readers resets them, and so does listing readers.
  ///
  /// A reader in use is not even looked at.
  @Test(arguments: Recording.onUSB)
  func aReaderThatIsSeenToBeInUseIsNotTouched(_ recording: Recording) throws {
    let client = try recording.program("READER_CLAIMED=1", log: log)
    #expect(try client.call(HelperGetReaderCall()).inUse)
    try client.send(HelperEnrollCall(finger: recording.finger, timeout: 1000), more: true)
    guard case .waiting = try client.next(HelperEnrollCall.self).event else {
      return #expect(Bool(false))
    }
    while true {
      switch try client.next(HelperEnrollCall.self).event {
      case .waiting: continue
      case .failed(.busy, let detail, hiddenReader: false):
        #expect(detail?.hasPrefix("reader busy") == true)
      case let other: Issue.record("\(other)")
      }
      break
    }
    #expect(try client.end() == .exited(0))
    #expect(try events() == [])
  }

  @Test(arguments: Recording.onUSB)
  func aLookNeitherClaimsNorResetsTheReader(_ recording: Recording) throws {
    let client = try recording.program(log: log)
    let reader = try client.call(HelperGetReaderCall())
    #expect(reader.available)
    #expect(reader.driver != nil)
    #expect(!reader.inUse)
    _ = try client.call(HelperListEnrolledCall(start: false))
    #expect(try client.end() == .exited(0))
    #expect(try events() == [])
  }

  @Test(arguments: Recording.chips)
  func aReaderThatClosesSlowlyLosesNoResult(_ recording: Recording) throws {
    let client = try recording.program("READER_CLOSE=3000")
    let begun = BootInstant.now.nanoseconds
    let print = try #require(try client.enrollRecorded(recording).print)
    #expect(try client.verdict(print, of: recording) == recording.verdict)
    // The check waits until the enrollment has released the reader, and no longer.
    #expect(BootInstant.now.nanoseconds - begun < 30_000_000_000)
    #expect(try client.end() == .exited(0))
  }
}
