internal import HelperInterface
internal import SecretMemory
internal import System
internal import Varlink

/// The socket to the engine, and the call in progress.
final class HelperConnection {
  private let socket: Descriptor
  private var buffer = MessageBuffer(.helper)
  private var isSilent = false
  /// Whether the call takes several replies.
  private(set) var wantsMore = false
  private var owesReply = false
  /// The descriptor that came with the last received message.
  private var lent: Descriptor?

  /// Whether the socket is unusable.
  private(set) var isBroken = false

  init(_ socket: consuming Descriptor) {
    self.socket = socket
  }

  /// Registers the socket with a queue.
  func watch(_ queue: ReadyQueue) throws(SystemError) {
    try queue.add(socket, token: 0)
  }

  /// Removes the socket from a queue.
  func ignore(_ queue: ReadyQueue) {
    queue.remove(socket)
  }

  /// Receives bytes; false at the end of the connection, or on an error.
  func receive() -> Bool {
    do throws(ConversationError) {
      if let passed = try buffer.receive(from: socket) { lent = consume passed }
      return true
    } catch {
      return false
    }
  }

  /// The next complete call.
  func nextCall() -> VarlinkCall? {
    do throws(MessageError) {
      return try buffer.nextCall()
    } catch {
      // Bytes after an unreadable message are ignored.
      isBroken = true
      return nil
    }
  }

  /// The user of a call, from the connection that came with it.
  ///
  /// Each call needs its own connection.
  func subject(of users: ServedUsers) -> UInt32? { users.subject(lent.take(), on: socket) }

  /// Starts a call: the following replies answer it.
  func begin(_ call: VarlinkCall) {
    isSilent = call.oneway
    wantsMore = call.more
    owesReply = true
  }

  /// Sends a reply with these parameters, unless the call has had its last reply.
  func reply(_ content: some VarlinkRecord, continues: Bool = false) {
    do throws(MessageError) {
      reply(try VarlinkReply(content, continues: continues))
    } catch {
      isBroken = true
    }
  }

  /// Sends a reply, unless the call has had its last reply or wants none.
  func reply(_ reply: VarlinkReply) {
    guard owesReply, !isBroken else { return }
    owesReply = reply.continues
    guard !isSilent else { return }
    do {
      // The reply may hold a print.
      try socket.send(reply.encoded(on: .helper))
    } catch {
      isBroken = true
    }
  }

  /// Ends the connection after the sent replies.
  func close() {
    isBroken = true
    socket.shutDown()
  }
}
