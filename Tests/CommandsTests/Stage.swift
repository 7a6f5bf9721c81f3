import Glibc
import JSON
import PresenceTerms
import SecretMemory
import System
import TerminalIO
import TestSupport
import Testing
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

/// The other side of a test while a verb runs: the engine and the person, in one script.
final class Stage: @unchecked Sendable {
  let terminal: PseudoTerminal
  private let engine: Descriptor
  private var buffer = MessageBuffer(.vault)
  private let interruptKey: Descriptor
  private(set) var interruptedAt: BootInstant?
  /// Whether the last call says that the person can be asked.
  private(set) var saysItAsks: Bool?
  /// How often each question was answered.
  private var answers: [String: Int] = [:]

  init(terminal: PseudoTerminal, engine: Int32, interruptKey: Int32) {
    self.terminal = terminal
    self.engine = Descriptor(owning: engine)
    self.interruptKey = Descriptor(owning: interruptKey)
  }

  /// Waits for a call of this method.
  func expect<Method: VarlinkMethod>(_ method: Method.Type) throws -> Method {
    try call(method).content()
  }

  /// Waits for a call of this method, and records separately whether it says that the person can be
  /// asked.
  func expect<Method: AskingMethod>(_ method: Method.Type) throws -> Method {
    var content: Method = try call(method).content()
    saysItAsks = content.ask
    content.ask = nil
    return content
  }

  /// Waits for a call of this method, with its flags.
  func call<Method: VarlinkMethod>(_ method: Method.Type) throws -> VarlinkCall {
    while true {
      if let call = try buffer.nextCall() {
        guard call.method == Method.method else {
          throw SystemError("\(call.method) came", code: EPROTO, subject: Method.method)
        }
        return call
      }
      guard try engine.waitReadable(milliseconds: 60_000) else {
        throw SystemError("no call came", code: ETIMEDOUT, subject: Method.method)
      }
      let count = unsafe try buffer.receive { unsafe try engine.receive(into: $0)?.count ?? 0 }
      if count == 0 { throw SystemError("the client hung up", code: EPIPE) }
    }
  }

  /// Waits until the client hangs up.
  func expectEnd() throws {
    guard try engine.waitReadable(milliseconds: 60_000) else {
      throw SystemError("the client stays", code: ETIMEDOUT)
    }
    var byte = [UInt8](repeating: 0, count: 1)
    let result: Result<Int, SystemError> = unsafe byte.withUnsafeMutableBytes { space in
      Result { () throws(SystemError) in try unsafe engine.read(into: space) }
    }
    if (try? result.get()) ?? 0 > 0 { throw SystemError("the client goes on", code: EPROTO) }
  }

  /// Hangs up, as an engine does that ends.
  func hangUp() {
    engine.shutDown()
  }

  /// Hangs up and presses Ctrl-C, so that a verb does not wait for a script that has failed.
  func giveUp() {
    hangUp()
    try? interruptKey.write([1])
  }

  func reply(_ content: some VarlinkRecord, continues: Bool = false) throws {
    try send(try VarlinkReply(content, continues: continues))
  }

  func fail(_ error: VaultError) throws {
    try send(try error.reply)
  }

  /// Answers a query about one account.
  func knowAccount(_ account: VaultAccount) throws {
    let call = try expect(GetAccountCall.self)
    guard call.account != nil else { throw SystemError("no account is named", code: EPROTO) }
    try reply(GetAccountReply(account: account))
  }

  /// Answers a query about all accounts.
  func knowAccounts(_ accounts: [VaultAccount]) throws {
    let call = try call(GetAccountCall.self)
    guard call.more else { throw SystemError("not all are asked for", code: EPROTO) }
    for (index, account) in accounts.enumerated() {
      try reply(GetAccountReply(account: account), continues: index + 1 < accounts.count)
    }
  }

  /// Sends bytes that are not a message of the protocol.
  func sendRaw(_ bytes: [UInt8]) throws {
    try engine.write(bytes)
  }

  /// Types an answer once the screen shows a question, or shows it again.
  func answer(_ question: String, _ text: String) throws {
    answers[question, default: 0] += 1
    try terminal.waitFor(question, times: answers[question] ?? 1)
    try terminal.type(text + "\n")
  }

  /// Presses Ctrl-C.
  func interrupt() throws {
    interruptedAt = BootInstant.now
    try interruptKey.write([1])
  }

  /// Answers a message that needs a presence check.
  func needPresence(
    _ purpose: PresencePurpose = .refresh,
    methods: [PresenceMethod] = [.fingerprint, .password],
    requester: String = "bash, PID 4211",
    timeout: Int = 30,
    detail: String? = nil,
    reason: String? = nil
  ) throws {
    try fail(
      .presenceNeeded(
        PresenceRequest(
          prompt: "p1",
          requester: requester,
          account: "me",
          purpose: purpose,
          detail: detail,
          methods: methods,
          timeout: timeout,
          reason: reason
        )
      )
    )
  }

  private func send(_ reply: VarlinkReply) throws {
    let message = try reply.encoded(on: .vault)
    try unsafe message.withUnsafeBytes { bytes throws(SystemError) in
      unsafe try engine.write(bytes)
    }
  }
}

/// One run of a verb against a script, and its result.
struct Play {
  let code: ExitCode
  let error: CommandError?
  /// Standard output.
  let out: String
  /// Standard error.
  let talk: String
  /// The whole output on the terminal.
  let screen: String
  /// Whether the terminal echoes again.
  let echoes: Bool
  /// Milliseconds from Ctrl-C to the end of the verb.
  let millisecondsAfterInterrupt: Int64?

  /// Runs a verb that Ctrl-C ends, and repeats it if the machine was slow.
  ///
  /// The fastest of ten runs shows the time of the verb itself.
  static func interrupted(
    _ words: [String],
    environment: [String: String] = [:],
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    var play = try run(words, environment: environment, script: script)
    for _ in 1..<10 {
      guard let taken = play.millisecondsAfterInterrupt, taken > 100 else { break }
      play = try run(words, environment: environment, script: script)
    }
    return play
  }

  /// Runs `thumblatch` with these words.
  ///
  /// `script` is the other side, on its own thread.
  static func run(
    _ words: [String],
    terminal hasTerminal: Bool = true,
    columns: UInt16 = 80,
    kind: String = "xterm",
    output kindOfOutput: StandardOutput = .pipe,
    environment: [String: String] = [:],
    prepare: (Session) -> Void = { _ in },
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let terminal = try PseudoTerminal(columns: columns)
    let (client, engine) = try UnixSocket.pair()
    let (interrupt, key) = try UnixSocket.pair()
    let interruptOwner = Descriptor(owning: interrupt)
    let stage = Stage(terminal: terminal, engine: engine, interruptKey: key)
    let out = try Capture()
    let talk = try Capture()
    let other = try kindOfOutput.open()
    let output = Output(
      json: words.contains("--json"),
      out: other?.number ?? out.writing.number,
      error: talk.writing.number,
      environment: { environment[$0] }
    )
    let programSide = try terminal.open()
    let second = try programSide.duplicate().relinquish()
    let thread = BackgroundThread {
      do { try script(stage) } catch {
        stage.giveUp()
        throw error
      }
    }
    var failure: CommandError?
    var unused: Set = [client, second]
    do throws(CommandError) {
      guard case .run(let arguments) = try Arguments.parse(words, verbs: Program.verbs) else {
        throw CommandError(.usage, "no verb")
      }
      let session = Session(
        arguments: arguments,
        output: output,
        interrupt: interruptOwner.number,
        environment: { environment[$0] },
        openTerminal: {
          guard hasTerminal else { return nil }
          unused.remove(second)
          return Terminal(Descriptor(owning: second), kind: kind)
        },
        connect: { () throws(VaultClientError) in
          guard unused.remove(client) != nil else { throw .disconnected }
          return try Connection(Descriptor(owning: client), interrupt: interruptOwner.number)
        }
      )
      prepare(session)
      defer { session.hangUp() }
      try arguments.verb.run(session)
    } catch {
      failure = error
      output.fail(error)
    }
    let ended = BootInstant.now
    for number in unused { close(number) }
    if let problem = thread.join() { Issue.record("the script failed: \(problem)") }
    terminal.look()
    return Play(
      code: failure?.code ?? .done,
      error: failure,
      out: other?.text ?? out.text(),
      talk: talk.text(),
      screen: terminal.screen,
      echoes: try terminal.echoes(),
      millisecondsAfterInterrupt: stage.interruptedAt.map {
        (ended.nanoseconds - $0.nanoseconds) / 1_000_000
      }
    )
  }
}

/// The kind of standard output of a verb.
enum StandardOutput {
  case pipe, terminal
  /// A file on a full disk.
  case full

  /// An open output of this kind; `nil` for a pipe.
  final class Opened {
    private let terminal: PseudoTerminal?
    private let descriptor: Descriptor
    var number: Int32 { descriptor.number }

    init(_ terminal: PseudoTerminal?, _ descriptor: consuming Descriptor) {
      self.terminal = terminal
      self.descriptor = descriptor
    }

    /// What was written so far.
    var text: String {
      terminal?.look()
      return terminal?.screen ?? ""
    }
  }

  func open() throws -> Opened? {
    switch self {
    case .pipe: return nil
    case .terminal:
      let terminal = try PseudoTerminal(columns: 10_000)
      return Opened(terminal, try terminal.open())
    case .full:
      return Opened(nil, Descriptor(owning: unsafe Glibc.open("/dev/full", O_WRONLY | O_CLOEXEC)))
    }
  }
}

/// Collects output to a descriptor, up to some kilobytes.
private final class Capture {
  let writing: Descriptor
  private let reading: Descriptor

  init() throws {
    let (first, second) = try UnixSocket.pair()
    reading = Descriptor(owning: first)
    writing = Descriptor(owning: second)
    try reading.setNonblocking(true)
  }

  func text() -> String {
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let result: Result<Int, SystemError> = unsafe chunk.withUnsafeMutableBytes { space in
        Result { () throws(SystemError) in try unsafe reading.read(into: space) }
      }
      guard let count = try? result.get(), count > 0 else { break }
      text += chunk.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
