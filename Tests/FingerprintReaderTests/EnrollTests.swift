import FingerprintReader
import PresenceTerms
import TestSupport
import Testing

extension ReaderTests {
  @Suite
  struct Enrollments {
    let reader: VirtualReader

    init() throws {
      reader = try VirtualReader(.device)
    }

    @Test
    func aBadTouchIsRepeatedAndTheRestCounts() throws {
      defer { reader.remove() }
      try reader.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = Reader(.virtual).enroll(.leftThumb, milliseconds: 60_000) {
          events.put($0)
        }
        func next() -> EnrollEvent? {
          while let event = events.next() { if event != .waiting { return event } }
          return nil
        }
        #expect(next() == .ready(stages: 5))
        for stage in 1...5 {
          if stage == 3 {
            try reader.send("RETRY 2")
            #expect(next() == .retry(.centerFinger))
          }
          try reader.send("SCAN thumb")
          #expect(next() == .stage(stage, of: 5))
        }
        let print = try operation.wait()
        #expect(print.finger == .leftThumb)
        #expect(!reader.isOpen)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        try reader.send("SCAN thumb")
        #expect(try check.wait() == .matched(.leftThumb))
      }
    }

    @Test
    func aFingerThatStaysOnTheReaderIsToBeLifted() throws {
      defer { reader.remove() }
      try reader.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = Reader(.virtual).enroll(.leftThumb, milliseconds: 60_000) {
          events.put($0)
        }
        #expect(events.next() == .ready(stages: 5))
        try reader.send("FINGER 1")
        var event = events.next()
        // On a slow machine the notice that comes every five seconds may be older.
        while event == .waiting { event = events.next() }
        #expect(event == .retry(.removeFinger))
        try reader.send("FINGER 0")
        while event == .retry(.removeFinger) { event = events.next() }
        #expect(event == .waiting)
        operation.cancel()
        #expect(throws: ReaderError.cancelled) { try operation.wait() }
      }
    }

    @Test
    func eachTouchHasItsOwnTime() throws {
      defer { reader.remove() }
      try reader.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = Reader(.virtual).enroll(.leftThumb, milliseconds: 5000) { events.put($0) }
        #expect(events.next() == .ready(stages: 5))
        try reader.send("SCAN thumb")
        #expect(throws: ReaderError.timedOut) { try operation.wait() }
        #expect(events.all.contains(.stage(1, of: 5)))
        #expect(!reader.isOpen)
      }
    }

    @Test
    func aCancelLeavesNoPrint() throws {
      defer { reader.remove() }
      reader.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = Reader(.virtual).enroll(.leftThumb, milliseconds: 60_000) { events.put($0) }
        #expect(events.next() == .ready(stages: 5))
        operation.cancel()
        #expect(throws: ReaderError.cancelled) { try operation.wait() }
        #expect(!reader.isOpen)
      }
    }

    @Test
    func aFailingReaderAndAnUnpluggedOneLeaveNoPrint() throws {
      defer { reader.remove() }
      try reader.connected {
        for (command, error) in [("ERROR 8", ReaderError.storageFull), ("UNPLUG", .removed)] {
          let events = VirtualReaderEvents<EnrollEvent>()
          let operation = Reader(.virtual).enroll(.leftThumb, milliseconds: 60_000) {
            events.put($0)
          }
          #expect(events.next() == .ready(stages: 5))
          try reader.send(command)
          #expect(throws: error) { try operation.wait() }
        }
      }
    }
  }
}
