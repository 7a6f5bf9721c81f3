import FingerprintReader
import System
import TestSupport
import Testing

extension ReaderTests {
  /// A computer that suspends while a prompt waits for a finger.
  @Suite
  struct Sleep {
    let virtual: VirtualReader
    let bus: DesktopBus

    init() throws {
      virtual = try VirtualReader(.device)
      bus = try DesktopBus(virtual, logind: true)
    }

    private var reader: Reader { Reader(.virtual, bus: bus.address) }

    private func remove() {
      bus.remove()
      virtual.remove()
    }

    @Test
    func theReaderIsReleasedFirstAndATouchAfterwardsDoesNotCount() throws {
      defer { remove() }
      try bus.killFprintd()
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        let check = RunningCheck([print], on: reader)
        #expect(check.next() == .ready(only: nil))
        try bus.run("await_inhibitor(True)")
        // A slow driver: as long as it has the reader the computer waits.
        try virtual.send("SET_CANCELLATION_ENABLED 0")
        try bus.run("prepare_for_sleep(True)")
        #expect(try bus.run("still_inhibits(5)") == "True")
        try virtual.send("SCAN right")
        #expect(throws: ReaderError.sleeping) { try check.wait() }
        #expect(!virtual.isOpen)
        try bus.run("await_inhibitor(False)")
      }
    }

    @Test
    func fprintdHasReleasedItBeforeTheComputerSleeps() throws {
      defer { remove() }
      // If the search took longer than fprintd's time to release the reader, it searches again.
      var looks = 1
      while try !isReleasedFirst() {
        looks += 1
        try #require(looks <= 20, "this machine is too slow")
      }
    }

    /// Expects that the computer waits for fprintd; false if fprintd's two seconds have passed.
    private func isReleasedFirst() throws -> Bool {
      try bus.killFprintd()
      try bus.startFalseFprintd(verify: ["hold"])
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.next() == .ready(only: nil))
      try bus.run("await_inhibitor(True)")
      let limit = BootInstant.now.advanced(bySeconds: 2)
      try bus.run("prepare_for_sleep(True)")
      try bus.run("await_calls('Claim VerifyStart VerifyStop Release')")
      try bus.run("status('verify-match', True)")
      let inhibits = try bus.run("still_inhibits(5)")
      let isInTime = BootInstant.now < limit
      try bus.run("let_go()")
      #expect(throws: ReaderError.sleeping) { try check.wait() }
      try bus.run("await_inhibitor(False)")
      if isInTime { #expect(inhibits == "True") }
      return isInTime
    }

    @Test
    func theRealFprintdHasNoClaimLeft() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.next() == .ready(only: .rightIndex))
      try bus.run("await_inhibitor(True)")
      try bus.run("prepare_for_sleep(True)")
      // fprintd hears of it as well, and may end the verification first.
      let error = #expect(throws: ReaderError.self) { try check.wait() }
      switch error {
      case .sleeping, .failed: break
      default: Issue.record("\(error as Any)")
      }
      try bus.run("await_inhibitor(False)")
      // fprintd may be unable to close a reader that it has suspended itself, which is not tested
      // here.
      let claim = try bus.run("device('Claim', '')")
      #expect(!claim.contains("AlreadyInUse"))
    }

    @Test
    func betweenTwoTriesItEndsAtOnce() throws {
      defer { remove() }
      try bus.enroll("right", on: virtual)
      try bus.run("device('Claim', '')")
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.events.next() == .waiting)
      try bus.run("await_inhibitor(True)")
      try bus.run("prepare_for_sleep(True)")
      #expect(throws: ReaderError.sleeping) { try check.wait() }
      try bus.run("await_inhibitor(False)")
    }

    @Test
    func anEnrollmentEndsToo() throws {
      defer { remove() }
      try bus.killFprintd()
      try virtual.connected {
        let events = VirtualReaderEvents<EnrollEvent>()
        let operation = reader.enroll(.leftThumb, milliseconds: 60_000) { events.put($0) }
        #expect(events.next() == .ready(stages: 5))
        try bus.run("await_inhibitor(True)")
        try bus.run("prepare_for_sleep(True)")
        #expect(throws: ReaderError.sleeping) { try operation.wait() }
        #expect(!virtual.isOpen)
        try bus.run("await_inhibitor(False)")
      }
    }

    @Test
    func wakingUpEndsNothingAndAnEndLetsTheComputerSleep() throws {
      defer { remove() }
      try bus.killFprintd()
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        let check = RunningCheck([print], on: reader)
        #expect(check.next() == .ready(only: nil))
        try bus.run("await_inhibitor(True)")
        try bus.run("prepare_for_sleep(False)")
        let forged = """
          forge(\(ThisProcess.identifier), LOGIND[1], LOGIND[0] + '.Manager', 'PrepareForSleep', True)
          """
        #expect(try bus.run(forged) != "0")
        #expect(try bus.run("still_inhibits(10)") == "True")
        try virtual.send("SCAN right")
        #expect(try check.wait() == .matched(.rightIndex))
        try bus.run("await_inhibitor(False)")
      }
    }

    /// A bus that does not exist, one that never answers, and one without logind.
    @Test
    func withoutLogindTheReaderIsArmedAllTheSame() throws {
      defer { remove() }
      try bus.killFprintd()
      let directory = try makeTemporaryDirectory()
      defer { removeTemporaryDirectory(directory) }
      let silent = try UnixSocket.listen(in: try Directory(path: directory), name: "s")
      let poor = try DesktopBus(virtual, fprintd: false)
      defer { poor.remove() }
      let addresses = [
        "unix:path=\(directory)/none", "unix:path=\(directory)/s", poor.address,
      ]
      try virtual.connected {
        let print = try enroll("right", as: .rightIndex, on: virtual)
        for address in addresses {
          // A call on a bus that does not answer fails after five seconds. A busy machine may take
          // as long, but not each time.
          var quickest = Int64.max
          for _ in 0..<5 where quickest >= 4_000_000_000 {
            let begun = BootInstant.now.nanoseconds
            let check = RunningCheck([print], on: Reader(.virtual, bus: address))
            #expect(check.next() == .ready(only: nil))
            try virtual.send("SCAN right")
            #expect(try check.wait() == .matched(.rightIndex))
            quickest = min(quickest, BootInstant.now.nanoseconds - begun)
          }
          #expect(quickest < 4_000_000_000, "\(address)")
        }
      }
      _ = silent.number
    }
  }
}
