import FingerprintReader
import PresenceTerms
import System
import TestSupport
import Testing

extension ReaderTests {
  /// The real fprintd on a private bus, with the library's virtual reader.
  @Suite
  struct Fprintd {
    let virtual: VirtualReader
    let bus: DesktopBus
    let reader: Reader

    init() throws {
      virtual = try VirtualReader(.device)
      bus = try DesktopBus(virtual)
      reader = Reader(.virtual, bus: bus.address)
    }

    private func remove() {
      bus.remove()
      virtual.remove()
    }

    private func check(
      _ fingers: Set<Finger> = [.rightIndex],
      milliseconds: Int = 60_000
    ) -> RunningCheck {
      RunningCheck([], fingers: fingers, milliseconds: milliseconds, on: reader)
    }

    @Test
    func theDesktopsFingerMatchesAndAnotherDoesNot() throws {
      defer { remove() }
      #expect(try reader.desktopFingers() == [])
      try bus.enroll("right", on: virtual)
      #expect(try reader.desktopFingers() == [.rightIndex])
      for (name, verdict) in [("right", Verdict.matched(.rightIndex)), ("wrong", .noMatch)] {
        let check = check()
        #expect(check.next() == .ready(only: .rightIndex))
        try virtual.send("SCAN \(name)")
        #expect(try check.wait() == verdict)
        #expect(!virtual.isOpen)
      }
    }

    @Test
    func everyKindOfRetryIsToldApartAndEveryErrorHasItsCase() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let running = check()
      #expect(running.next() == .ready(only: .rightIndex))
      let hints: [ScanHint] = [.general, .tooShort, .centerFinger, .removeFinger]
      for (code, hint) in hints.enumerated() {
        try virtual.send("RETRY \(code)")
        #expect(running.next() == .retry(hint))
      }
      try virtual.send("SCAN right")
      #expect(try running.wait() == .matched(.rightIndex))

      let broken = check()
      #expect(broken.next() == .ready(only: .rightIndex))
      try virtual.send("ERROR 0")
      let error = #expect(throws: ReaderError.self) { try broken.wait() }
      if case .failed = error {} else { Issue.record("\(error as Any)") }

      let unplugged = check()
      #expect(unplugged.next() == .ready(only: .rightIndex))
      try virtual.send("UNPLUG")
      #expect(throws: ReaderError.self) { try unplugged.wait() }
    }

    @Test
    func aClaimOfAnotherProgramIsWaitedFor() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      #expect(try bus.run("device('Claim', '')") == "None")
      let check = check()
      for _ in 0..<2 { #expect(check.events.next() == .waiting) }
      #expect(try bus.run("device('Release')") == "None")
      while let event = check.events.next(), event != .ready(only: .rightIndex) {
        #expect(event == .waiting)
      }
      try virtual.send("SCAN right")
      #expect(try check.wait() == .matched(.rightIndex))
    }

    @Test
    func aClaimThatLastsMakesTheReaderBusy() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.run("device('Claim', '')")
      let check = check(milliseconds: 3000)
      let error = #expect(throws: ReaderError.self) { try check.wait() }
      // Pauses of 0.25, 0.5 and 1 s. The next would be longer than the remaining time. A machine
      // that answers slowly gets fewer of them.
      #expect(check.events.all.count <= 3)
      #expect(check.events.all.allSatisfy { $0 == .waiting })
      guard case .busy(let fault) = error else { return #expect(Bool(false), "\(error as Any)") }
      #expect(fault?.domain == "net.reactivated.Fprint.Error.AlreadyInUse")
      #expect(error?.description.hasPrefix("reader busy") == true)
    }

    @Test
    func aCancelBetweenTwoTriesIsImmediate() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.run("device('Claim', '')")
      // A machine with other work may take as long as the pause, but not each time.
      var quickest = Int64.max
      for _ in 0..<5 where quickest >= 1_500_000_000 {
        let check = check()
        for _ in 0..<4 { #expect(check.events.next() == .waiting) }
        // Now it pauses for two seconds.
        let begun = BootInstant.now.nanoseconds
        check.operation.cancel()
        #expect(throws: ReaderError.cancelled) { try check.wait() }
        quickest = min(quickest, BootInstant.now.nanoseconds - begun)
      }
      #expect(quickest < 1_500_000_000)
    }

    @Test
    func aCancelGivesTheReaderBackAndAMatchAfterItDoesNotCount() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let check = check()
      #expect(check.next() == .ready(only: .rightIndex))
      check.operation.cancel()
      #expect(throws: ReaderError.cancelled) { try check.wait() }
      #expect(!virtual.isOpen)
      #expect(try bus.run("device('Claim', '')") == "None")

      try bus.run("device('Release')")
      let deaf = self.check()
      #expect(deaf.next() == .ready(only: .rightIndex))
      try virtual.send("SET_CANCELLATION_ENABLED 0")
      deaf.operation.cancel()
      try virtual.send("SCAN right")
      #expect(throws: ReaderError.cancelled) { try deaf.wait() }
    }

    @Test
    func anFprintdThatIsKilledIsAFailure() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let check = check()
      #expect(check.next() == .ready(only: .rightIndex))
      try bus.killFprintd()
      let error = #expect(throws: ReaderError.self) { try check.wait() }
      if case .failed = error {} else { Issue.record("\(error as Any)") }
      // A new fprintd works.
      try bus.startFprintd()
      let again = self.check()
      #expect(again.next() == .ready(only: .rightIndex))
      try virtual.send("SCAN right")
      #expect(try again.wait() == .matched(.rightIndex))
    }

    @Test
    func aBusThatEndsIsAFailure() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let check = check()
      #expect(check.next() == .ready(only: .rightIndex))
      bus.remove()
      let error = #expect(throws: ReaderError.self) { try check.wait() }
      if case .failed = error {} else { Issue.record("\(error as Any)") }
      // Without a bus there is no fprintd to ask.
      #expect(throws: ReaderError.self) { try reader.desktopFingers() }
    }

    @Test
    func namesThatChangedSinceTheyWereListedAreRefused() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.enroll("left", as: "left-thumb", on: virtual)
      for expected: Set<Finger> in [[.rightIndex], [.leftThumb, .rightIndex, .leftIndex]] {
        #expect(throws: ReaderError.notEnrolled) { try check(expected).wait() }
      }
      #expect(throws: ReaderError.notEnrolled) { try check([.rightIndex, .leftIndex]).wait() }
      let both = check([.rightIndex, .leftThumb])
      guard case .ready = both.next() else { return #expect(Bool(false)) }
      both.operation.cancel()
      #expect(throws: ReaderError.cancelled) { try both.wait() }
      #expect(!virtual.isOpen)
    }

    /// The virtual reader compares with one print at a time.
    @Test(arguments: [Finger.leftThumb, .rightIndex])
    func theFingerThatIsAskedFirstIsTheOneThatCanMatch(_ first: Finger) throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.enroll("left", as: "left-thumb", on: virtual)
      let (own, other) = first == .leftThumb ? ("left", "right") : ("right", "left")
      for (name, verdict) in [(other, Verdict.noMatch), (own, .matched(first))] {
        let events = VirtualReaderEvents<CheckEvent>()
        let operation = reader.check(
          [],
          fingers: [.leftThumb, .rightIndex],
          first: first,
          milliseconds: 60_000
        ) {
          events.put($0)
        }
        var event = events.next()
        while event == .waiting { event = events.next() }
        #expect(event == .ready(only: first))
        try virtual.send("SCAN \(name)")
        #expect(try operation.wait() == verdict)
      }
    }

    @Test
    func aMatchThatAStrangerSendsDoesNotCount() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let check = check()
      #expect(check.next() == .ready(only: .rightIndex))
      let forged = """
        forge(\(ThisProcess.identifier), DEVICE, FPRINT + '.Device', 'VerifyStatus', \
        'verify-match', True)
        """
      #expect(try bus.run(forged) != "0")
      try virtual.send("SCAN wrong")
      #expect(try check.wait() == .noMatch)
    }

    @Test
    func whomPolkitRefusesHasNoFingers() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.run("allow(False)")
      let error = #expect(throws: ReaderError.self) { try reader.desktopFingers() }
      if case .noPermission = error {} else { Issue.record("\(error as Any)") }
      #expect(throws: ReaderError.self) { try check().wait() }
    }

    @Test
    func aReaderThatFprintdHasTellsItsName() throws {
      defer { remove() }
      let look = reader.look()
      #expect(look == .throughFprintd(name: "Virtual device for debugging"))
      try bus.killFprintd()
      #expect(reader.look() == .none)
    }

    /// This process does not see the reader, so another process must look for it.
    @Test
    func aReaderThatOnlyFprintdSeesHasVanished() throws {
      defer { remove() }
      let other = try VirtualReader(.device)
      defer { other.remove() }
      let print = try other.connected { try enroll("right", as: .rightIndex, on: other) }
      let check = RunningCheck([print], milliseconds: 20_000, on: reader)
      #expect(throws: ReaderError.vanished) { try check.wait() }
      try bus.killFprintd()
      let without = RunningCheck([print], milliseconds: 20_000, on: reader)
      #expect(throws: ReaderError.noReader) { try without.wait() }
    }
  }
}
