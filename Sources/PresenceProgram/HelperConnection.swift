internal import SecretMemory
internal import System
internal import VaultInterface

/// The socket to the engine, and the call that is being answered.
final class HelperConnection {
  private let socket: Descriptor
  private var buffer = MessageBuffer(.helper)
  private var isSilent = false
  private var owesReply = false
  /// A descriptor that came beside what was received last.
  private var lent: Descriptor?

  /// The socket is of no further use.
  private(set) var isBroken = false

  init(_ socket: consuming Descriptor) {
    self.socket = socket
  }

  /// Has a queue watch the socket.
  func watch(_ queue: ReadyQueue) throws(SystemError) {
    try queue.add(socket, token: 0)
  }

  /// Has a queue watch it no longer.
  func ignore(_ queue: ReadyQueue) {
    queue.remove(socket)
  }

  /// Takes what came; false at the end of the conversation, or where it makes no sense.
  func receive() -> Bool {
    do throws(SystemError) {
      let count = unsafe try buffer.receive { room throws(SystemError) in
        guard let received = unsafe try socket.receive(into: room) else { return 0 }
        let count = received.count
        if let passed = received.takeDescriptor() { lent = consume passed }
        return count
      }
      return (count ?? 0) > 0
    } catch {
      return false
    }
  }

  /// The next call that is complete.
  func nextCall() -> VarlinkCall? {
    do throws(MessageError) {
      return try buffer.nextCall()
    } catch {
      // What follows a message that cannot be read is not looked at.
      isBroken = true
      return nil
    }
  }

  /// Whom a call is about, by the connection that came with it.
  ///
  /// A second call needs a connection of its own.
  func subject(of users: ServedUsers) -> UInt32? { users.subject(lent.take(), on: socket) }

  /// The replies from here on answer this call.
  func begin(_ call: VarlinkCall) {
    isSilent = call.oneway
    owesReply = true
  }

  /// Sends a reply with these parameters, unless the call has had its last.
  func reply(_ content: some VarlinkRecord, continues: Bool = false) {
    do throws(MessageError) {
      reply(try VarlinkReply(content, continues: continues))
    } catch {
      isBroken = true
    }
  }

  /// Sends a reply, unless the call has had its last or wants none.
  func reply(_ reply: VarlinkReply) {
    guard owesReply, !isBroken else { return }
    owesReply = reply.continues
    guard !isSilent else { return }
    do {
      // A print may be in it.
      let message = try reply.encoded(on: .helper)
      unsafe try message.withUnsafeBytes { bytes throws(SystemError) in
        var done = 0
        while done < bytes.count {
          let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
          done += unsafe try socket.send(rest) ?? 0
        }
      }
    } catch {
      isBroken = true
    }
  }

  /// Ends the conversation after what was sent.
  func close() {
    isBroken = true
    socket.shutDown()
  }
}
