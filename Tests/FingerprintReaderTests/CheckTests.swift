import FingerprintReader
import PresenceTerms
import TestSupport
import Testing

extension ReaderTests {
  @Suite
  struct Checks {
    let reader: VirtualReader

    init() throws {
      reader = try VirtualReader(.device)
    }

    @Test
    func theEnrolledFingerMatchesAndAnotherDoesNot() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        #expect(print.driver == "virtual_device")
        for (name, verdict) in [("right", Verdict.matched(.rightIndex)), ("wrong", .noMatch)] {
          let check = RunningCheck([print])
          #expect(check.next() == .ready(only: nil))
          try reader.send("SCAN \(name)")
          #expect(try check.wait() == verdict)
          #expect(!reader.isOpen)
        }
      }
    }

    @Test
    func everyKindOfRetryIsToldApartAndIsNoDecision() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        let hints: [ScanHint] = [.general, .tooShort, .centerFinger, .removeFinger]
        for (code, hint) in hints.enumerated() {
          try reader.send("RETRY \(code)")
          #expect(check.next() == .retry(hint))
        }
        try reader.send("SCAN right")
        #expect(try check.wait() == .matched(.rightIndex))
      }
    }

    @Test
    func everyErrorHasItsCase() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 256, 257] {
          let check = RunningCheck([print])
          #expect(check.next() == .ready(only: nil))
          try reader.send("ERROR \(code)")
          let error = #expect(throws: ReaderError.self) { try check.wait() }
          switch code {
          case 1: #expect(error == .unsupported)
          case 3, 4: if case .busy = error {} else { Issue.record("\(code): \(error as Any)") }
          case 7: #expect(error == .notEnrolled)
          case 8: #expect(error == .storageFull)
          case 9: #expect(error == .duplicate(nil))
          case 256: #expect(error == .removed)
          case 257: #expect(error == .tooHot)
          default: if case .failed = error {} else { Issue.record("\(code): \(error as Any)") }
          }
          #expect(!reader.isOpen)
        }
      }
    }

    @Test
    func aReaderThatIsPulledOutEndsTheCheck() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        try reader.send("UNPLUG")
        #expect(throws: ReaderError.removed) { try check.wait() }
      }
      #expect(Reader(.virtual).look() == .none)
    }

    @Test
    func aCancelClosesTheReaderAndAMatchAfterItDoesNotCount() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        check.operation.cancel()
        #expect(throws: ReaderError.cancelled) { try check.wait() }
        #expect(!reader.isOpen)

        // A driver that ignores the cancel, and then sees the right finger.
        let deaf = RunningCheck([print])
        #expect(deaf.next() == .ready(only: nil))
        try reader.send("SET_CANCELLATION_ENABLED 0")
        deaf.operation.cancel()
        try reader.send("SCAN right")
        #expect(throws: ReaderError.cancelled) { try deaf.wait() }
        #expect(!reader.isOpen)

        // A miss counts: a cancel between scan and verdict must not save the try.
        let missed = RunningCheck([print])
        #expect(missed.next() == .ready(only: nil))
        try reader.send("SCAN wrong")
        missed.operation.cancel()
        #expect(try missed.wait() == .noMatch)
        #expect(!reader.isOpen)
      }
    }

    @Test
    func whoDoesNotTouchTheReaderHearsThatItStillWaits() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        // After five seconds.
        #expect(check.events.next() == .waiting)
        try reader.send("SCAN right")
        #expect(try check.wait() == .matched(.rightIndex))
      }
    }

    @Test
    func aFingerThatStaysOnTheReaderIsToBeLifted() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        try reader.send("FINGER 1")
        // With the notice that comes every five seconds.
        #expect(check.next() == .retry(.removeFinger))
        try reader.send("FINGER 0")
        var event = check.events.next()
        // A slow machine may give that notice more than once.
        while event == .retry(.removeFinger) { event = check.events.next() }
        #expect(event == .waiting)
        try reader.send("SCAN right")
        #expect(try check.wait() == .matched(.rightIndex))
      }
    }

    @Test
    func theTimeEndsACheck() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print], milliseconds: 50)
        #expect(throws: ReaderError.timedOut) { try check.wait() }
        #expect(!reader.isOpen)
      }
    }

    @Test
    func aScanThatLayThereBeforeTheReaderWasArmedDoesNotCount() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        // While the reader sleeps these queue up. The retry ends one look, and the scan is there
        // when the next begins.
        try reader.send("SLEEP 1500")
        try reader.send("RETRY 1")
        try reader.send("SCAN right")
        #expect(check.next() == .retry(.tooShort))
        #expect(check.next() == .retry(.removeFinger))
        try reader.send("SCAN wrong")
        #expect(try check.wait() == .noMatch)
      }
    }

    @Test
    func aSecondOperationIsBusyAndTheFirstGoesOn() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        #expect(throws: ReaderError.busy(nil)) { try RunningCheck([print]).wait() }
        try reader.send("SCAN right")
        #expect(try check.wait() == .matched(.rightIndex))
      }
    }

    @Test
    func aReaderThatOnlyVerifiesTakesTheFirstPrintAndNamesItsFinger() throws {
      defer { reader.remove() }
      try reader.connected {
        let first = try enroll("right", as: .rightIndex, on: reader)
        let second = try enroll("left", as: .leftThumb, on: reader)
        let check = RunningCheck([first, second])
        #expect(check.next() == .ready(only: .rightIndex))
        try reader.send("SCAN left")
        #expect(try check.wait() == .noMatch)
      }
    }

    @Test
    func aVirtualReaderIsNoHardware() throws {
      defer { reader.remove() }
      try reader.connected {
        let print = try enroll("right", as: .rightIndex, on: reader)
        #expect(throws: ReaderError.noReader) {
          try Reader(.hardware).check([print], milliseconds: 60_000).wait()
        }
        // The machine that runs this test has no reader of its own.
        let look = Reader(.hardware).look()
        #expect(look == .none || look == .notLooked)
      }
      #expect(!AllowedDrivers.hardware.permit("virtual_image"))
      #expect(AllowedDrivers.hardware.permit("synaptics"))
      #expect(!AllowedDrivers.virtual.permit("synaptics"))
    }

    @Test
    func withoutAPrintOfThisReaderNoPromptIsShown() throws {
      defer { reader.remove() }
      reader.connected {
        #expect(throws: ReaderError.notEnrolled) { try RunningCheck([]).wait() }
        #expect(!reader.isOpen)
      }
    }

    @Test
    func theReaderTellsAboutItselfWhenItIsUsedAndNotBefore() throws {
      defer { reader.remove() }
      try reader.connected {
        let own = Reader(.virtual)
        let before = own.look()
        #expect(before == .plugged(name: "", driver: "virtual_device", isInUse: false))
        let seen = VirtualReaderEvents<ReaderFacts>()
        let operation = own.enroll(.leftThumb, milliseconds: 60_000, seen: { seen.put($0) })
        let facts = try #require(seen.next())
        #expect(facts.driver == "virtual_device")
        #expect(facts.name == "Virtual device for debugging")
        #expect(facts.scan == .press)
        operation.cancel()
        #expect(throws: ReaderError.cancelled) { try operation.wait() }
      }
    }
  }
}
