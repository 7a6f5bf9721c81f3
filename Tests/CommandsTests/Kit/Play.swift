import Glibc
import SecretMemory
import System
import TerminalIO
import TestSupport
import Testing
import VaultClient

@testable import Commands

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
  /// `script` is the other side, on its own thread. Without `input`, standard input is the
  /// terminal.
  static func run(
    _ words: [String],
    terminal hasTerminal: Bool = true,
    columns: UInt16 = 80,
    kind: String = "xterm",
    output kindOfOutput: StandardOutput = .pipe,
    input: [UInt8]? = nil,
    environment: [String: String] = [:],
    prepare: (Session) -> Void = { _ in },
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let terminal = try PseudoTerminal(columns: columns)
    let (client, engine) = try UnixSocket.pair()
    let (interrupt, key) = try UnixSocket.pair()
    let interruptOwner = Descriptor(owning: interrupt)
    let stage = Stage(terminal: terminal, engine: engine, interruptKey: key)
    let (out, talk, given) = (try Capture(), try Capture(), try GivenInput(input ?? []))
    let other = try kindOfOutput.open()
    let output = Output(
      json: words.contains("--json"),
      out: other?.number ?? out.writing.number,
      error: talk.writing.number,
      environment: { environment[$0] }
    )
    let programSide = try terminal.open()
    let second = try programSide.duplicate().relinquish()
    let thread = start(script, on: stage)
    let ends = Ends(client: client, terminal: second, interrupt: interruptOwner.number)
    let failure = failure(of: words) { arguments in
      let session = Session(
        arguments: arguments,
        output: output,
        interrupt: interruptOwner.number,
        environment: { environment[$0] },
        openTerminal: { hasTerminal ? ends.takeTerminal(kind: kind) : nil },
        connect: { () throws(VaultClientError) in try ends.connect() }
      )
      session.standardInput = input == nil ? ends.terminal : given.number
      prepare(session)
      return session
    }
    withExtendedLifetime(given) {}
    if let failure { output.fail(failure) }
    let ended = BootInstant.now
    ends.closeUnused()
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

  private static func start(
    _ script: @escaping @Sendable (Stage) throws -> Void,
    on stage: Stage
  ) -> BackgroundThread {
    BackgroundThread {
      do { try script(stage) } catch {
        stage.giveUp()
        throw error
      }
    }
  }

  /// Runs the verb of these words, and returns the error that ended it.
  private static func failure(
    of words: [String],
    in makeSession: (Arguments) -> Session
  ) -> CommandError? {
    do throws(CommandError) {
      guard case .run(let arguments) = try Arguments.parse(words, verbs: Program.verbs) else {
        throw CommandError(.usage, "no verb")
      }
      let session = makeSession(arguments)
      defer { session.hangUp() }
      try arguments.verb.run(session)
      return nil
    } catch {
      return error
    }
  }
}

/// The descriptors that the session may take, each of them once.
private final class Ends {
  private let client: Int32
  let terminal: Int32
  private let interrupt: Int32
  private var unused: Set<Int32>

  init(client: Int32, terminal: Int32, interrupt: Int32) {
    self.client = client
    self.terminal = terminal
    self.interrupt = interrupt
    unused = [client, terminal]
  }

  func takeTerminal(kind: String) -> Terminal {
    unused.remove(terminal)
    return Terminal(Descriptor(owning: terminal), kind: kind)
  }

  func connect() throws(VaultClientError) -> Connection {
    guard unused.remove(client) != nil else { throw .disconnected }
    return try Connection(Descriptor(owning: client), interrupt: interrupt)
  }

  func closeUnused() {
    for number in unused { close(number) }
  }
}

/// A file that holds what is given on standard input.
private final class GivenInput {
  private let file: MemoryFile
  var number: Int32 { file.descriptor.number }

  init(_ bytes: [UInt8]) throws {
    file = try MemoryFile()
    try file.descriptor.write(bytes)
    lseek(number, 0, SEEK_SET)
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
