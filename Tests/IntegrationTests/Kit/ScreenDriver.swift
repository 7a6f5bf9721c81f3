import Glibc
import JSON
import System
import TestSupport

/// A driver in Python with a screen in memory: it carries out one line of input, and answers with
/// one line.
final class ScreenDriver {
  /// Its first line, when the screen is there.
  private(set) var begun = JSONObject()
  private let name: String
  private let seconds: Int32
  private let child: ChildProcess
  private let socket: Descriptor

  /// Starts the driver, made of these files, as a person, in a new directory of its own.
  ///
  /// `name` is its name in errors, `seconds` how long an answer may take, and `errors` the
  /// descriptor of its standard error.
  init(
    _ name: String,
    of files: String,
    as person: Someone,
    in directory: String,
    _ arguments: [String] = [],
    environment: [String],
    within seconds: Int32,
    errors: Int32
  ) throws {
    (self.name, self.seconds) = (name, seconds)
    try shell("install -d -m 700 -o \(person.user.name) \(directory)")
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    // The scratch user may not read the directory of the sources.
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    let driver = try shell("cd \(drivers) && cat \(files)")
    let theirs = Descriptor(owning: far)
    let words = person.running + ["/usr/bin/python3", "-B", "-c", driver, directory] + arguments
    child = try ChildProcess(
      path: words[0],
      arguments: Array(words.dropFirst()),
      environment: environment,
      descriptors: [theirs.number, theirs.number, errors]
    )
    _ = consume theirs
    begun = try line()
  }

  deinit {
    // The driver ends at the end of its input.
    shutdown(socket.number, Int32(SHUT_WR))
    _ = try? child.wait()
  }

  /// Does something, as the driver names it.
  func run(_ expression: String) throws -> JSONValue {
    try socket.write("\(expression)\n")
    let object = try line()
    if case .string(let error)? = object["error"] {
      throw SystemError(name, code: EPROTO, subject: "\(expression): \(error)")
    }
    return object["value"] ?? .null
  }

  /// A text as Python writes it.
  static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }

  private func line() throws -> JSONObject {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      guard try socket.waitReadable(milliseconds: seconds * 1000) else {
        throw SystemError(name, code: ETIMEDOUT)
      }
      let byte = try socket.read(atMost: 1)
      guard byte.count == 1 else { throw SystemError(name, code: EPIPE) }
      bytes += byte
    }
    guard case .object(let object) = try JSONReader.read(bytes) else {
      throw SystemError(name, code: EPROTO)
    }
    return object
  }
}
