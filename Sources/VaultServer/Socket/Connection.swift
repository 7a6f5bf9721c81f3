internal import System
internal import TokenVault
internal import VaultInterface

/// One caller's connection: bounded in what it may send ahead and what it may leave unread.
///
/// It belongs to the server's thread.
final class Connection {
  /// A message, as far as it was read when its turn came.
  enum Message {
    case usualToken(UsualTokenCall)
    case call(Question)
    /// One that the decoder is to read.
    case undecoded(ReceivedMessage)
  }

  /// What was told of the socket and is not looked at yet.
  struct Events {
    var isReadable = false
    var isWritable = false
  }

  /// With so many bytes of replies that wait to be read, no other call is begun.
  private static let fullOutput = 64 << 10
  /// Bytes of replies that may wait to be read.
  private static let mostOutput = 1 << 20
  /// The longest message that the server's thread itself decodes: 1/64 of what the longest may cost.
  static let longestInPlace = 1024

  /// The task that answers the call which was taken last.
  private var answer: Task<Void, Never>?

  let peer: Peer
  let number: UInt64
  /// Whether its user's name was compared.
  let recognition = Recognition()
  /// Whom it counts for.
  var share: Share
  /// What its user is here.
  var standing: Standing
  /// A call that waits until it is known what its user is.
  var held: Question?
  /// Whether it waits for its turn.
  var isQueued = false
  /// Whether it is none of the server's any more.
  var hasEnded = false
  var events = Events()
  private var input = MessageBuffer(.vault)
  /// Bytes of the message that the decoder has.
  private var decoding = 0
  /// Bytes that it holds, as they were counted last.
  private(set) var buffered = 0
  /// Whether a whole message waits for its turn; no input is wanted then.
  private(set) var hasMessage = false
  private(set) var isAnswering = false
  /// Whether a whole message has ever come.
  private(set) var hasCalled = false
  /// When the last whole message came, or the connection.
  private(set) var lastCall = BootInstant.now
  private var isInterruptible = false
  private var isLasting = false
  private var isPassing = false
  private var outbox = Outbox()
  /// Since when a message has been half sent.
  private(set) var incompleteSince: BootInstant?
  /// The same, when its deadline was noted.
  var notedSince: BootInstant?
  /// Whether the vault has heard of this connection.
  private(set) var isKnownToVault = false
  /// What the socket is watched for.
  private var watched = (readable: true, writable: false)
  private var whenSent: [@Sendable (Bool) -> Void] = []

  /// Takes a connection.
  init(_ peer: Peer, number: UInt64, share: Share, standing: Standing) {
    self.peer = peer
    self.number = number
    self.share = share
    self.standing = standing
  }

  /// Whose connection it is.
  var user: UInt32 { peer.credentials.user }

  /// Whether the process that connected still runs.
  var isPeerAlive: Bool { peer.isAlive }

  /// Whether a call is answered that somebody would miss, and whose end no person and no change is
  /// waited for.
  var isAtWork: Bool { isAnswering && !isInterruptible && !isLasting && !isPassing }

  /// Whether its caller waits for something that has begun.
  var isAtWorkForCaller: Bool { isAnswering && held == nil }

  /// Whether more input is taken; one that sends without waiting is held back.
  var wantsInput: Bool { !hasMessage }
  /// Whether replies wait to be written.
  var wantsOutput: Bool { !outbox.isEmpty }

  /// Counts anew what it holds; how much more than before.
  func recount() -> Int {
    let now = input.footprint + decoding + outbox.count
    defer { buffered = now }
    return now - buffered
  }

  // MARK: - What comes

  /// Reads what is there; false: the connection has ended, or made no sense.
  func receive() -> Bool {
    do {
      while !(try look()) {
        var lent = 0
        let received = unsafe try input.receive { room throws(SystemError) in
          lent = room.count
          // A descriptor that comes along is closed with what `receive` returned.
          return unsafe try peer.socket.receive(into: room)?.count ?? -1
        }
        guard let received else { return false }
        // The buffer counts "nothing there" (-1) and "the end" (0) as no bytes: ask which.
        if received == 0 { return !isAtEnd }
        // No more was there; what has come since then, the end too, is told anew.
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

  /// Whether a whole message has come, which is not read before its turn.
  ///
  /// What is made of it may be twenty times as large.
  private func look() throws(MessageError) -> Bool {
    hasMessage = try input.hasMessage()
    if hasMessage {
      hasCalled = true
      lastCall = .now
      // Any message stops a finger's check or an enrolment: that is "Enter: password". So it does the
      // wait for a login, or for a change.
      interrupt()
    }
    // What waits behind a message is whole, as far as anybody knows.
    let isIncomplete = input.count > 0 && !hasMessage
    incompleteSince = isIncomplete ? incompleteSince ?? .now : nil
    return hasMessage
  }

  /// Whether a message waits that could be taken now.
  var hasTurn: Bool {
    // One that sends and does not read is not worked for.
    hasMessage && !isAnswering && outbox.count < Self.fullOutput
  }

  /// The next message, if none is being answered.
  ///
  /// The room that it leaves is filled with what was received long ago: no event tells of that.
  ///
  /// - Throws: for a message that makes no sense.
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
        return unsafe .call(Question(try VarlinkCall(decoding: bytes, on: .vault)))
      }
      if case .undecoded(let copy) = message { decoding = copy.footprint }
      return message
    }
    guard let message = try input.takeMessage() else { return nil }
    decoding = message.footprint
    return .undecoded(message)
  }

  /// The decoder is done with the message that it had.
  func finishDecoding() { decoding = 0 }

  // MARK: - The call that is answered

  /// The call that was taken goes to the vault, which may keep something for this connection.
  func hand(_ question: Question) {
    isKnownToVault = true
    isInterruptible = question.waitsForPerson
    isLasting = question.lasts
    isPassing = question.isPassing
  }

  /// Stops the call that is being answered, where it waits for a person.
  ///
  /// Others, such as the delay after a wrong password, are not made shorter by sending something.
  func interrupt() {
    if isInterruptible { answer?.cancel() }
  }

  /// The task that answers the call which was just taken; a call that waits already stops it.
  func answering(_ task: Task<Void, Never>) {
    answer = task
    if hasMessage { interrupt() }
  }

  /// The call that was taken has its last reply.
  func finishCall() {
    isAnswering = false
    answer = nil
    isInterruptible = false
    isLasting = false
    isPassing = false
  }

  // MARK: - What goes

  /// Appends a reply; false if the caller does not read what it gets.
  func queue(_ reply: Outbox.Part) -> Bool {
    outbox.add(reply, most: Self.mostOutput)
  }

  /// Sends the last reply to the call that was taken, or has it wait; false if the socket takes
  /// nothing any more, or the caller does not read what it gets.
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

  /// What the socket is to be watched for, where it differs from what it is.
  func takeInterest() -> (readable: Bool, writable: Bool)? {
    let wanted = (readable: wantsInput, writable: wantsOutput)
    guard wanted != watched else { return nil }
    watched = wanted
    return wanted
  }

  /// Writes what the socket takes; false if it takes nothing any more.
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

  /// Has a callback told, by the next `flush` that leaves nothing, that all replies are sent.
  func notify(_ whenSent: @escaping @Sendable (Bool) -> Void) {
    self.whenSent.append(whenSent)
  }

  /// Nothing will be sent any more.
  func giveUp() {
    // Nothing else would end it, or nobody wants to know.
    if isLasting || isPassing { answer?.cancel() }
    tell(sent: false)
  }

  private func tell(sent: Bool) {
    let waiting = whenSent
    whenSent = []
    for callback in waiting { callback(sent) }
  }
}
