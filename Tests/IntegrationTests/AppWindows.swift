import Glibc
import JSON
import System
import TestSupport
import Testing

extension Someone {
  /// Starts an engine that asks the test's logind; a client starts one that asks the machine's.
  func startEngine(asking bus: DesktopBus) throws {
    let start = try shell(
      """
      rm -f \(home)/report; mkfifo \(home)/report
      DBUS_SYSTEM_BUS_ADDRESS=\(bus.address) setsid \(programs)/thumblatchd --private \
        </dev/null >/dev/null 2>&1 3<\(state) 4>\(home)/report &
      head -c 1 \(home)/report
      """
    )
    try #require(try start.succeeded() == "L")
  }
}

/// The desktop app of a person, on a screen in memory, as a screen reader finds it.
final class AppWindows {
  private let driver: ScreenDriver

  /// Starts the screen; `open` starts the app.
  ///
  /// `bus` is the system bus where logind knows the session of the person.
  init(of person: Someone, _ arguments: String..., bus: String? = nil) throws {
    let program = person.programs + "/thumblatch-desktop"
    try shell("install -m 755 \(BuiltPrograms.path("thumblatch-desktop")) \(person.programs)/")
    driver = try ScreenDriver(
      "windows",
      of: "screen.py session.py starts.py prompts.py stalls.py windows.py",
      as: person,
      in: person.base + "/screen",
      [program] + arguments,
      environment: person.environment + (bus.map { ["DBUS_SYSTEM_BUS_ADDRESS=" + $0] } ?? []),
      within: 60,
      errors: -1
    )
    guard driver.begun["ready"] == .boolean(true) else {
      throw SystemError("windows", code: EPROTO)
    }
  }

  /// The same for a private vault, with a session of the person at this machine.
  convenience init(seating person: Someone, by bus: DesktopBus) throws {
    try bus.act("seat_users({\(person.user.user): 'c1'})")
    try self.init(of: person, "--private", bus: bus.address)
  }

  /// Does something, as the driver names it.
  @discardableResult
  func run(_ expression: String) throws -> JSONValue { try driver.run("app.\(expression)") }

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

  /// Expects that a screen reader can name each control.
  func expectNames() throws {
    let nameless = try run("nameless()")
    #expect(nameless == .array([]), "\(nameless)")
  }

  private func quoted(_ text: String) -> String { ScreenDriver.quoted(text) }
}
