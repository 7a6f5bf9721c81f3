import System
import TestSupport
import Testing

@testable import FingerprintReader

extension ReaderTests {
  /// A verdict is taken when the driver reports it, whatever the driver does afterwards.
  @Suite
  struct Verdicts {
    let virtual: VirtualReader

    init() throws {
      virtual = try VirtualReader(.device)
    }

    /// Makes the driver slow after the next scan: longer than a check waits for it.
    private func scanSlowly(_ name: String) throws {
      // The later commands must be there when the scan is processed.
      try virtual.send("SLEEP 300")
      try virtual.send("SCAN \(name)")
      try virtual.send("SLEEP 8000")
    }

    @Test(arguments: [("right", Verdict.matched(.rightIndex)), ("wrong", .noMatch)])
    func aDriverThatStopsSlowlyLosesNoVerdict(_ name: String, _ verdict: Verdict) throws {
      defer { virtual.remove() }
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        // The time limit passes before the driver has stopped.
        let check = RunningCheck([print], milliseconds: 6000)
        #expect(check.next() == .ready(only: nil))
        try virtual.send("SET_KEEP_ALIVE 1")
        try scanSlowly(name)
        #expect(try check.wait() == verdict)
      }
    }

    @Test
    func aMatchAfterTheCancelIsDroppedHoweverLongTheDriverTakes() throws {
      defer { virtual.remove() }
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        try virtual.send("SET_CANCELLATION_ENABLED 0")
        check.operation.cancel()
        check.operation.wait(milliseconds: 2500)
        try virtual.send("SCAN right")
        #expect(throws: ReaderError.cancelled) { try check.wait() }
        #expect(!virtual.isOpen)
      }
    }

    @Test
    func aReaderThatLostThePrintsSaysSoAndCostsNoTry() throws {
      let chip = try VirtualReader(.storage)
      defer { chip.remove() }
      try chip.connected {
        let library = Reader(.virtual)
        let right = try enroll("right", as: .rightIndex, on: chip, by: library)
        let left = try enroll("left", as: .leftThumb, on: chip, by: library)
        #expect(right.isOnReader)

        let known = RunningCheck([right, left], on: library)
        #expect(known.next() == .ready(only: nil))
        try chip.send("SCAN other")
        #expect(try known.wait() == .noMatch)

        // With one of the prints left the touch was a try.
        let half = RunningCheck([right, left], on: library)
        #expect(half.next() == .ready(only: nil))
        try chip.send("REMOVE right")
        try chip.send("SCAN right")
        #expect(try half.wait() == .noMatch)

        let lost = RunningCheck([right, left], on: library)
        #expect(lost.next() == .ready(only: nil))
        try chip.send("REMOVE left")
        try chip.send("SCAN right")
        let error = #expect(throws: ReaderError.lostPrints) { try lost.wait() }
        #expect(error?.description == "the reader no longer has your finger: enroll it again")
      }
    }

    @Test
    func theFingerThatIsAskedFirstIsTheOneThatCanMatch() throws {
      defer { virtual.remove() }
      try virtual.connected {
        let right = try enroll("right", as: .rightIndex, on: virtual)
        let left = try enroll("left", as: .leftThumb, on: virtual)
        for first in [Finger.leftThumb, .rightIndex] {
          let events = VirtualReaderEvents<CheckEvent>()
          let operation = Reader(.virtual).check([right, left], first: first, milliseconds: 60_000)
          {
            events.put($0)
          }
          #expect(events.next() == .ready(only: first))
          try virtual.send(first == .leftThumb ? "SCAN left" : "SCAN right")
          #expect(try operation.wait() == .matched(first))
        }
      }
    }

    @Test
    func aReaderThatReportsBadScansWithoutEndTellsFourASecond() throws {
      defer { virtual.remove() }
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        let begun = BootInstant.now.nanoseconds
        while BootInstant.now.nanoseconds - begun < 2_000_000_000 { try virtual.send("RETRY 1") }
        let seconds = (BootInstant.now.nanoseconds - begun) / 1_000_000_000 + 1
        #expect(check.events.all.count <= Int(seconds) * 4 + 2, "\(check.events.all.count)")
        check.operation.cancel()
        #expect(throws: ReaderError.cancelled) { try check.wait() }
      }
    }
  }
}
