internal import HelperInterface
internal import System
internal import Varlink

/// Why a helper did not answer.
enum HelperError: Error, Equatable {
  /// It could not be started.
  case notStarted(String)
  /// It ended before it answered.
  case ended
  /// It did not answer in time, or its socket failed.
  ///
  /// It may still be at work.
  case silent
  /// Its answer does not match the interface.
  case malformed
  /// It could not determine the answer.
  case unseen

  fileprivate init(_ error: ConversationError) {
    self =
      switch error {
      case .ended: .ended
      case .malformed: .malformed
      case .interrupted, .timedOut, .system: .silent
      }
  }
}

/// One running helper, and this side of its socket.
///
/// Its calls block, so each conversation has a thread of its own. When this object is destroyed,
/// the socket closes, which tells the helper to end.
final class HelperLink: Sendable {
  private let socket: Descriptor
  /// The helper process, if it is a child of this process.
  private let child: ChildProcess?

  /// Connects to a helper, which then starts its work.
  convenience init(_ helper: Helper, by route: HelperRoute) throws(HelperError) {
    switch route {
    case .children: try self.init(program: helper.program)
    case .sockets(let directory): try self.init(socket: helper.socket, in: directory)
    }
  }

  /// Connects to a socket.
  ///
  /// The service manager starts a process for each connection.
  private init(socket name: String, in directory: String) throws(HelperError) {
    do {
      socket = try UnixSocket.connect(in: Directory(path: directory), name: name)
      // The message holds a token or a password, so the listener must belong to the service
      // manager.
      let server = try socket.peerCredentials().user
      guard server == 0 else {
        throw HelperError.notStarted(
          "\(directory)/\(name) is served by user \(server), not by root"
        )
      }
    } catch let error as HelperError {
      throw error
    } catch {
      throw .notStarted("\(error)")
    }
    child = nil
  }

  /// Starts a program, whose descriptor 0 is the other side of the socket.
  private init(program name: String) throws(HelperError) {
    do {
      let program = try InstalledProgram(name)
      let (ours, theirs) = try UnixSocket.pair()
      socket = Descriptor(owning: ours)
      let other = Descriptor(owning: theirs)
      child = try ChildProcess(
        path: program.path,
        arguments: [],
        environment: InstalledProgram.environment,
        descriptors: [other.number, -1, -1],
        newSession: true
      )
    } catch {
      throw .notStarted("\(error)")
    }
  }

  /// Sends a call.
  ///
  /// If a descriptor is given, it goes with the first byte.
  func send<Method: VarlinkMethod>(
    _ call: Method,
    more: Bool = false,
    oneway: Bool = false,
    passing descriptor: Int32 = -1
  ) throws(HelperError) {
    do throws(ConversationError) {
      try socket.send(
        VarlinkCall(call, more: more, oneway: oneway).encoded(on: .helper),
        passing: descriptor
      )
    } catch {
      throw HelperError(error)
    }
  }

  /// Sends a call without effect.
  ///
  /// Its answer shows that the helper runs and has this conversation.
  func sendGreeting() throws(HelperError) {
    try send(HelperProceedCall())
  }

  /// Waits until the helper has answered the greeting, and expects nothing else from it.
  ///
  /// - Returns: whether its exchange may wait. An older helper does not know `Proceed`.
  /// - Throws: `malformed` also if the helper has sent more bytes than the answer.
  func receiveGreeting(until deadline: BootInstant) throws(HelperError) -> Bool {
    var buffer = MessageBuffer(.helper)
    let reply = try receive(&buffer, until: deadline)
    guard buffer.count == 0 else { throw .malformed }
    return reply.error == nil
  }

  /// Waits for the next reply, at most until `deadline`.
  func receive<Method: VarlinkMethod>(
    _ buffer: inout MessageBuffer,
    to method: Method.Type,
    until deadline: BootInstant
  ) throws(HelperError) -> (reply: Method.Reply, continues: Bool) {
    let reply = try receive(&buffer, until: deadline)
    do {
      return (try reply.result(of: method), reply.continues)
    } catch {
      throw .malformed
    }
  }

  private func receive(
    _ buffer: inout MessageBuffer,
    until deadline: BootInstant
  ) throws(HelperError) -> VarlinkReply {
    do throws(ConversationError) {
      return try buffer.nextReply(from: socket, until: deadline)
    } catch {
      throw HelperError(error)
    }
  }

  /// Waits until a reply or the end of the connection can be read; false if none came in time.
  ///
  /// It is also true if the socket has failed.
  func waitReadable(milliseconds: Int32) -> Bool {
    (try? socket.waitReadable(milliseconds: milliseconds)) ?? true
  }

  /// Whether the helper has sent nothing, has not closed the connection, and is not stopped.
  ///
  /// `nil` if this process cannot see whether it is stopped, because the helper is a child of the
  /// service manager.
  var isIdle: Bool? {
    guard !waitReadable(milliseconds: 0) else { return false }
    return child.map { !$0.isStopped }
  }

  /// Tells the helper to end, from any thread.
  ///
  /// Its last replies can still be received.
  func hangUp() {
    socket.shutDownSending()
  }

  /// Tells the helper to end, from any thread.
  ///
  /// A waiting `receive` returns.
  func stop() {
    socket.shutDown()
  }

  /// Whether the helper is a child of this process, which must wait for it.
  var isChild: Bool { child != nil }

  func awaitEnd(withinMilliseconds limit: Int32) {
    if let child {
      child.awaitEnd(withinMilliseconds: limit)
    } else {
      awaitClose(withinMilliseconds: limit)
    }
  }

  /// Waits for the helper to end after its work, and ends it if it does not.
  func finish(withinMilliseconds limit: Int32) {
    socket.shutDownSending()
    if child == nil { awaitClose(withinMilliseconds: limit) }
    socket.shutDown()
    child?.finish(withinMilliseconds: limit)
  }

  /// Waits until the other side closes.
  ///
  /// A helper of the service manager does that when it ends.
  private func awaitClose(withinMilliseconds limit: Int32) {
    let end = BootInstant.now.nanoseconds + Int64(limit) * 1_000_000
    while case let left = (end - BootInstant.now.nanoseconds) / 1_000_000, left > 0 {
      guard (try? socket.waitReadable(milliseconds: Int32(left))) == true else { return }
      let count = unsafe try? withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
        unsafe try socket.receive(into: room)?.count ?? 0
      }
      guard let count, count > 0 else { return }
    }
  }
}
