import Glibc
import JSON
import System
import TestSupport
import Testing

/// A person's desktop: a real notification server and a real pinentry, on a screen in memory.
final class Desk {
  private let driver: ScreenDriver
  private let logind: DesktopBus?
  /// The variables that a program of the desktop inherits.
  let variables: [String]

  /// Starts a desktop whose session logind knows as active.
  ///
  /// `bus` is a system bus where logind knows the session already; `nil` starts one.
  init(of person: Someone, bus: String? = nil) throws {
    let directory = person.base + "/desk"
    logind = try bus == nil ? DesktopBus(logind: true) : nil
    try logind?.act("seat_users({\(person.user.user): 'c1'})")
    driver = try ScreenDriver(
      "desk",
      of: "screen.py session.py notifications.py desk.py",
      as: person,
      in: directory,
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=\(directory)"],
      within: 600,
      errors: 2
    )
    variables = [
      "DISPLAY=" + (try driver.begun.string("display")),
      "DBUS_SESSION_BUS_ADDRESS=" + (try driver.begun.string("address")),
      "DBUS_SYSTEM_BUS_ADDRESS=" + (bus ?? logind?.address ?? ""),
      "XDG_RUNTIME_DIR=" + directory,
    ]
  }

  deinit { logind?.remove() }

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
  ///
  /// A picture that is not kept is a warning, because the server may close a notification earlier.
  func keepPicture(_ name: String) {
    guard let directory = ThisProcess.environment("THUMBLATCH_PICTURES") else { return }
    do {
      try run("desk.picture(\(quoted("\(directory)/\(name).png")))")
    } catch {
      Issue.record("no picture \(name): \(error)", severity: .warning)
    }
  }

  /// Expects that a program ends with an exit code and a text, and removes everything from the
  /// screen except this many notifications of others.
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
    // The notification closes with the check, and so does the password window.
    try self.run("desk.await_no_window()")
    try self.run("desk.await_open(\(others))")
  }

  /// Does something at the desk, as its driver names it.
  @discardableResult
  func run(_ expression: String) throws -> JSONValue { try driver.run(expression) }

  /// A text as Python writes it.
  func quoted(_ text: String) -> String { ScreenDriver.quoted(text) }
}
