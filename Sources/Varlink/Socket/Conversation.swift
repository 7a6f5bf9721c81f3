internal import Glibc
package import SecretMemory
package import System

/// Why a message was not sent, or none was received.
package enum ConversationError: Error, Equatable {
  /// The other side closed the connection.
  case ended
  /// The interrupt descriptor became readable.
  case interrupted
  /// The deadline passed.
  case timedOut
  /// A message is too long, or does not match the protocol.
  case malformed(MessageError)
  /// A system call failed.
  case system(SystemError)

  fileprivate init(_ error: SystemError) {
    // unix(7): ECONNRESET if the other side has closed its socket with unread bytes in it.
    self = [EPIPE, ECONNRESET].contains(error.code) ? .ended : .system(error)
  }
}

extension Descriptor {
  /// Sends a whole message over a socket; a given descriptor goes with the first byte.
  ///
  /// The message is wiped from this process's memory afterwards. The limits count only if the
  /// socket is non-blocking and full.
  package func send(
    _ message: @autoclosure () throws(MessageError) -> SecretBytes,
    passing descriptor: Int32 = -1,
    interrupt: Int32? = nil,
    until deadline: BootInstant? = nil
  ) throws(ConversationError) {
    let encoded: SecretBytes
    do throws(MessageError) { encoded = try message() } catch { throw .malformed(error) }
    try unsafe encoded.withUnsafeBytes { bytes throws(ConversationError) in
      var done = 0
      while done < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
        let sent: Int?
        do throws(SystemError) {
          sent = unsafe try send(rest, passing: done == 0 ? descriptor : -1)
        } catch {
          throw ConversationError(error)
        }
        done += sent ?? 0
        if sent == nil { try wait(writing: true, interrupt, deadline) }
      }
    }
  }

  fileprivate func wait(
    writing: Bool = false,
    _ interrupt: Int32?,
    _ deadline: BootInstant?
  ) throws(ConversationError) {
    let readiness: Readiness
    do throws(SystemError) {
      readiness = try .wait(for: number, writing: writing, interrupt: interrupt, deadline: deadline)
    } catch {
      throw ConversationError(error)
    }
    switch readiness {
    case .ready, .input: return
    case .interrupted: throw .interrupted
    case .timedOut: throw .timedOut
    }
  }
}

extension MessageBuffer {
  /// Waits for the next reply.
  package mutating func nextReply(
    from socket: borrowing Descriptor,
    interrupt: Int32? = nil,
    until deadline: BootInstant
  ) throws(ConversationError) -> VarlinkReply {
    try next(from: socket, interrupt, deadline) { buffer throws(MessageError) in
      try buffer.nextReply()
    }
  }

  /// Waits for the next call.
  package mutating func nextCall(
    from socket: borrowing Descriptor,
    until deadline: BootInstant
  ) throws(ConversationError) -> VarlinkCall {
    try next(from: socket, nil, deadline) { buffer throws(MessageError) in try buffer.nextCall() }
  }

  private mutating func next<Message>(
    from socket: borrowing Descriptor,
    _ interrupt: Int32?,
    _ deadline: BootInstant,
    _ take: (inout MessageBuffer) throws(MessageError) -> Message?
  ) throws(ConversationError) -> Message {
    while true {
      do throws(MessageError) {
        if let message = try take(&self) { return message }
      } catch {
        throw .malformed(error)
      }
      try socket.wait(interrupt, deadline)
      _ = try receive(from: socket)
    }
  }

  /// Receives the bytes that wait on a socket, if there are any.
  ///
  /// - Returns: the descriptor that came with them.
  /// - Throws: `ended` at the end of the connection.
  package mutating func receive(
    from socket: borrowing Descriptor
  ) throws(ConversationError) -> Descriptor? {
    var hasEnded = false
    var passed: Descriptor?
    let count: Int?
    do throws(SystemError) {
      count = unsafe try receive { room throws(SystemError) in
        guard let received = unsafe try socket.receive(into: room) else { return 0 }
        let count = received.count
        hasEnded = count == 0
        passed = received.takeDescriptor()
        return count
      }
    } catch {
      throw ConversationError(error)
    }
    guard count != nil else { throw .malformed(.tooLong(maximum: self.count)) }
    if hasEnded { throw .ended }
    return passed
  }
}
