import Glibc
import JSON
import System
import TestSupport
import Testing

/// A person's desktop: a real notification server and a real pinentry, on a screen in memory.
final class Desk {
  private let child: ChildProcess
  private let socket: Descriptor
  private let logind: DesktopBus?
  /// The variables that a program of the desktop inherits.
  let variables: [String]

  /// Starts a desktop whose session logind knows as active.
  ///
  /// `bus` is a system bus where logind knows the session already; `nil` starts one.
  init(of person: Someone, bus: String? = nil) throws {
    let directory = person.base + "/desk"
    try shell("install -d -m 700 -o \(person.user.name) \(directory)")
    logind = try bus == nil ? DesktopBus(logind: true) : nil
    try logind?.act("seat_users({\(person.user.user): 'c1'})")
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    // The scratch user may not read the directory of the sources.
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    let driver = try shell("cd \(drivers) && cat screen.py notifications.py desk.py")
    do {
      let theirs = Descriptor(owning: far)
      child = try ChildProcess(
        path: "/usr/bin/setpriv",
        arguments: person.become + ["/usr/bin/python3", "-B", "-c", driver, directory],
        environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=\(directory)"],
        descriptors: [theirs.number, theirs.number, 2]
      )
    }
    let object = try Self.object(from: socket)
    variables = [
      "DISPLAY=" + (try object.string("display")),
      "DBUS_SESSION_BUS_ADDRESS=" + (try object.string("address")),
      "DBUS_SYSTEM_BUS_ADDRESS=" + (bus ?? logind?.address ?? ""),
      "XDG_RUNTIME_DIR=" + directory,
    ]
  }

  deinit {
    // The driver ends at the end of its input.
    shutdown(socket.number, Int32(SHUT_WR))
    _ = try? child.wait()
    logind?.remove()
  }

  /// Locks the screen, for logind.
  func lock() throws { try logind?.act("set_session('c1', LockedHint=True)") }

  /// Waits for a notification with this text; returns its id.
  @discardableResult
  func sees(_ text: String, above count: Int64 = 0) throws -> Int64 {
    try notification(text, above: count).integer("id")
  }

  /// Waits for a notification with this text.
  func notification(_ text: String, above count: Int64 = 0) throws -> JSONObject {
    let found = try run("desk.await_shown(\(quoted(text)), \(count))")
    guard case .object(let object) = found else { throw SystemError("desk", code: EPROTO) }
    return object
  }

  /// The number of notifications and changes of them until now.
  func count() throws -> Int64 {
    guard case .integer(let count) = try run("desk.count()") else { return 0 }
    return count
  }

  /// Keeps a picture of the screen in the directory that THUMBLATCH_PICTURES names, for a person to
  /// look at.
  func keepPicture(_ name: String, hasButtons: Bool = true) {
    guard let directory = ThisProcess.environment("THUMBLATCH_PICTURES") else { return }
    _ = try? run(
      "desk.picture(\(quoted("\(directory)/\(name).png")), \(hasButtons ? "True" : "False"))"
    )
  }

  /// Expects that a program ends with an exit code and a text, and takes everything from the screen
  /// but so many notifications of others.
  func expectEnd(
    of run: Run,
    _ code: Int32,
    _ text: String,
    hiding secret: String,
    others: Int = 0
  ) throws {
    let shown = try run.text()
    #expect(try run.child.wait() == .exited(code), "\(shown)")
    #expect(shown.contains(text), "\(shown)")
    #expect(!shown.contains(secret))
    // The notification goes with the check, and so does the window of the password.
    try self.run("desk.await_no_window()")
    try self.run("desk.await_open(\(others))")
  }

  /// Does something at the desk, as its driver names it.
  @discardableResult
  func run(_ expression: String) throws -> JSONValue {
    try socket.write("\(expression)\n")
    let object = try Self.object(from: socket)
    if case .string(let error)? = object["error"] {
      throw SystemError("desk", code: EPROTO, subject: "\(expression): \(error)")
    }
    return object["value"] ?? .null
  }

  /// A text as Python writes it.
  func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }

  private static func object(from socket: borrowing Descriptor) throws -> JSONObject {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      guard try socket.waitReadable(milliseconds: 90_000) else {
        throw SystemError("desk", code: ETIMEDOUT)
      }
      var byte: UInt8 = 0
      let count = unsafe try withUnsafeMutableBytes(of: &byte) { unsafe try socket.read(into: $0) }
      guard count == 1 else { throw SystemError("desk", code: EPIPE) }
      bytes.append(byte)
    }
    guard case .object(let object) = try JSONReader.read(bytes) else {
      throw SystemError("desk", code: EPROTO)
    }
    return object
  }
}
