import Glibc
import JSON
import System
import TestSupport
import Testing

/// The example server, as the person runs it.
final class ExampleServerProcess {
  /// An answer of the server.
  struct Answer {
    let status: Int
    let headers: JSONObject
    let body: String

    func header(_ name: String) throws -> String? { try headers.optionalString(name) }
  }

  private(set) var port = 0
  /// The address that the server printed.
  private(set) var link = ""
  private let child: ChildProcess
  private let socket: Descriptor
  /// Everything that the server printed.
  private(set) var output = ""

  init(_ person: Someone, backend: String) throws {
    try shell(
      "install -m 755 \(BuiltPrograms.path("example-server")) \(person.programs)/example-server"
    )
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become + [person.programs + "/example-server", backend],
      environment: person.environment,
      descriptors: [-1, theirs.number, theirs.number]
    )
    _ = consume theirs
    var printed = ""
    while !printed.hasSuffix("\n") {
      guard try socket.waitReadable(milliseconds: 60_000) else {
        throw SystemError("example-server", code: ETIMEDOUT)
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe try chunk.withUnsafeMutableBytes { unsafe try socket.read(into: $0) }
      guard count > 0 else { throw SystemError("example-server", code: EPIPE, subject: printed) }
      printed += String(decoding: chunk[..<count], as: UTF8.self)
    }
    link = String(printed.dropFirst("open ".count).dropLast())
    let host = link.split(separator: "/").dropFirst().first ?? ""
    port = host.split(separator: ":").last.flatMap { Int($0) } ?? 0
    output = printed
  }

  deinit { end() }

  /// Ends the server, and returns its remaining output.
  @discardableResult
  func end() -> String {
    child.kill()
    _ = try? child.wait()
    output +=
      (try? socket.readAll(limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return output
  }

  /// Sends a request that a browser would not send.
  func ask(
    _ method: String,
    _ path: String,
    _ headers: [String] = [],
    body: String? = nil,
    length: Int? = nil
  ) throws -> Answer {
    let (text, end) = try IntegrationTests.output(
      of: "/usr/bin/python3",
      [BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/ask.py", "\(port)"]
        + [method, path] + headers + (body.map { ["--body", $0] } ?? [])
        + (length.map { ["--length", "\($0)"] } ?? [])
    )
    try #require(end == .exited(0), "\(text)")
    let found = try object(text)
    return Answer(
      status: Int(try found.integer("status")),
      headers: try found.object("headers"),
      body: try found.string("body")
    )
  }
}
