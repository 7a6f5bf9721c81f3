import PresenceTerms
import SecretMemory
import Synchronization
import TestSupport
import Testing

@testable import FingerprintReader

extension ReaderTests {
  /// A reader that stores prints itself.
  ///
  /// Only prints that were enrolled here are deleted there.
  @Suite
  struct ReaderPrints {
    let chip: VirtualReader
    let library = Reader(.virtual)

    init() throws {
      chip = try VirtualReader(.storage)
    }

    private func enroll(_ name: String, as finger: Finger = .rightIndex) throws -> StoredPrint {
      try FingerprintReaderTests.enroll(name, as: finger, on: chip, by: library)
    }

    /// An enrollment that has begun, and ends only if it is cancelled.
    private func begun(_ finger: Finger = .leftLittle) -> ReaderOperation<StoredPrint> {
      let events = VirtualReaderEvents<EnrollEvent>()
      let operation = library.enroll(finger, milliseconds: 60_000) { events.put($0) }
      #expect(events.next() == .ready(stages: 5))
      return operation
    }

    /// The prints that the reader stores.
    ///
    /// It listens only while it is open.
    private func stored() throws -> [String] {
      let operation = begun()
      let names = try chip.list()
      operation.cancel()
      #expect(throws: ReaderError.cancelled) { try operation.wait() }
      return names
    }

    @Test
    func aDeletedFingerCanBeEnrolledAgain() throws {
      defer { chip.remove() }
      try chip.connected {
        let print = try enroll("right")
        #expect(try stored() == ["right"])
        // The reader refuses a finger that it already has.
        let again = begun(.rightIndex)
        try chip.send("SCAN right")
        #expect(throws: ReaderError.duplicate(nil)) { try again.wait() }

        #expect(try library.delete([print], milliseconds: 60_000).wait() == [.deleted])
        #expect(try stored() == [])
        // A missing print counts as deleted.
        #expect(try library.delete([print], milliseconds: 60_000).wait() == [.deleted])
        #expect(try enroll("right").isOnReader)
      }
    }

    @Test
    func onlyThePrintsThatAreNamedAreDeleted() throws {
      defer { chip.remove() }
      try chip.connected {
        let right = try enroll("right")
        let left = try enroll("left", as: .leftThumb)
        _ = try enroll("other", as: .leftIndex)
        let deletions = try library.delete([left, right], milliseconds: 60_000).wait()
        #expect(deletions == [.deleted, .deleted])
        #expect(try stored() == ["other"])
      }
    }

    @Test
    func aPrintOfAnotherReaderIsLeftAndOneThatNoReaderStoresIsNot() throws {
      defer { chip.remove() }
      let plain = try VirtualReader(.device)
      defer { plain.remove() }
      let ordinary = try plain.connected {
        try FingerprintReaderTests.enroll("right", as: .rightIndex, on: plain)
      }
      #expect(!ordinary.isOnReader)
      #expect(try library.delete([ordinary], milliseconds: 60_000).wait() == [.notStored])
      let print = try chip.connected { try enroll("right") }
      // The reader is unplugged.
      #expect(throws: ReaderError.noReader) {
        try Reader(.virtual).delete([print], milliseconds: 60_000).wait()
      }
    }

    @Test
    func aFormerPrintIsDeletedBeforeAnEnrollment() throws {
      defer { chip.remove() }
      try chip.connected {
        let former = try enroll("right")
        _ = try enroll("other", as: .leftIndex)
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = library.enroll(.rightIndex, former: [former], milliseconds: 60_000) {
          events.put($0)
        }
        #expect(events.next() == .removed(0))
        #expect(events.next() == .ready(stages: 5))
        #expect(try chip.list() == ["other"])
        for stage in 1...5 {
          try chip.send("SCAN right")
          while let event = events.next(), event != .stage(stage, of: 5) {
            #expect(event == .waiting)
          }
        }
        #expect(try operation.wait().isOnReader)
        #expect(try stored() == ["other", "right"])
      }
    }

    @Test
    func aFingerThatIsEnrolledHereAlreadyIsNamedAndStays() throws {
      defer { chip.remove() }
      try chip.connected {
        let own = try enroll("right")
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = library.enroll(.leftThumb, own: [own], milliseconds: 60_000) {
          events.put($0)
        }
        #expect(events.next() == .ready(stages: 5))
        try chip.send("SCAN right")
        #expect(events.next() == .retry(.removeFinger))
        try chip.send("SCAN right")
        let error = #expect(throws: ReaderError.duplicate(.rightIndex)) { try operation.wait() }
        #expect(error?.description.hasSuffix("it is enrolled as right-index") == true)
        #expect(try stored() == ["right"])
      }
    }

    @Test
    func aPrintThatWasNotEnrolledHereStaysAndIsSaidToBeElsewhere() throws {
      defer { chip.remove() }
      try chip.connected {
        let own = try enroll("left", as: .leftThumb)
        _ = try enroll("theirs", as: .leftIndex)
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = library.enroll(.rightIndex, own: [own], milliseconds: 60_000) {
          events.put($0)
        }
        #expect(events.next() == .ready(stages: 5))
        try chip.send("SCAN theirs")
        #expect(events.next() == .retry(.removeFinger))
        try chip.send("SCAN theirs")
        let error = #expect(throws: ReaderError.duplicate(nil)) { try operation.wait() }
        #expect(error?.description.contains("was not enrolled here") == true)
        #expect(try stored() == ["left", "theirs"])
      }
    }

    @Test
    func aPrintThatIsFinishedAfterTheCancelDoesNotStay() throws {
      defer { chip.remove() }
      try chip.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let running = Mutex<ReaderOperation<StoredPrint>?>(nil)
        let operation = library.enroll(.rightIndex, milliseconds: 60_000) { event in
          // The last touch is done, and the driver completes the enrollment.
          if event == .stage(5, of: 5) { running.withLock { $0 }?.cancel() }
          events.put(event)
        }
        running.withLock { $0 = operation }
        #expect(events.next() == .ready(stages: 5))
        for stage in 1...5 {
          try chip.send("SCAN right")
          while let event = events.next(), event != .stage(stage, of: 5) {
            #expect(event == .waiting)
          }
        }
        #expect(throws: ReaderError.cancelled) { try operation.wait() }
        #expect(try stored() == [])
      }
    }

    @Test
    func aFullReaderIsSaidToBeFull() throws {
      defer { chip.remove() }
      try chip.connected {
        let former = try enroll("right")
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = library.enroll(.leftThumb, former: [former], milliseconds: 60_000) {
          events.put($0)
        }
        #expect(events.next() == .removed(0))
        #expect(events.next() == .ready(stages: 5))
        try chip.send("ERROR 8")
        #expect(throws: ReaderError.storageFull) { try operation.wait() }
      }
    }
  }

  /// The readers that are plugged in.
  @Suite
  struct Plugged {
    @Test
    func theDatabaseNamesTheDriverOfEachDeviceThatOneSupports() {
      let database = """
        # Supported by libfprint driver goodixmoc
        usb:v27C6p5840*
        usb:v27C6p609C*
         ID_AUTOSUSPEND=1

        # Supported by libfprint driver synaptics
        usb:v06CBp00BD*

        # Known unsupported devices
        usb:v04F3p036B*
        usb:short
        """
      #expect(
        PluggedReaders.drivers(in: database) == [
          "27C6:5840": "goodixmoc", "27C6:609C": "goodixmoc", "06CB:00BD": "synaptics",
        ]
      )
      #expect(PluggedReaders.drivers(in: "usb:v27C6p5840*\n\0").isEmpty)
    }

    @Test
    func theInstalledDatabaseIsRead() throws {
      let reader = try VirtualReader(.device)
      defer { reader.remove() }
      #expect(PluggedReaders.look(.hardware) != nil)
      #expect(PluggedReaders.look(.virtual) == [])
      reader.connected {
        #expect(PluggedReaders.look(.virtual)?.map(\.driver) == ["virtual_device"])
      }
    }
  }
}
