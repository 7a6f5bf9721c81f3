public import System
public import Varlink
internal import VaultInterface

/// A connection to the vault: calls go out, and replies come back in order.
///
/// Everything has a limit: a message by the interface, a wait by its deadline. Closing the
/// connection, which the end of the last reference does, cancels all work of the engine for this
/// caller. Two threads must not use it at the same time.
public final class Connection {
  /// How long an engine may take to read that a prompt is cancelled, in seconds.
  private static let denialLimit: Int64 = 2

  /// The call that a reply belongs to.
  public struct CallNumber: Equatable, Sendable {
    fileprivate let number: UInt64
  }

  /// The result of a wait.
  public enum Event: Sendable {
    /// A reply to a call that was sent.
    case reply(VarlinkReply, of: CallNumber)
    /// A person typed something.
    case input
    /// The deadline passed.
    case timedOut
  }

  let socket: Descriptor
  /// The descriptor that ends every wait when it is readable; `nil` if there is none.
  public let interrupt: Int32?
  private var buffer = MessageBuffer(.vault)
  private var sent: UInt64 = 0
  /// The calls whose last reply has not arrived, oldest first.
  private var open: [CallNumber] = []
  /// How many replies have arrived.
  private(set) var answers = 0

  /// Makes a connection over a connected socket.
  ///
  /// `interrupt` is a descriptor that ends every wait with the error `interrupted` when it is
  /// readable. It stays the caller's.
  public init(_ socket: consuming Descriptor, interrupt: Int32? = nil) throws(VaultClientError) {
    do { try socket.setNonblocking(true) } catch { throw .system(error) }
    self.socket = socket
    self.interrupt = interrupt
  }

  /// The credentials of the server (unix(7), SO_PEERCRED).
  public func peer() throws(VaultClientError) -> PeerCredentials {
    do { return try socket.peerCredentials() } catch { throw .system(error) }
  }

  /// The descriptor that is readable when the server has closed the connection, while no call is
  /// open.
  public var descriptor: Int32 { socket.number }

  /// Whether the server has closed the connection.
  package var hasEnded: Bool { (try? socket.hasEnded()) ?? true }

  /// Makes a queue readable when the server has closed the connection.
  ///
  /// It is for the time in which no call is open.
  package func watchEnd(by queue: ReadyQueue) throws(SystemError) {
    try queue.add(socket.number, token: 0)
  }

  /// Sends a call without waiting for its reply.
  ///
  /// During a stream this cancels the stream.
  ///
  /// The message is wiped from this process's memory after it is sent.
  @discardableResult
  public func send<Method: VarlinkMethod>(
    _ content: Method,
    more: Bool = false
  ) throws(VaultClientError) -> CallNumber {
    do throws(ConversationError) {
      try socket.send(
        VarlinkCall(content, more: more).encoded(on: .vault),
        interrupt: interrupt,
        until: BootInstant.now.advanced(bySeconds: 30)
      )
    } catch {
      if case .malformed(.tooLong(let maximum)) = error { throw .callTooLong(maximum: maximum) }
      throw VaultClientError(error)
    }
    sent += 1
    let number = CallNumber(number: sent)
    open.append(number)
    return number
  }

  /// Waits for the next reply, or until a person types into `input`.
  public func next(
    input: Int32? = nil,
    deadline: BootInstant? = nil
  ) throws(VaultClientError) -> Event {
    while true {
      if let reply = try takeReply() { return reply }
      switch try Readiness.unlessInterrupted(
        for: socket.number,
        input: input,
        interrupt: interrupt,
        deadline: deadline
      ) {
      case .ready, .interrupted: try receive()
      case .input: return .input
      case .timedOut: return .timedOut
      }
    }
  }

  /// Sends a call and waits for its one reply, at most `seconds`.
  public func call<Method: VarlinkMethod>(
    _ content: Method,
    within seconds: Int64 = 30
  ) throws(VaultClientError) -> Method.Reply {
    var result: Method.Reply?
    try stream(content, more: false, within: seconds) { result = $0 }
    guard let result else { throw .disconnected }
    return result
  }

  /// Sends a call and passes on each of its replies.
  ///
  /// Each reply must come within `seconds`.
  ///
  /// `whenSlow` is called once if the first reply takes more than two seconds, so that the person
  /// can be informed. `whenInput` is called when `input` is readable; if it throws, the call stays
  /// open.
  public func stream<Method: VarlinkMethod>(
    _ content: Method,
    more: Bool = true,
    within seconds: Int64 = 30,
    whenSlow: (() -> Void)? = nil,
    input: Int32? = nil,
    whenInput: () throws(VaultClientError) -> Void = {},
    each body: (Method.Reply) throws(VaultClientError) -> Void
  ) throws(VaultClientError) {
    let number = try send(content, more: more)
    var whenSlow = whenSlow
    var deadline = BootInstant.now.advanced(bySeconds: seconds)
    while true {
      let soon = whenSlow.map { _ in BootInstant.now.advanced(bySeconds: 2) }
      switch try next(input: input, deadline: min(soon ?? deadline, deadline)) {
      case .input: try whenInput()
      case .timedOut:
        if BootInstant.now >= deadline { throw .timedOut }
        whenSlow?()
        whenSlow = nil
      case .reply(let reply, let of):
        // A late reply to a call that was given up does not belong to this call.
        guard of == number else { continue }
        try body(try Self.result(of: reply, to: Method.self))
        if !reply.continues { return }
        whenSlow = nil
        deadline = BootInstant.now.advanced(bySeconds: seconds)
      }
    }
  }

  /// Cancels a prompt that this program shows for another one.
  ///
  /// The engine reads the call only when the check is over, if it waits for the touch of a security
  /// key after the PIN. The end of the connection ends that check.
  ///
  /// - Parameter prompt: its name.
  /// - Throws: `disconnected` if the engine does not read the call.
  package func deny(_ prompt: String) throws(VaultClientError) {
    do throws(VaultClientError) {
      _ = try call(CancelCall(prompt: prompt), within: Self.denialLimit)
    } catch {
      if case .timedOut = error { throw .disconnected }
      throw error
    }
  }

  /// The content of a reply to a method, or the error that it carries.
  public static func result<Method: VarlinkMethod>(
    of reply: VarlinkReply,
    to method: Method.Type
  ) throws(VaultClientError) -> Method.Reply {
    let refusal: VaultError?
    do { refusal = try VaultError(decoding: reply) } catch { throw .malformed(error) }
    if let refusal { throw .refused(refusal) }
    do {
      return try reply.result(of: method)
    } catch {
      switch error {
      case .service(let error): throw .notUnderstood(error)
      case .other(let name): throw .unknownError(name)
      case .malformed(let error): throw .malformed(error)
      }
    }
  }

  private func takeReply() throws(VaultClientError) -> Event? {
    let reply: VarlinkReply?
    do { reply = try buffer.nextReply() } catch { throw .malformed(error) }
    guard let reply else { return nil }
    // The reply has no call, so the server breaks the protocol.
    guard let number = open.first else { throw .malformed(.otherMethod) }
    if !reply.continues { open.removeFirst() }
    answers += 1
    return .reply(reply, of: number)
  }

  private func receive() throws(VaultClientError) {
    do throws(ConversationError) {
      _ = try buffer.receive(from: socket)
    } catch {
      throw VaultClientError(error)
    }
  }
}
