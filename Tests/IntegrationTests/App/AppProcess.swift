import Glibc
import System
import TestSupport
import Testing

/// The AppSession program, as the person runs it.
final class AppProcess {
  private let child: ChildProcess
  private let socket: Descriptor
  private var waiting: [UInt8] = []
  /// Lines that the app has printed and the test has not read yet.
  private var heard: [String] = []
  /// The prompts that the app had to show.
  private(set) var prompts: [String] = []
  /// Whether the app had to show a prompt.
  var hasPrompted: Bool { !prompts.isEmpty }
  /// The process ID.
  var identifier: Int32 { child.identifier }

  /// Starts the app in the directory of the person's programs, or in another one.
  convenience init(_ person: Person, in directory: String? = nil) throws {
    try self.init(person, [person.backend.url, Someone.systemPassword], in: directory)
  }

  /// Starts an app that signs in elsewhere, with these arguments and environment variables.
  init(
    _ person: Someone,
    _ arguments: [String],
    variables: [String] = [],
    in directory: String? = nil
  ) throws {
    let place = directory ?? person.programs
    // Copy it once only: another app may be about to exec it.
    let program = place + "/AppSession"
    let built = BuiltPrograms.path("AppSession")
    try shell("[ -e \(program) ] || install -D -m 755 \(built) \(program)")
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let words = person.running + [program] + arguments
    child = try ChildProcess(
      path: words[0],
      arguments: Array(words.dropFirst()),
      environment: person.environment + variables,
      descriptors: [theirs.number, theirs.number, 2]
    )
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// The processes that the app has started and that still exist.
  var children: String {
    get throws {
      try shell("cat /proc/\(child.identifier)/task/*/children 2>/dev/null || true")
    }
  }

  /// Waits until the session is in this state.
  func state(_ state: String) throws {
    #expect(try run("await \(state)") == "")
  }

  /// Runs a command in the app, and returns its outcome.
  @discardableResult
  func run(_ command: String) throws -> String {
    try begin(command)
    return try outcome()
  }

  /// Begins a command in the app, without waiting for its outcome.
  func begin(_ command: String) throws { try socket.write(command + "\n") }

  /// The next step that the app reports.
  func step() throws -> String { try hear("step") }

  /// The outcome of the command.
  func outcome() throws -> String {
    while true {
      if let found = heard.firstIndex(where: { $0.hasPrefix("done ") || $0.hasPrefix("failed ") }) {
        let line = heard.remove(at: found)
        return line.hasPrefix("done ") ? String(line.dropFirst(5)) : line
      }
      try listen()
    }
  }

  /// Waits for a line that begins with this word, such as `prompt`, and returns its rest.
  @discardableResult
  func hear(_ beginning: String) throws -> String {
    while true {
      if let found = heard.firstIndex(where: { $0.hasPrefix(beginning + " ") }) {
        return String(heard.remove(at: found).dropFirst(beginning.count + 1))
      }
      try listen()
    }
  }

  /// Discards the unread lines and the prompts.
  func forget() {
    heard = []
    prompts = []
  }

  private func listen() throws {
    let line = try readLine()
    if line.hasPrefix("prompt ") { prompts.append(String(line.dropFirst(7))) }
    heard.append(line)
  }

  private func readLine() throws -> String {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: waiting[..<end], as: UTF8.self)
        waiting.removeFirst(end + 1)
        return line
      }
      guard try socket.waitReadable(milliseconds: 180_000) else {
        throw SystemError("app", code: ETIMEDOUT)
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe try chunk.withUnsafeMutableBytes { unsafe try socket.read(into: $0) }
      guard count > 0 else { throw SystemError("app", code: EPIPE) }
      waiting += chunk[..<count]
    }
  }
}
