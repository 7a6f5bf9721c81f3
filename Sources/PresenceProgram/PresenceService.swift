internal import FingerprintReader
internal import SecretMemory
internal import System
internal import SystemPassword
internal import UserNames
internal import VaultInterface

/// One conversation with the engine: its calls are taken one after the other, on one thread.
///
/// The reader and PAM work on threads of their own, and leave what happens in an inbox.
final class PresenceService {
  /// The most prints that one conversation brings.
  private static let mostPrints = 20
  /// How long a reader may take to be released after the socket has closed, in milliseconds.
  ///
  /// Longer than a driver gets that hangs, and shorter than the engine waits for the last event.
  private static let releaseTime: Int64 = 2300

  enum Running {
    case check(ReaderOperation<Verdict>)
    case enrolment(ReaderOperation<StoredPrint>)
    case facts
    case fingers
    case password(PasswordDialogue)
  }

  let reader: Reader
  let desktopPrints: DesktopPrints?
  private let stack: PasswordStack?
  private let users: ServedUsers
  let connection: HelperConnection
  let inbox: Inbox
  private let service = VarlinkServiceInfo(version: "1", interfaces: [.helper])

  private var prints: [StoredPrint] = []
  var running: Running?
  /// A call that came while another was at work, and made it end.
  private var held: VarlinkCall?
  var stage = 0
  var stages = 0
  private var hasRenounced = false

  init(
    _ socket: consuming Descriptor,
    reader: Reader,
    desktopPrints: DesktopPrints?,
    stack: PasswordStack?,
    users: ServedUsers
  ) throws(SystemError) {
    self.reader = reader
    self.desktopPrints = desktopPrints
    self.stack = stack
    self.users = users
    inbox = try Inbox()
    connection = HelperConnection(socket)
    try connection.watch(inbox.queue)
  }

  /// Works until the socket closes, then releases the reader.
  func serve() throws(SystemError) {
    while true {
      let isReadable = try inbox.wait(milliseconds: timeLeft())
      if isReadable, !connection.receive() { break }
      for event in inbox.take() { handle(event) }
      if timeLeft() == 0 { timeIsUp() }
      takeCalls()
      if connection.isBroken { break }
    }
    try release()
  }

  // MARK: calls

  private func takeCalls() {
    while !connection.isBroken {
      if running != nil {
        guard held == nil, let call = connection.nextCall() else { return }
        if answerQuestion(call) { continue }
        held = call
        // Whatever the engine says during a check means that it no longer waits for it.
        cancel()
        return
      }
      guard let call = held ?? connection.nextCall() else { return }
      held = nil
      handle(call)
    }
  }

  private func handle(_ call: VarlinkCall) {
    connection.begin(call)
    let subject = connection.subject(of: users)
    do throws(VarlinkError) {
      if let reply = try? service.reply(to: call) { return connection.reply(reply) }
      switch try HelperRequest(call) {
      case .loadPrint(let call): try load(call)
      case .check(let check): try begin(check, about: subject, more: call.more)
      case .enroll(let enrolment): try begin(enrolment, more: call.more)
      case .getReader: try askReader()
      case .listEnrolled: listEnrolled(of: subject)
      // There is no question.
      case .respond: throw .invalidParameter("text")
      case .exchange, .request: throw .methodNotImplemented(call.method)
      }
    } catch {
      connection.reply(error.reply)
    }
  }

  private func load(_ call: LoadPrintCall) throws(VarlinkError) {
    guard let finger = Finger(name: call.finger), prints.count < Self.mostPrints else {
      throw .invalidParameter("finger")
    }
    do throws(PrintFlaw) {
      prints.append(try StoredPrint(call.print, finger: finger))
    } catch {
      throw .invalidParameter("print")
    }
    connection.reply(EmptyReply())
  }

  private func begin(
    _ call: HelperCheckCall,
    about subject: UInt32?,
    more: Bool
  ) throws(VarlinkError) {
    guard (1...600_000).contains(call.timeout) else { throw .invalidParameter("timeout") }
    guard let subject else { return refuse(.denied, "it did not show whom the check is about") }
    switch call.presenceMethod {
    case .fingerprint:
      guard more else { throw .expectedMore }
      guard renounce() else { return refuse(.notAvailable, "privileges could not be given up") }
      let fingers = try desktopFingers(of: call)
      let inbox = inbox
      let operation = reader.check(
        prints + desktopPrints(of: call, subject),
        fingers: fingers,
        milliseconds: call.timeout
      ) {
        inbox.put(.check($0))
      }
      running = .check(operation)
      work { inbox.put(.verdict(result { () throws(ReaderError) in try operation.wait() })) }
    case .password:
      begin(passwordOf: call.user, subject, milliseconds: call.timeout)
    }
  }

  private func begin(passwordOf name: String?, _ subject: UInt32, milliseconds: Int) {
    // unix_chkpwd is setgid: an ordinary user's password is checked by it alone.
    guard !hasRenounced || ThisProcess.user == 0 else {
      return refuse(.notAvailable, "a password needs a process that has used no reader")
    }
    guard let stack else {
      return refuse(.notAvailable, "the PAM stack is missing, or others could change it")
    }
    var user = subject
    if let name, users == .own {
      guard let number = UserNames.user(named: name),
        number == ThisProcess.user || ThisProcess.user == 0
      else { return refuse(.denied, "the system refuses this user") }
      user = number
    }
    let inbox = inbox
    let dialogue = PasswordDialogue(milliseconds: milliseconds) { inbox.put(.question($0)) }
    let check = PasswordCheck(user: user, stack: stack)
    running = .password(dialogue)
    work {
      inbox.put(
        .password(
          result { () throws(PasswordError) in try check.run { dialogue.answer(to: $0) } }
        )
      )
    }
  }

  private func begin(_ call: HelperEnrollCall, more: Bool) throws(VarlinkError) {
    guard more else { throw .expectedMore }
    guard let finger = Finger(name: call.finger) else { throw .invalidParameter("finger") }
    guard (1...600_000).contains(call.timeout) else { throw .invalidParameter("timeout") }
    stage = 0
    stages = 0
    guard renounce() else {
      return reply(.failed(.notAvailable, detail: "privileges could not be given up"))
    }
    let inbox = inbox
    let operation = reader.enroll(finger, milliseconds: call.timeout) {
      inbox.put(.enroll($0))
    }
    running = .enrolment(operation)
    work { inbox.put(.enrolled(result { () throws(ReaderError) in try operation.wait() })) }
  }

  private func askReader() throws(VarlinkError) {
    guard renounce() else {
      return connection.reply(HelperReader(available: false, reason: "no privileges given up"))
    }
    let inbox = inbox
    // root may open every reader; for others only a try shows it.
    let operation = reader.facts(opening: ThisProcess.user != 0)
    running = .facts
    work { inbox.put(.facts(result { () throws(ReaderError) in try operation.wait() })) }
  }

  /// Takes an answer to an open question; false where the call is something else.
  private func answerQuestion(_ call: VarlinkCall) -> Bool {
    guard case .password(let dialogue) = running, dialogue.isAsking,
      call.method == HelperRespondCall.method,
      let answer = try? call.content(as: HelperRespondCall.self)
    else { return false }
    connection.begin(call)
    if dialogue.isExpired {
      refuse(.timedOut, nil)
      dialogue.give(nil)
    } else {
      dialogue.give(answer.text)
    }
    return true
  }

  // MARK: ends

  private func cancel() {
    switch running {
    case .check(let operation): operation.cancel()
    case .enrolment(let operation): operation.cancel()
    case .password(let dialogue): if dialogue.isAsking { dialogue.give(nil) }
    case .facts, .fingers, nil: break
    }
  }

  /// Milliseconds until a password check has taken too long; -1 is no end.
  private func timeLeft() -> Int32 {
    guard case .password(let dialogue) = running, !dialogue.isExpired else { return -1 }
    return dialogue.timeLeft
  }

  private func timeIsUp() {
    guard case .password(let dialogue) = running else { return }
    dialogue.expire()
    // While a question is open no call waits for a reply: the answer to it will get this one.
    guard !dialogue.isAsking else { return }
    // A module hangs, and cannot be interrupted: the process has to end.
    refuse(.timedOut, nil)
    connection.close()
  }

  /// Lets the reader go; PAM is left as it is, since nothing outlives this process.
  ///
  /// How a check ended is told all the same: the engine has closed its direction alone, and counts
  /// a finger that was seen before.
  private func release() throws(SystemError) {
    switch running {
    case .check, .enrolment, .facts: break
    case .fingers, .password, nil: return
    }
    cancel()
    let deadline = BootInstant.now.nanoseconds + Self.releaseTime * 1_000_000
    connection.ignore(inbox.queue)
    while true {
      let left = (deadline - BootInstant.now.nanoseconds) / 1_000_000
      guard left > 0 else { return }
      for event in inbox.take() {
        switch event {
        case .verdict(let result): return end(result)
        case .enrolled, .facts: return
        default: break
        }
      }
      _ = try inbox.wait(milliseconds: Int32(left))
    }
  }

  /// Makes sure that nothing this process executes from here on gains a privilege.
  func renounce() -> Bool {
    hasRenounced = hasRenounced || (try? ThisProcess.renouncePrivileges()) != nil
    return hasRenounced
  }

  /// Does work that waits, on a thread of its own.
  func work(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try startThread(body)
    } catch {
      // Without a thread nothing can be checked, and the reader may be armed.
      connection.close()
    }
  }
}

/// A result of a typed error.
func result<Value, Failure: Error>(
  _ body: () throws(Failure) -> Value
) -> Result<Value, Failure> {
  Result(catching: body)
}
