import Glibc
import System
import TestSupport
import Testing

/// The app, as the person runs it.
final class AppProcess {
  private let child: ChildProcess
  private let socket: Descriptor
  private var waiting: [UInt8] = []
  /// Whether the app had to show a prompt.
  private(set) var hasPrompted = false

  convenience init(_ person: Person) throws {
    try self.init(person, [person.backend.url, Someone.systemPassword])
  }

  /// One that signs in elsewhere, with these arguments, and has these variables.
  init(_ person: Someone, _ arguments: [String], variables: [String] = []) throws {
    try shell("install -m 755 \(BuiltPrograms.path("AppSession")) \(person.programs)/AppSession")
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become + [person.programs + "/AppSession"] + arguments,
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
  func run(_ command: String) throws -> String {
    try begin(command)
    return try outcome()
  }

  /// Has it begin something.
  func begin(_ command: String) throws { try socket.write(command + "\n") }

  /// The next step that it tells of.
  func step() throws -> String {
    let line = try readLine()
    try #require(line.hasPrefix("step "), "\(line)")
    return String(line.dropFirst(5))
  }

  /// What came of it.
  func outcome() throws -> String {
    while true {
      let line = try readLine()
      if line.hasPrefix("prompt ") { hasPrompted = true }
      if line.hasPrefix("done ") { return String(line.dropFirst(5)) }
      if line.hasPrefix("failed ") { return line }
    }
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
