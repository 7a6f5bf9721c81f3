import HelperInterface
import JSON
import SecretMemory
import System
import Testing
import Varlink

/// Messages over a connected socket.
final class ConversationTests {
  private let ours: Descriptor
  private let theirs: Descriptor

  init() throws {
    let (first, second) = try UnixSocket.pair()
    ours = Descriptor(owning: first)
    theirs = Descriptor(owning: second)
  }

  private var soon: BootInstant {
    BootInstant(nanoseconds: BootInstant.now.nanoseconds + 50_000_000)
  }

  /// The error of `body`.
  private func error(_ body: () throws(ConversationError) -> Void) -> ConversationError? {
    do throws(ConversationError) { try body() } catch { return error }
    return nil
  }

  @Test
  func aMessageArrivesWholeWithItsDescriptor() throws {
    let call = VarlinkCall(method: "a.b.C", parameters: ["n": .integer(1)])
    let (mine, passed) = try UnixSocket.pair()
    let other = Descriptor(owning: passed)
    let kept = Descriptor(owning: mine)
    try ours.send(call.encoded(on: .helper), passing: other.number)
    var buffer = MessageBuffer(.helper)
    let arrived = try buffer.receive(from: theirs)
    #expect(try buffer.nextCall() == call)
    guard let arrived else {
      Issue.record("no descriptor came")
      return
    }
    try arrived.write("y")
    #expect(try kept.waitReadable(milliseconds: 0))
  }

  @Test
  func aReplyIsAwaitedUntilTheDeadlineTheInterruptOrTheEnd() throws {
    var buffer = MessageBuffer(.helper)
    #expect(
      error { () throws(ConversationError) in
        _ = try buffer.nextReply(from: ours, until: soon)
      } == .timedOut
    )
    let reply = VarlinkReply(parameters: ["n": .integer(1)])
    try theirs.send(reply.encoded(on: .helper))
    #expect(try buffer.nextReply(from: ours, until: soon) == reply)
    // The interrupt counts first.
    let (interrupt, key) = try UnixSocket.pair()
    let reading = Descriptor(owning: interrupt)
    let writing = Descriptor(owning: key)
    try writing.write("x")
    try theirs.send(reply.encoded(on: .helper))
    #expect(
      error { () throws(ConversationError) in
        _ = try buffer.nextReply(from: ours, interrupt: reading.number, until: soon)
      } == .interrupted
    )
    #expect(try buffer.nextReply(from: ours, until: soon) == reply)
    theirs.shutDown()
    #expect(
      error { () throws(ConversationError) in
        _ = try buffer.nextReply(from: ours, until: soon)
      } == .ended
    )
    #expect(
      error { () throws(ConversationError) in try ours.send(reply.encoded(on: .helper)) } == .ended
    )
  }

  /// A server that does not read must not hold its client without limit.
  @Test
  func aFullSocketIsWaitedForUntilTheDeadline() throws {
    try ours.setNonblocking(true)
    let reply = VarlinkReply(parameters: ["text": .string(String(repeating: "x", count: 30_000))])
    var failure: ConversationError?
    for _ in 0..<1000 where failure == nil {
      failure = error { () throws(ConversationError) in
        try ours.send(reply.encoded(on: .helper), until: soon)
      }
    }
    #expect(failure == .timedOut)
  }
}
