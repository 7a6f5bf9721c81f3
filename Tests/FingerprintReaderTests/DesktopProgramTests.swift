import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// The built program, on a desktop with fprintd.
@Suite(.serialized)
struct DesktopProgramTests {
  let reader: VirtualReader
  let bus: DesktopBus

  init() throws {
    reader = try VirtualReader(.device)
    bus = try DesktopBus(reader)
  }

  private func remove() {
    bus.remove()
    reader.remove()
  }

  /// An ordinary user without access to the reader's directory.
  private let nobody = [
    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
  ]

  private func presence(prints: Bool = true) throws -> VirtualPresence {
    try VirtualPresence(
      reader: reader,
      settings: ["BUS=" + bus.address] + (prints ? ["FPRINTD_DIRECTORY=" + bus.prints] : []),
      openToOthers: true
    )
  }

  @Test
  func rootUsesThePrintsThatTheDesktopEnrolled() throws {
    defer { remove() }
    try bus.enroll("right", on: reader)
    let presence = try presence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program)
    let enrolled = try client.call(HelperListEnrolledCall())
    #expect(enrolled.source == .prints)
    #expect(enrolled.fingers == ["right-index"])
    #expect(enrolled.digests.map(\.count) == [32])
    for (name, event) in [
      ("right", HelperCheckEvent.matched(finger: "right-index")), ("wrong", .notMatched),
    ] {
      try client.arm(digests: enrolled.digests)
      try reader.send("SCAN \(name)")
      #expect(try client.event() == event)
    }
    // A print that the engine does not know is not used, and without a known print there is no
    // finger.
    var unknown = enrolled.digests[0]
    unknown[0] ^= 1
    for digests in [[unknown], [], nil, enrolled.digests + [unknown]] as [[[UInt8]]?] {
      try client.send(
        HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000, desktopDigests: digests),
        more: true
      )
      guard case .failed(.notEnrolled, _, _, _) = try client.event() else {
        return #expect(Bool(false), "\(digests as Any)")
      }
    }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func anOrdinaryUserIsVerifiedByFprintd() throws {
    defer { remove() }
    try bus.enroll("right", for: "nobody", on: reader)
    let presence = try presence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program, launcher: nobody)
    let enrolled = try client.call(HelperListEnrolledCall())
    #expect(enrolled == HelperEnrolled(source: .names, fingers: ["right-index"]))
    let facts = try client.call(HelperGetReaderCall())
    #expect(facts.available)
    #expect(facts.driver == "fprintd")
    for (name, event) in [
      ("right", HelperCheckEvent.matched(finger: "right-index")), ("wrong", .notMatched),
    ] {
      try client.arm(fingers: ["right-index"])
      try reader.send("SCAN \(name)")
      #expect(try client.event() == event)
    }
    for names in [["left-index"], ["right-index", "left-index"]] {
      try client.send(
        HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000, desktopFingers: names),
        more: true
      )
      guard case .failed(.notEnrolled, _, _, _) = try client.event() else {
        return #expect(Bool(false), "\(names)")
      }
    }
    for names in [["nose"], ["right-index", "right-index"]] {
      try client.send(
        HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000, desktopFingers: names),
        more: true
      )
      #expect(throws: ReplyError.service(.invalidParameter("desktop_fingers"))) {
        try client.event()
      }
    }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func aPrintOfOnesOwnThatTheUserMayNotUseLeadsToFprintd() throws {
    defer { remove() }
    try bus.killFprintd()
    let presence = try presence()
    defer { presence.remove() }
    let own = try PresenceClient(presence.program)
    let print = try FingerprintReaderTests.enroll("right", "left-thumb", on: reader, own)
    #expect(try own.end() == .exited(0))
    try bus.startFprintd()
    try bus.enroll("right", for: "nobody", on: reader)

    let client = try PresenceClient(presence.program, launcher: nobody)
    try client.arm([("left-thumb", print)], fingers: ["right-index"])
    try reader.send("SCAN right")
    #expect(try client.event() == .matched(finger: "right-index"))
    // Without the desktop's fingers the failure says why.
    try client.send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000), more: true)
    guard case .failed(.notAvailable, let detail, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    #expect(detail?.contains("may not open") == true)
    #expect(try client.end() == .exited(0))
  }

  @Test
  func aClosedSocketGivesTheClaimBack() throws {
    defer { remove() }
    try bus.enroll("right", for: "nobody", on: reader)
    let presence = try presence()
    defer { presence.remove() }
    let client = try PresenceClient(presence.program, launcher: nobody)
    try client.arm(fingers: ["right-index"])
    #expect(try client.end() == .exited(0))
    #expect(try bus.run("await_claim()") == "None")
  }

  @Test
  func aBusyReaderIsSaidToBeBusyAndIsWaitedFor() throws {
    defer { remove() }
    try bus.enroll("right", for: "nobody", on: reader)
    let presence = try presence()
    defer { presence.remove() }
    try bus.run("device('Claim', '')")
    let client = try PresenceClient(presence.program, launcher: nobody)
    let call = HelperCheckCall(
      presenceMethod: .fingerprint,
      timeout: 3000,
      desktopFingers: ["right-index"]
    )
    try client.send(call, more: true)
    #expect(try client.next(HelperCheckCall.self) == .waiting)
    guard case .failed(.busy, let detail, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    #expect(detail?.hasPrefix("reader busy") == true)
    #expect(try client.end() == .exited(0))
  }

  @Test
  func withoutFprintdThereIsNothing() throws {
    defer { remove() }
    try bus.killFprintd()
    let presence = try presence()
    defer { presence.remove() }
    for launcher in [[], nobody] {
      let client = try PresenceClient(presence.program, launcher: launcher)
      #expect(try client.call(HelperListEnrolledCall()) == HelperEnrolled(source: .none))
      #expect(try client.end() == .exited(0))
    }
  }
}
