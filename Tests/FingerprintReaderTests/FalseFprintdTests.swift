import FingerprintReader
import PresenceTerms
import System
import TestSupport
import Testing

extension ReaderTests {
  /// Messages that an fprintd could send, but that the real one does not send on request.
  @Suite
  struct AnotherFprintd {
    let virtual: VirtualReader
    let bus: DesktopBus
    let reader: Reader

    init() throws {
      virtual = try VirtualReader(.device)
      bus = try DesktopBus(virtual, fprintd: false)
      reader = Reader(.virtual, bus: bus.address)
    }

    private func remove() {
      bus.remove()
      virtual.remove()
    }

    @Test
    func aMatchThatComesBeforeTheReaderIsArmedDoesNotCount() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: ["verify-match", "verify-match", ""])
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.next() == .retry(.removeFinger))
      #expect(check.next() == .retry(.removeFinger))
      #expect(check.next() == .ready(only: nil))
      try bus.run("status('verify-no-match', True)")
      #expect(try check.wait() == .noMatch)
    }

    @Test
    func everyResultHasItsMeaning() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: [])
      let hints: [(String, ScanHint)] = [
        ("verify-retry-scan", .general), ("verify-swipe-too-short", .tooShort),
        ("verify-finger-not-centered", .centerFinger), ("verify-remove-and-retry", .removeFinger),
        ("verify-too-fast", .tooShort),
      ]
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.next() == .ready(only: nil))
      // Unknown results, which a newer fprintd may send, are ignored.
      try bus.run("status('verify-something-new', False)")
      for (name, hint) in hints {
        try bus.run("status('\(name)', False)")
        #expect(check.next() == .retry(hint), "\(name)")
      }
      // A retry that ends the verification starts another one.
      try bus.run("status('verify-retry-scan', True)")
      #expect(check.next() == .retry(.general))
      try bus.run("await_armed()")
      try bus.run("status('verify-match', True)")
      // fprintd does not say which finger it was. With one enrolled finger it is known.
      #expect(try check.wait() == .matched(.rightIndex))

      for name in ["verify-disconnected", "verify-unknown-error", "verify-something-new"] {
        let check = RunningCheck([], fingers: [.rightIndex], on: reader)
        #expect(check.next() == .ready(only: nil))
        try bus.run("status('\(name)', True)")
        let error = #expect(throws: ReaderError.self) { try check.wait() }
        switch error {
        case .removed: #expect(name == "verify-disconnected")
        case .failed: #expect(name != "verify-disconnected")
        default: Issue.record("\(name): \(error as Any)")
        }
      }
    }

    @Test
    func aFingerThatIsEnrolledBeforeTheClaimIsNoticed() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: ["grow"])
      #expect(try reader.desktopFingers() == [.rightIndex])
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(throws: ReaderError.notEnrolled) { try check.wait() }
      #expect(try bus.run("calls()") == "'Claim Release'")
    }

    @Test
    func aFloodOfBadScansIsTwentyNoticesInFiveSeconds() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: [])
      let check = RunningCheck([], fingers: [.rightIndex], on: reader)
      #expect(check.next() == .ready(only: nil))
      let begun = BootInstant.now.nanoseconds
      #expect(try bus.run("flood('verify-retry-scan', False, 20000)") != "")
      while check.events.all.count < 3 { #expect(check.next() == .retry(.general)) }
      let count = check.events.all.count
      let quarters = (BootInstant.now.nanoseconds - begun) / 250_000_000
      #expect(count <= Int(quarters) + 2, "\(count) in \(quarters) quarters of a second")
      // The result that counts comes through.
      try bus.run("status('verify-match', True)")
      #expect(try check.wait() == .matched(.rightIndex))
    }

    /// A verification that ends with a bad scan is started again, at most five times a second.
    @Test
    func anFprintdThatEndsEachVerificationAtOnceIsNotStartedWithoutEnd() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: ["restless"])
      let check = RunningCheck([], fingers: [.rightIndex], milliseconds: 2000, on: reader)
      #expect(throws: ReaderError.timedOut) { try check.wait() }
      let starts = try bus.run("calls()").split(separator: " ").count { $0.contains("VerifyStart") }
      #expect((2...14).contains(starts), "\(starts)")
      #expect(check.events.all.count <= 14, "\(check.events.all)")
    }

    @Test
    func aVerdictIsNotLostWhereFprintdReleasesSlowly() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: ["hold"])
      for (name, verdict) in [
        ("verify-match", Verdict.matched(.rightIndex)), ("verify-no-match", .noMatch),
      ] {
        let check = RunningCheck([], fingers: [.rightIndex], on: reader)
        #expect(check.next() == .ready(only: nil))
        try bus.run("status('\(name)', True)")
        #expect(try check.wait() == verdict)
        try bus.run("let_go()")
      }
    }

    /// A cancelled check waits two seconds for a missing answer, and another one waits for five.
    @Test
    func anFprintdThatDoesNotAnswerKeepsNoCancelledCheck() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: ["mute"])
      var calls: [String] = []
      // A machine with other work may take as long as five seconds, but not each time.
      var quickest = Int64.max
      for _ in 0..<5 where quickest >= 4_000_000_000 {
        let check = RunningCheck([], fingers: [.rightIndex], on: reader)
        calls += ["Claim", "VerifyStart"]
        try bus.run("await_calls('\(calls.joined(separator: " "))')")
        let begun = BootInstant.now.nanoseconds
        check.operation.cancel()
        #expect(throws: ReaderError.cancelled) { try check.wait() }
        quickest = min(quickest, BootInstant.now.nanoseconds - begun)
        calls.append("Release")
        #expect(try bus.run("calls()") == "'\(calls.joined(separator: " "))'")
      }
      #expect(quickest < 4_000_000_000)

      let unanswered = RunningCheck([], fingers: [.rightIndex], on: reader)
      let error = #expect(throws: ReaderError.self) { try unanswered.wait() }
      #expect(error?.description.contains("it does not answer") == true)
    }

    @Test
    func theTimeEndsACheckWithoutAnAnswer() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: [])
      let check = RunningCheck([], fingers: [.rightIndex], milliseconds: 100, on: reader)
      #expect(throws: ReaderError.timedOut) { try check.wait() }
    }

    @Test
    func aNameWithControlCharactersIsMadePlain() throws {
      defer { remove() }
      try bus.startFalseFprintd(verify: [])
      #expect(reader.look() == .throughFprintd(name: "A?[2Jreader"))
    }
  }
}
