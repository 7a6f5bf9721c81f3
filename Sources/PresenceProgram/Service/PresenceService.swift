internal import FingerprintReader
internal import HelperInterface
internal import PresenceTerms
internal import SecretMemory
internal import SecurityKey
internal import System
internal import SystemPassword
internal import UserNames
internal import Varlink

/// One connection with the engine; its calls are handled in sequence on one thread.
///
/// The reader and PAM use their own threads and put their events into an inbox.
final class PresenceService {
  /// How long the last event may take after the socket has closed, in milliseconds.
  ///
  /// It is longer than the limit of a hanging driver, and shorter than the engine's wait for that
  /// event.
  private static let lastEventTime: Int64 = 8300
  /// How long the reader may then take until it is released, in milliseconds: a finger that did not
  /// match is lifted first.
  private static let releaseTime: Int32 = 13_000
  /// How long the deletion of an unkept print may take, in milliseconds.
  private static let deletionTime = 10_000

  enum Running {
    case check(ReaderOperation<Verdict>)
    case enrollment(ReaderOperation<StoredPrint>)
    case deletion(ReaderOperation<[Deletion]>)
    case look
    case fingers
    case password(PasswordDialogue)
    case key(KeyUse)

    /// The dialogue that has a time limit of its own.
    var dialogue: PasswordDialogue? {
      switch self {
      case .password(let dialogue): dialogue
      case .key(let use): use.dialogue
      case .check, .enrollment, .deletion, .look, .fingers: nil
      }
    }
  }

  let reader: Reader
  let desktopPrints: DesktopPrints?
  let keys: KeyNodes
  private let stack: PasswordStack?
  private let users: ServedUsers
  let connection: HelperConnection
  let inbox: Inbox
  private let service = VarlinkServiceInfo(version: "1", interfaces: [.helper])

  var prints: [StoredPrint] = []
  var former: [StoredPrint] = []
  /// The enrolled print that the engine has not confirmed to keep.
  var unkept: StoredPrint?
  var mustKeep = false
  /// The facts about the open reader.
  var armed: ReaderFacts?
  var running: Running?
  /// The messages of PAM's modules in the present check.
  var words: ModuleWords?
  /// When the waiting messages are reported; `nil` if none waits.
  var messagesDue: BootInstant?
  /// The call that came during another one and cancelled it.
  private var held: VarlinkCall?
  var stage = 0
  var stages = 0
  private var hasRenounced = false

  init(
    _ socket: consuming Descriptor,
    reader: Reader,
    desktopPrints: DesktopPrints?,
    keys: KeyNodes,
    stack: PasswordStack?,
    users: ServedUsers
  ) throws(SystemError) {
    self.reader = reader
    self.keys = keys
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
      let isReadable = try inbox.wait(milliseconds: longestWait)
      if isReadable, !connection.receive() { break }
      for event in inbox.take() { handle(event) }
      reportDueMessages()
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
        // Any call during a check means that the engine no longer waits for the check.
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
    do throws(VarlinkError) {
      if let reply = try? service.reply(to: call) { return connection.reply(reply) }
      switch try HelperRequest(call) {
      case .loadPrint(let call): try load(call)
      case .check(let check): try begin(check, about: subject(), more: call.more)
      case .enroll(let enrollment): try begin(enrollment, more: call.more)
      case .keep:
        unkept = nil
        connection.reply(EmptyReply())
      case .deletePrints(let deletion): try begin(deletion)
      case .getReader: askReader()
      case .listEnrolled(let question): listEnrolled(of: subject(), starting: question.start)
      // No question is open.
      case .respond: throw .invalidParameter("text")
      case .exchange, .proceed, .request, .getTPM, .sealSecret, .openSecret, .defineCounter,
        .readCounter, .incrementCounter, .confirmCounter, .removeCounter, .getKey, .makeKeySecret,
        .openKeySecret:
        throw .methodNotImplemented(call.method)
      }
    } catch {
      connection.reply(error.reply)
    }
  }

  /// The user of a call.
  ///
  /// Only a call that needs it may take the connection that the engine lends: earlier calls may
  /// have come in the same read.
  private func subject() -> UInt32? { connection.subject(of: users) }

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
      guard let desktop = desktopPrints(of: call, subject) else {
        return refuse(.notEnrolled, "the desktop's fingers have changed")
      }
      let inbox = inbox
      let operation = reader.check(
        prints + desktop,
        fingers: fingers,
        first: call.firstFinger.flatMap(Finger.init(name:)),
        milliseconds: call.timeout,
        report: { inbox.put(.check($0)) },
        seen: { inbox.put(.seen($0)) }
      )
      running = .check(operation)
      work { inbox.put(.verdict(Result { () throws(ReaderError) in try operation.wait() })) }
    case .key: try begin(key: call, more: more)
    case .password:
      begin(passwordOf: call.user, subject, milliseconds: call.timeout)
    }
  }

  private func begin(passwordOf name: String?, _ subject: UInt32, milliseconds: Int) {
    // unix_chkpwd is setgid: only it can check an ordinary user's password.
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
    let words = ModuleWords { inbox.put(.said) }
    let check = PasswordCheck(user: user, stack: stack)
    (running, self.words, messagesDue) = (.password(dialogue), words, nil)
    work {
      inbox.put(
        .password(
          Result { () throws(PasswordError) in
            try check.run(words: words) { dialogue.answer(to: $0) }
          }
        )
      )
    }
  }

  private func askReader() {
    guard renounce() else {
      return connection.reply(HelperReader(available: false, reason: "no privileges given up"))
    }
    let (inbox, reader) = (inbox, reader)
    running = .look
    work { inbox.put(.look(reader.look())) }
  }

  /// Handles an answer to an open question; false for any other call.
  private func answerQuestion(_ call: VarlinkCall) -> Bool {
    guard let dialogue = running?.dialogue, dialogue.isAsking,
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

  // MARK: end

  /// Releases the reader.
  ///
  /// PAM needs no end, because it ends with this process.
  ///
  /// The result of a check is still reported. The engine has closed only its own direction, and
  /// counts a finger that was already seen.
  private func release() throws(SystemError) {
    connection.ignore(inbox.queue)
    switch running {
    case .check, .enrollment, .deletion, .key:
      cancel()
      try awaitLastEvent()
    case .look, .fingers, .password, nil: break
    }
    if let unkept {
      // The finished print is not stored in a vault, so the reader would match a finger that no
      // check knows.
      _ = try? reader.delete([unkept], milliseconds: Self.deletionTime).wait()
    }
    reader.waitUntilReleased(milliseconds: Self.releaseTime)
  }

  private func awaitLastEvent() throws(SystemError) {
    let deadline = BootInstant.now.nanoseconds + Self.lastEventTime * 1_000_000
    while true {
      let left = (deadline - BootInstant.now.nanoseconds) / 1_000_000
      guard left > 0 else { return }
      for event in inbox.take() {
        switch event {
        case .verdict, .enrolled, .deleted, .key: return handle(event)
        default: break
        }
      }
      _ = try inbox.wait(milliseconds: Int32(left))
    }
  }

  /// Prevents every program that this process executes from here on from gaining privileges.
  func renounce() -> Bool {
    hasRenounced = hasRenounced || (try? ThisProcess.renouncePrivileges()) != nil
    return hasRenounced
  }

  /// Runs blocking work on a separate thread.
  func work(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try startThread(body)
    } catch {
      // Without a thread no check is possible, and the reader may be armed.
      connection.close()
    }
  }
}
