import HelperInterface
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// The built program with libfprint's virtual reader.
@Suite(.serialized)
struct FingerProgramTests {
  let reader: VirtualReader
  let presence: VirtualPresence

  init() throws {
    reader = try VirtualReader(.device)
    presence = try VirtualPresence(reader: reader)
  }

  private func remove() {
    presence.remove()
    reader.remove()
  }

  private func enrolled() throws -> SharedSecret {
    let client = try PresenceClient(presence.program)
    let print = try enroll("right", "right-index", on: reader, client)
    #expect(try client.end() == .exited(0))
    return print
  }

  @Test
  func anEnrolledFingerMatchesInAnotherProcessAndOthersDoNot() throws {
    defer { remove() }
    let print = try enrolled()
    let client = try PresenceClient(presence.program)
    try client.arm([("right-index", print)])
    #expect(try client.status("NoNewPrivs") == "1")
    try reader.send("RETRY 2")
    #expect(try client.event() == .retry(.centerFinger))
    try reader.send("SCAN right")
    #expect(try client.event() == .matched(finger: "right-index"))
    // The same process checks once more.
    try client.arm([])
    try reader.send("SCAN wrong")
    #expect(try client.event() == .notMatched)
    #expect(try client.end() == .exited(0))
  }

  /// Other work on the machine makes some rounds slow.
  ///
  /// A delay in the program would slow nearly all of them.
  @Test(arguments: [false, true])
  func aCloseInTheMiddleOfACheckReleasesTheReaderWithinATenthOfASecond(_ half: Bool) throws {
    defer { remove() }
    let print = try enrolled()
    var times: [Int64] = []
    for _ in 0..<20 {
      let client = try PresenceClient(presence.program)
      try client.arm([("right-index", print)])
      _ = try reader.connect()
      let begun = BootInstant.now.nanoseconds
      half ? client.hangUp() : client.close()
      #expect(try client.child.wait() == .exited(0))
      times.append((BootInstant.now.nanoseconds - begun) / 1000)
      #expect(!reader.isOpen)
      guard half else { continue }
      guard case .failed(.cancelled, _, _, _) = try client.event() else {
        return #expect(Bool(false))
      }
    }
    times.sort()
    Swift.print("close to released: of 20 rounds the 5th \(times[4]) µs, median \(times[10]) µs")
    #expect(times[4] <= 100_000, "\(times) µs")
  }

  @Test
  func aFingerThatMissedIsToldToAnEngineThatHasHungUpSince() throws {
    defer { remove() }
    let print = try enrolled()
    for _ in 0..<10 {
      let client = try PresenceClient(presence.program)
      try client.arm([("right-index", print)])
      try reader.send("SCAN wrong")
      client.hangUp()
      #expect(try client.event() == .notMatched)
      #expect(try client.child.wait() == .exited(0))
      #expect(!reader.isOpen)
    }
  }

  @Test
  func aCloseInTheMiddleOfAnEnrollmentEndsTheProgram() throws {
    defer { remove() }
    let client = try PresenceClient(presence.program)
    try client.send(HelperEnrollCall(finger: "left-thumb", timeout: 60_000), more: true)
    guard case .ready = try client.next(HelperEnrollCall.self).event else {
      return #expect(Bool(false))
    }
    try reader.send("SCAN thumb")
    #expect(try client.end() == .exited(0))
    #expect(!reader.isOpen)
  }

  @Test
  func aDriverThatIgnoresTheEndDoesNotKeepTheProgram() throws {
    defer { remove() }
    let print = try enrolled()
    let client = try PresenceClient(presence.program)
    try client.arm([("right-index", print)])
    try reader.send("SET_CANCELLATION_ENABLED 0")
    let begun = BootInstant.now
    #expect(try client.end() == .exited(0))
    // The driver gets two seconds. The check itself would last for a minute.
    #expect(BootInstant.now < begun.advanced(bySeconds: 20))
    #expect(!reader.isOpen)
  }

  @Test
  func anyCallDuringACheckEndsItAndIsThenAnswered() throws {
    defer { remove() }
    let print = try enrolled()
    let client = try PresenceClient(presence.program)
    try client.arm([("right-index", print)])
    try client.send(HelperGetReaderCall())
    guard case .failed(.cancelled, _, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    let facts = try client.next(HelperGetReaderCall.self)
    #expect(facts.available)
    #expect(facts.driver == "virtual_device")
    #expect(try client.end() == .exited(0))
  }

  @Test
  func everyEndHasItsReason() throws {
    defer { remove() }
    let print = try enrolled()
    let reasons: [(String, PresenceOutcome)] = [
      ("ERROR 0", .notAvailable), ("ERROR 4", .busy), ("ERROR 7", .notEnrolled),
      ("UNPLUG", .notAvailable),
    ]
    for (command, reason) in reasons {
      let client = try PresenceClient(presence.program)
      try client.arm([("right-index", print)])
      try reader.send(command)
      guard case .failed(let given, let detail, _, _) = try client.event() else {
        #expect(Bool(false), "\(command)")
        continue
      }
      #expect(given == reason)
      #expect(detail != nil)
      #expect(try client.end() == .exited(0))
    }
    let client = try PresenceClient(presence.program)
    try client.arm([("right-index", print)], timeout: 1500)
    guard case .failed(.timedOut, _, _, _) = try client.event() else { return #expect(Bool(false)) }
    try client.send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 0), more: true)
    #expect(throws: ReplyError.service(.invalidParameter("timeout"))) { try client.event() }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func withoutAPrintOrAReaderNoPromptIsShown() throws {
    defer { remove() }
    let client = try PresenceClient(presence.program)
    try client.send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000), more: true)
    guard case .failed(.notEnrolled, _, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    try client.send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000))
    #expect(throws: ReplyError.service(.expectedMore)) { try client.event() }
    #expect(try client.end() == .exited(0))

    let without = try VirtualPresence()
    defer { without.remove() }
    // Environment variables add no reader, and make no warning fatal.
    let poor = try PresenceClient(
      without.program,
      environment: [reader.variable, "G_DEBUG=fatal-warnings"]
    )
    #expect(try !poor.call(HelperGetReaderCall()).available)
    #expect(try poor.end() == .exited(0))
  }

  @Test
  func warningsOfLibrariesAreNotFatalWhateverTheEnvironmentSays() throws {
    defer { remove() }
    let print = try enrolled()
    let client = try PresenceClient(
      presence.program,
      environment: ["G_DEBUG=fatal-warnings,fatal-criticals"]
    )
    try client.arm([("right-index", print)])
    // The driver warns about an unknown command.
    try reader.send("NONSENSE")
    try reader.send("SCAN right")
    #expect(try client.event() == .matched(finger: "right-index"))
    #expect(try client.end() == .exited(0))
  }

  @Test
  func theInstalledProgramHasNoVirtualReader() throws {
    defer { remove() }
    let client = try PresenceClient(
      BuiltPrograms.path("thumblatch-presence"),
      environment: [reader.variable]
    )
    #expect(try !client.call(HelperGetReaderCall()).available)
    let print = try enrolled()
    _ = try client.call(LoadPrintCall(finger: "right-index", print: print))
    try client.send(HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000), more: true)
    guard case .failed(.notAvailable, _, _, _) = try client.event() else {
      return #expect(Bool(false))
    }
    #expect(try client.end() == .exited(0))
  }

  @Test
  func aSocketThatAnotherUserMadeIsNotServed() throws {
    defer { remove() }
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let place = try Directory(path: directory)
    let listener = try UnixSocket.listen(in: place, name: "s")
    for path in [directory, directory + "/s"] { letOthersEnter(path) }
    let stranger = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: [
        "--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c",
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\(directory)/s'); s.recv(1)",
      ],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, 1, 2]
    )
    #expect(try listener.waitReadable(milliseconds: 60_000))
    guard let connection = try UnixSocket.accept(on: listener) else {
      return #expect(Bool(false))
    }
    let program = try ChildProcess(
      path: presence.program,
      arguments: [],
      environment: [],
      descriptors: [connection.number, -1, -1]
    )
    #expect(try program.wait() == .exited(1))
    stranger.kill()
    _ = try stranger.wait()
  }

  @Test
  func aHostilePrintIsRefusedAndTheProgramGoesOn() throws {
    defer { remove() }
    let print = try enrolled()
    let client = try PresenceClient(presence.program)
    var bytes = unsafe print.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    bytes[bytes.count / 2] ^= 0xff
    bytes.removeLast()
    let damaged = SharedSecret(try SecretBytes(copying: bytes))
    #expect(throws: ReplyError.service(.invalidParameter("print"))) {
      try client.call(LoadPrintCall(finger: "right-index", print: damaged))
    }
    #expect(throws: ReplyError.service(.invalidParameter("finger"))) {
      try client.call(LoadPrintCall(finger: "nose", print: print))
    }
    try client.arm([("right-index", print)])
    try reader.send("SCAN right")
    #expect(try client.event() == .matched(finger: "right-index"))
    #expect(try client.end() == .exited(0))
  }
}
