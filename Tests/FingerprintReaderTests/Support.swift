import FingerprintReader
import Fprintd
import SecretMemory
import TestSupport
import Testing

/// All tests that touch a reader, one after the other, because libfprint finds its readers by
/// variables of the process.
@Suite(.serialized)
enum ReaderTests {}

extension Reader {
  /// A reader that also uses fprintd and logind on the bus at an address.
  init(_ drivers: AllowedDrivers, bus: String) {
    self.init(drivers, desktop: BusServices(bus))
  }
}

/// A running check, with its events.
struct RunningCheck {
  let events = VirtualReaderEvents<CheckEvent>()
  let operation: ReaderOperation<Verdict>

  init(
    _ prints: [StoredPrint],
    fingers: Set<Finger> = [],
    milliseconds: Int = 60_000,
    on reader: Reader = Reader(.virtual)
  ) {
    let events = events
    operation = reader.check(prints, fingers: fingers, milliseconds: milliseconds) {
      events.put($0)
    }
  }

  /// The next event, except `waiting`.
  ///
  /// `waiting` comes every five seconds, and while another program has not quite released the
  /// reader.
  func next() -> CheckEvent? {
    while let event = events.next() { if event != .waiting { return event } }
    return nil
  }

  func wait() throws(ReaderError) -> Verdict { try operation.wait() }
}

/// Enrolls a name with the virtual reader that compares names.
func enroll(
  _ name: String,
  as finger: Finger,
  on reader: VirtualReader,
  by library: Reader = Reader(.virtual)
) throws -> StoredPrint {
  let events = VirtualReaderEvents<EnrollEvent>()
  let operation = library.enroll(finger, milliseconds: 60_000) { events.put($0) }
  #expect(events.next() == .ready(stages: 5))
  for stage in 1...5 {
    try reader.send("SCAN \(name)")
    while true {
      let event = events.next()
      if event == .stage(stage, of: 5) { break }
      // Between two touches the reader may report that it waits.
      guard event == .waiting else {
        Issue.record("\(String(describing: event)) at stage \(stage)")
        break
      }
    }
  }
  return try operation.wait()
}
