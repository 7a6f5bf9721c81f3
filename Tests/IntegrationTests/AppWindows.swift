import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app of a person, on a screen in memory, as a screen reader finds it.
final class AppWindows {
  private let child: ChildProcess
  private let socket: Descriptor

  /// Starts the screen; `open` starts the app.
  ///
  /// `bus` is the system bus where logind knows the session of the person.
  init(of person: Someone, _ arguments: String..., bus: String? = nil) throws {
    let directory = person.base + "/screen"
    try shell("install -d -m 700 -o \(person.user.name) \(directory)")
    try shell(
      "install -m 755 \(BuiltPrograms.path("thumblatch-desktop")) \(person.programs)/"
    )
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    // The scratch user may not read the directory of the sources.
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    let driver = try shell("cd \(drivers) && cat screen.py session.py windows.py")
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/setpriv",
      arguments: person.become
        + [
          "/usr/bin/python3", "-B", "-c", driver, directory,
          person.programs + "/thumblatch-desktop",
        ]
        + arguments,
      environment: person.environment + (bus.map { ["DBUS_SYSTEM_BUS_ADDRESS=" + $0] } ?? []),
      descriptors: [theirs.number, theirs.number, -1]
    )
    guard try line()["ready"] == .boolean(true) else { throw SystemError("windows", code: EPROTO) }
  }

  deinit {
    // The driver ends at the end of its input.
    shutdown(socket.number, Int32(SHUT_WR))
    _ = try? child.wait()
  }

  /// Does something, as the driver names it.
  @discardableResult
  func run(_ expression: String) throws -> JSONValue {
    try socket.write("app.\(expression)\n")
    let object = try line()
    if case .string(let error)? = object["error"] {
      throw SystemError("windows", code: EPROTO, subject: "\(expression): \(error)")
    }
    return object["value"] ?? .null
  }

  /// Waits for a text on the screen.
  func sees(_ text: String, _ role: String? = nil) throws {
    try run("sees(\(quoted(text)), \(role.map(quoted) ?? "None"))")
  }

  /// Waits until no program on the accessibility bus finds a text.
  func misses(_ text: String) throws { try run("misses(\(quoted(text)))") }

  /// Presses a button.
  func press(_ name: String) throws { try run("press(\(quoted(name)))") }

  /// Keeps a picture of the screen in the directory that THUMBLATCH_PICTURES names, for a person to
  /// look at.
  func keepPicture(_ name: String) throws {
    guard let directory = ThisProcess.environment("THUMBLATCH_PICTURES") else { return }
    try run("picture(\(quoted("\(directory)/\(name).png")))")
  }

  private func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }

  private func line() throws -> JSONObject {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      guard try socket.waitReadable(milliseconds: 60_000) else {
        throw SystemError("windows", code: ETIMEDOUT)
      }
      let byte = try socket.read(atMost: 1)
      guard byte.count == 1 else { throw SystemError("windows", code: EPIPE) }
      bytes += byte
    }
    guard case .object(let object) = try JSONReader.read(bytes) else {
      throw SystemError("windows", code: EPROTO)
    }
    return object
  }
}
