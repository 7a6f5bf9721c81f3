internal import System
internal import TokenVault
internal import Varlink
internal import VaultInterface

/// One caller's connection.
///
/// It limits the input that the caller may send ahead, and the output that it may leave unread.
///
/// Only the server's thread uses it.
final class Connection {
  /// If so many bytes of replies wait to be read, no other call is begun.
  private static let fullOutput = 64 << 10
  /// The most bytes of replies that may wait to be read.
  private static let mostOutput = 1 << 20
  /// The longest message that the server's thread itself decodes: 1/64 of the longest message's
  /// cost.
  static let longestInPlace = 1024

  /// The task that answers the last call that was taken.
  private(set) var answer: Task<Void, Never>?

  let peer: Peer
  let number: UInt64
  /// Whether the name of its user was compared.
  let recognition = Recognition()
  var share: Share
  var kind: UserKind
  /// A call that waits until the kind of its user is known.
  var held: ParsedCall?
  var isQueued = false
  /// Whether the server has removed the connection.
  var hasEnded = false
  /// Whether the caller sends no more, and waits for the remaining answers.
  var hasSentAll = false
  var events = Events()
  private var input = MessageBuffer(.vault)
  /// Bytes of the message that the decoder has.
  private var decoding = 0
  /// Bytes that the connection holds, by the last count.
  private(set) var buffered = 0
  /// Whether a whole message waits for its turn.
  ///
  /// No input is wanted then.
  private(set) var hasMessage = false
  private(set) var isAnswering = false
  /// Whether a whole message has ever arrived.
  private(set) var hasCalled = false
  /// When the last whole message, or the connection itself, arrived.
  private(set) var lastCall = BootInstant.now
  private var isInterruptible = false
  private var isLasting = false
  private var isPassing = false
  private var outbox = Outbox()
  /// Since when a message has been incomplete.
  private(set) var incompleteSince: BootInstant?
  /// The same time, as it was when its deadline was noted.
  var notedSince: BootInstant?
  private(set) var isKnownToVault = false
  /// The events for which the socket is watched.
  private var watched = (readable: true, writable: false)
  private var whenSent: [@Sendable (Bool) -> Void] = []

  init(_ peer: Peer, number: UInt64, share: Share, kind: UserKind) {
    self.peer = peer
    self.number = number
    self.share = share
    self.kind = kind
  }

  var user: UInt32 { peer.credentials.user }

  /// Whether the process that connected still runs.
  var isPeerAlive: Bool { peer.isAlive }
  /// The tool whose helper the process is; `nil` if that cannot be told.
  private(set) lazy var tool = Tool(ofHelper: peer.identifier)

  /// Whether a call runs that must not be dropped and that waits for no person and no change.
  var isAtWork: Bool { isAnswering && !isInterruptible && !isLasting && !isPassing }

  /// Whether the caller waits for a call that has begun.
  var isAtWorkForCaller: Bool { isAnswering && held == nil }
  /// Whether the caller has sent something that was not read yet.
  var hasUnread: Bool { (try? peer.socket.hasUnread()) == true }

  /// Whether more input is taken.
  ///
  /// This holds back a caller that sends without reading answers.
  var wantsInput: Bool { !hasMessage && !hasSentAll }
  /// Whether replies wait to be written.
  var wantsOutput: Bool { !outbox.isEmpty }

  /// Counts the bytes that the connection holds.
  ///
  /// Returns the difference from the previous count.
  func recount() -> Int {
    let now = input.footprint + decoding + outbox.count
    defer { buffered = now }
    return now - buffered
  }

  // MARK: - Input

  /// Reads the available input.
  ///
  /// Returns false if the connection has ended or sent an invalid message.
  func receive() -> Bool {
    do {
      while !(try look()) {
        var lent = 0
        let received = unsafe try input.receive { room throws(SystemError) in
          lent = room.count
          // A descriptor that is sent along is closed with the value of `receive`.
          return unsafe try peer.socket.receive(into: room)?.count ?? -1
        }
        guard let received else { return false }
        // The buffer counts both "nothing there" (-1) and "the end" (0) as no bytes, so ask which
        // it is.
        if received == 0 { return !isAtEnd || endInput() }
        // The socket was empty. epoll reports anything that arrives later, the end included.
        if received < lent {
          _ = try look()
          return true
        }
      }
      return true
    } catch {
      return false
    }
  }

  private var isAtEnd: Bool { (try? peer.socket.hasEnded()) ?? true }

  /// Whether a whole message has arrived.
  ///
  /// It is not parsed before its turn.
  ///
  /// The parsed form may be twenty times as large.
  private func look() throws(MessageError) -> Bool {
    hasMessage = try input.hasMessage()
    if hasMessage {
      hasCalled = true
      lastCall = .now
      // Any message stops a finger check or an enrollment: that is how "Enter: password" works. It
      // also stops the wait for a sign-in or for a change.
      interrupt()
    }
    // Input after a message counts as complete until it is looked at.
    let isIncomplete = input.count > 0 && !hasMessage
    incompleteSince = isIncomplete ? incompleteSince ?? .now : nil
    return hasMessage
  }

  /// Whether a message waits that could be taken now.
  var hasTurn: Bool {
    // A caller that sends and does not read gets no work done.
    hasMessage && !isAnswering && outbox.count < Self.fullOutput
  }

  /// The next message, unless a call is running.
  ///
  /// The freed room is filled with input that was received earlier. No event reports that input.
  ///
  /// - Throws: an error for an invalid message.
  func takeMessage() throws(MessageError) -> Message? {
    guard hasTurn, let message = try nextMessage() else { return nil }
    _ = try look()
    isAnswering = true
    return message
  }

  private func nextMessage() throws(MessageError) -> Message? {
    let length = try input.messageCount() ?? 0
    if length <= Self.longestInPlace {
      let message = unsafe try input.next { bytes throws(MessageError) in
        if let usual = unsafe UsualTokenCall(bytes) { return Message.usualToken(usual) }
        guard length <= share.decodable else {
          return unsafe .undecoded(ReceivedMessage(copying: bytes, on: .vault))
        }
        share.decodable -= length
        return unsafe .call(ParsedCall(try VarlinkCall(decoding: bytes, on: .vault)))
      }
      if case .undecoded(let copy) = message { decoding = copy.footprint }
      return message
    }
    guard let message = try input.takeMessage() else { return nil }
    decoding = message.footprint
    return .undecoded(message)
  }

  /// The decoder has finished the message that it had.
  func finishDecoding() { decoding = 0 }

  // MARK: - The running call

  /// The vault gets the call, and may keep state for this connection.
  func hand(_ parsed: ParsedCall) {
    isKnownToVault = true
    isInterruptible = parsed.waitsForPerson
    isLasting = parsed.lasts
    isPassing = parsed.isPassing
  }

  /// Stops the running call if it waits for a person.
  ///
  /// Sending another message does not shorten other waits, such as the delay after a wrong
  /// password.
  func interrupt() {
    if isInterruptible { answer?.cancel() }
  }

  /// Stores the task that answers the call.
  ///
  /// A call that waits already stops it.
  func answering(_ task: Task<Void, Never>) {
    answer = task
    if hasMessage || hasSentAll { interrupt() }
  }

  /// The running call has its last reply.
  func finishCall() {
    isAnswering = false
    answer = nil
    isInterruptible = false
    isLasting = false
    isPassing = false
  }

  // MARK: - Output

  /// Appends a reply.
  ///
  /// Returns false if the caller does not read its replies.
  func queue(_ reply: Outbox.Part) -> Bool {
    outbox.add(reply, most: Self.mostOutput)
  }

  /// Sends the last reply at once, or queues it.
  ///
  /// Returns false if the socket is closed, or if the caller does not read its replies.
  func answerAtOnce(_ message: [UInt8]) -> Bool {
    finishCall()
    var sent = 0
    if outbox.isEmpty {
      let result: Result<Int?, SystemError> = unsafe message.withUnsafeBytes { bytes in
        Result { () throws(SystemError) in unsafe try peer.socket.send(bytes) }
      }
      guard let taken = try? result.get() else {
        guard case .success = result else { return false }
        return outbox.add(message[...], most: Self.mostOutput)
      }
      sent = taken
    }
    return sent == message.count || outbox.add(message[sent...], most: Self.mostOutput)
  }

  /// The events for which the socket must be watched, if they have changed.
  func takeInterest() -> (readable: Bool, writable: Bool)? {
    let wanted = (readable: wantsInput, writable: wantsOutput)
    guard wanted != watched else { return nil }
    watched = wanted
    return wanted
  }

  /// Writes as much as the socket takes.
  ///
  /// Returns false if the socket is closed.
  func flush() -> Bool {
    do throws(SystemError) {
      let isEmpty = unsafe try outbox.send { bytes throws(SystemError) in
        unsafe try peer.socket.send(bytes)
      }
      if isEmpty { tell(sent: true) }
      return true
    } catch {
      return false
    }
  }

  /// Registers a callback.
  ///
  /// The next `flush` that leaves no reply calls it.
  func notify(_ whenSent: @escaping @Sendable (Bool) -> Void) {
    self.whenSent.append(whenSent)
  }

  /// Ends all output.
  func giveUp() {
    // No other event would end such a call, or its result is not needed.
    if isLasting || isPassing { answer?.cancel() }
    tell(sent: false)
  }

  private func tell(sent: Bool) {
    let waiting = whenSent
    whenSent = []
    for callback in waiting { callback(sent) }
  }
}
