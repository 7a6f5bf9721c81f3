import HelperInterface
import PresenceTerms
import System
import TestSupport
import Testing
import UserNames

/// The service's program, which asks the kernel about the connection that the engine lends.
@Suite(.serialized)
struct LentConnectionTests {
  /// The kernel delivers waiting calls together, with the descriptor of the last one.
  @Test
  func theConnectionBelongsToTheCheckThatCameBesideItsPrints() throws {
    let reader = try VirtualReader(.device)
    let presence = try VirtualPresence(reader: reader)
    let path = try makeTemporaryDirectory()
    defer {
      removeTemporaryDirectory(path)
      presence.remove()
      reader.remove()
    }
    let enrolling = try PresenceClient(presence.program)
    let print = try enroll("right", "right-index", on: reader, enrolling)
    #expect(try enrolling.end() == .exited(0))

    let place = try Directory(path: path)
    let engines = try UnixSocket.listen(in: place, name: "io.thumblatch.Vault")
    let helpers = try UnixSocket.listen(in: place, name: "io.thumblatch.Helper")
    let caller = try UnixSocket.connect(in: place, name: "io.thumblatch.Vault")
    let ours = try UnixSocket.connect(in: place, name: "io.thumblatch.Helper")
    guard let lent = try UnixSocket.accept(on: engines),
      let far = try UnixSocket.accept(on: helpers),
      let engine = UserNames.name(of: ThisProcess.user)
    else { throw PresenceClient.Closed() }
    try far.setNonblocking(false)

    try PresenceClient.send(LoadPrintCall(finger: "right-index", print: print), on: ours)
    let check = HelperCheckCall(presenceMethod: .fingerprint, timeout: 60_000)
    try PresenceClient.send(check, more: true, on: ours, passing: lent.number)
    let client = try PresenceClient(
      serving: far,
      of: engine,
      program: presence.program,
      ours: ours
    )
    _ = try client.next(LoadPrintCall.self)
    guard case .ready = try client.event() else { throw PresenceClient.Closed() }
    try reader.send("SCAN right")
    #expect(try client.event() == .matched(finger: "right-index"))
    #expect(try client.end() == .exited(0))
    _ = consume caller
  }
}
