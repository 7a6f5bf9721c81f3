internal import System
internal import TokenVault
internal import VaultInterface

/// One caller's connection: bounded in what it may send ahead and what it may leave unread.
///
/// It belongs to the server's thread.
final class Connection {
  /// A call as it was read.
  enum Call {
    case usualToken(UsualTokenCall)
    case other(VarlinkCall)
  }

  /// With so many bytes of replies that wait to be read, no other call is begun.
  private static let fullOutput = 64 << 10
  /// Bytes of replies that may wait to be read.
  private static let mostOutput = 1 << 20

  /// The task that answers the call which was taken last.
  private var answer: Task<Void, Never>?

  let peer: Peer
  let number: UInt64
  /// Whether its user's name was compared.
  let recognition = Recognition()
  private var input = MessageBuffer(.vault)
  /// Whether a whole message waits for its turn; no input is wanted then.
  private var hasMessage = false
  private(set) var isAnswering = false
  /// When something last came.
  private(set) var lastHeard = BootInstant.now
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
  init(_ peer: Peer, number: UInt64) {
    self.peer = peer
    self.number = number
  }

  /// Who asks; the program's name is looked up when it is needed, while the process lives.
  var caller: Caller {
    Caller(
      connection: number,
      user: peer.credentials.user,
      requester: Provenance.requester(of: peer.identifier),
      peer: peer,
      terminal: ProcessFacts(process: peer.identifier)?.terminal
    )
  }

  /// Whose connection it is.
  var user: UInt32 { peer.credentials.user }

  /// Whether the process that connected still runs.
  var isPeerAlive: Bool { peer.isAlive }

  /// Whether a call is answered that somebody would miss, and whose end no person and no change is
  /// waited for.
  var isAtWork: Bool { isAnswering && !isInterruptible && !isLasting && !isPassing }

  /// Whether more input is taken; one that sends without waiting is held back.
  var wantsInput: Bool { !hasMessage }
  /// Whether replies wait to be written.
  var wantsOutput: Bool { !outbox.isEmpty }

  /// Reads what is there; false: the connection has ended, or made no sense.
  func receive() -> Bool {
    lastHeard = .now
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
    // Any message stops a finger's check or an enrolment: that is "Enter: password". So it does the
    // wait for a login, or for a change.
    if hasMessage { interrupt() }
    // What waits behind a message is whole, as far as anybody knows.
    let isIncomplete = input.count > 0 && !hasMessage
    incompleteSince = isIncomplete ? incompleteSince ?? .now : nil
    return hasMessage
  }

  private func nextCall() throws(MessageError) -> Call? {
    unsafe try input.next { message throws(MessageError) in
      if let usual = unsafe UsualTokenCall(message) { return Call.usualToken(usual) }
      return unsafe .other(try VarlinkCall(decoding: message, on: .vault))
    }
  }

  /// The next call, if none is being answered.
  ///
  /// The room that it leaves is filled with what was received long ago: no event tells of that.
  ///
  /// - Throws: for a message that makes no sense.
  func takeCall() throws(MessageError) -> Call? {
    // One that sends and does not read is not worked for.
    guard !isAnswering, hasMessage, outbox.count < Self.fullOutput, let call = try nextCall()
    else { return nil }
    _ = try look()
    isAnswering = true
    return call
  }

  /// The call that was taken goes to the vault, which may keep something for this connection.
  func hand(_ call: VarlinkCall) {
    isKnownToVault = true
    isInterruptible = call.waitsForPerson
    isLasting = call.lasts
    isPassing = call.isPassing
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

  /// Appends a reply; false if the caller does not read what it gets.
  func queue(_ reply: VarlinkReply) -> Bool {
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

extension VarlinkCall {
  /// Whether the answer comes when somebody touches the reader, says yes at the provider, or
  /// changes something.
  fileprivate var waitsForPerson: Bool {
    switch method {
    case CheckCall.method:
      (try? content(as: CheckCall.self)).map {
        $0.presenceMethod == .fingerprint || $0.wait == true
      } ?? false
    case EnrollFingerCall.method, AwaitLoginCall.method, WatchCall.method: true
    default: false
    }
  }

  /// Whether the answer lasts as long as the connection.
  fileprivate var lasts: Bool { method == WatchCall.method }

  /// Whether it only looks at something for its caller, so that nobody misses it where that has gone.
  var isPassing: Bool {
    method == TestProviderCall.method || method == GetReaderCall.method
  }
}
