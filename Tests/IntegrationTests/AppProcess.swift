import Glibc
import System
import TestSupport
import Testing

/// The app, as the person runs it.
final class AppProcess {
  private let child: ChildProcess
  private let socket: Descriptor
  private var waiting: [UInt8] = []
  /// What it said on the way, and nobody has heard yet.
  private var heard: [String] = []
  /// The prompts that the app had to show.
  private(set) var prompts: [String] = []
  /// Whether it had to show one.
  var hasPrompted: Bool { !prompts.isEmpty }
  /// The process.
  var identifier: Int32 { child.identifier }

  /// Starts it among the person's programs, or in another directory.
  convenience init(_ person: Person, in directory: String? = nil) throws {
    try self.init(person, [person.backend.url, Someone.systemPassword], in: directory)
  }

  /// One that signs in elsewhere, with these arguments, and has these variables.
  init(
    _ person: Someone,
    _ arguments: [String],
    variables: [String] = [],
    in directory: String? = nil
  ) throws {
    let place = directory ?? person.programs
    // Once: another one may be on its way to its exec.
    let program = place + "/AppSession"
    let built = BuiltPrograms.path("AppSession")
    try shell("[ -e \(program) ] || install -D -m 755 \(built) \(program)")
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become + [program] + arguments,
      environment: person.environment + variables,
      descriptors: [theirs.number, theirs.number, 2]
    )
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// What is left of the programs that it has started.
  var children: String {
    get throws {
      try shell("cat /proc/\(child.identifier)/task/*/children 2>/dev/null || true")
    }
  }

  /// Waits until the session stands so.
  func state(_ state: String) throws {
    #expect(try run("await \(state)") == "")
  }

  /// Has it do something; what came of it.
  @discardableResult
  func run(_ command: String) throws -> String {
    try begin(command)
    return try outcome()
  }

  /// Has it begin something.
  func begin(_ command: String) throws { try socket.write(command + "\n") }

  /// The next step that it tells of.
  func step() throws -> String { try hear("step") }

  /// What came of it.
  func outcome() throws -> String {
    while true {
      if let found = heard.firstIndex(where: { $0.hasPrefix("done ") || $0.hasPrefix("failed ") }) {
        let line = heard.remove(at: found)
        return line.hasPrefix("done ") ? String(line.dropFirst(5)) : line
      }
      try listen()
    }
  }

  /// Waits until it says something that begins so, such as `prompt`; the rest of it.
  @discardableResult
  func hear(_ beginning: String) throws -> String {
    while true {
      if let found = heard.firstIndex(where: { $0.hasPrefix(beginning + " ") }) {
        return String(heard.remove(at: found).dropFirst(beginning.count + 1))
      }
      try listen()
    }
  }

  /// Forgets what nobody has heard, and the prompts.
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
      guard try socket.waitReadable(milliseconds: 60_000) else {
        throw SystemError("app", code: ETIMEDOUT)
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe try chunk.withUnsafeMutableBytes { unsafe try socket.read(into: $0) }
      guard count > 0 else { throw SystemError("app", code: EPIPE) }
      waiting += chunk[..<count]
    }
  }
}
