import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app of a person, on a screen in memory, as a screen reader finds it.
final class AppWindows {
  private let driver: ScreenDriver
  /// The directory of the person's session (XDG_RUNTIME_DIR).
  let session: String

  /// Starts the screen; `open` starts the app.
  ///
  /// `bus` is the system bus where logind knows the session of the person. The screen is that of
  /// X11, or of Wayland, with this size in pixels. With `isProbed` the app tells the faults of its
  /// layout.
  init(
    of person: Someone,
    _ arguments: String...,
    bus: String? = nil,
    onWayland isWayland: Bool = false,
    screen size: String = "1300x900",
    probed isProbed: Bool = false
  ) throws {
    let probe = isProbed ? ["LAYOUT_PROBE=" + (try LayoutProbe.library(of: person))] : []
    let program = person.programs + "/thumblatch-desktop"
    session = person.base + "/screen"
    driver = try ScreenDriver(
      "windows",
      of: "screen.py session.py starts.py focus.py prompts.py stalls.py layout.py windows.py",
      as: person,
      in: session,
      [program] + arguments,
      environment: person.environment + (bus.map { ["DBUS_SYSTEM_BUS_ADDRESS=" + $0] } ?? [])
        + ["XDG_SESSION_TYPE=" + (isWayland ? "wayland" : "x11"), "SCREEN_SIZE=" + size] + probe,
      within: 600,
      errors: -1
    )
    guard driver.begun["ready"] == .boolean(true) else {
      throw SystemError("windows", code: EPROTO)
    }
  }

  /// The same for a private vault, with a session of the person at this machine.
  convenience init(
    seating person: Someone,
    by bus: DesktopBus,
    onWayland isWayland: Bool = false,
    screen size: String = "1300x900",
    probed isProbed: Bool = false
  ) throws {
    try bus.act("seat_users({\(person.user.user): 'c1'})")
    try self.init(
      of: person,
      "--private",
      bus: bus.address,
      onWayland: isWayland,
      screen: size,
      probed: isProbed
    )
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

  /// Waits until a prompt is open whose text is not on the accessibility bus.
  ///
  /// Unlike `misses` it examines no other window, because a prompt ends after 30 seconds.
  func hides(_ text: String) throws { try run("hides(\(quoted(text)))") }

  /// Types the system password into the open prompt, where no other program can read it, and
  /// continues.
  func typePassword(_ password: String = Someone.systemPassword) throws {
    try run("answer(\(quoted(password)))")
  }

  /// Keeps a picture of the screen in the directory that THUMBLATCH_PICTURES names, for a person to
  /// look at.
  func keepPicture(_ name: String) {
    guard let directory = ThisProcess.environment("THUMBLATCH_PICTURES") else { return }
    do {
      try run("picture(\(quoted("\(directory)/\(name).png")))")
    } catch {
      Issue.record("no picture \(name): \(error)", severity: .warning)
    }
  }

  /// Expects that a screen reader can name each control.
  func expectNames() throws {
    let nameless = try run("nameless()")
    #expect(nameless == .array([]), "\(nameless)")
  }

  private func quoted(_ text: String) -> String { ScreenDriver.quoted(text) }
}
