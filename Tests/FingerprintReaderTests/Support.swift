import FingerprintReader
import SecretMemory
import TestSupport
import Testing

/// All that touches a reader, one test after the other: libfprint knows its readers by variables
/// of the process.
@Suite(.serialized)
enum ReaderTests {}

/// A check under way, with what it reports.
struct RunningCheck {
  let events = VirtualReaderEvents<CheckEvent>()
  let operation: ReaderOperation<Verdict>

  init(
    _ prints: [StoredPrint],
    fingers: Set<Finger> = [],
    milliseconds: Int = 10_000,
    on reader: Reader = Reader(.virtual)
  ) {
    let events = events
    operation = reader.check(prints, fingers: fingers, milliseconds: milliseconds) {
      events.put($0)
    }
  }

  func wait() throws(ReaderError) -> Verdict { try operation.wait() }
}

/// Enrols a name with the virtual reader that compares names.
func enroll(_ name: String, as finger: Finger, on reader: VirtualReader) throws -> StoredPrint {
  let events = VirtualReaderEvents<EnrollEvent>()
  let operation = Reader(.virtual).enroll(finger, milliseconds: 10_000) { events.put($0) }
  #expect(events.next() == .ready(stages: 5))
  for stage in 1...5 {
    try reader.send("SCAN \(name)")
    while true {
      let event = events.next()
      if event == .stage(stage, of: 5) { break }
      // Between two touches the reader may say that it waits.
      guard event == .waiting else {
        Issue.record("\(String(describing: event)) at stage \(stage)")
        break
      }
    }
  }
  return try operation.wait()
}
