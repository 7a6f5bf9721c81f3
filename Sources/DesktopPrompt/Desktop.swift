internal import LoginEvents
internal import System
internal import SystemBus

/// The desktop of the person that runs a program: its bus, and its display.
package struct Desktop: Sendable {
  /// The address of the session bus.
  let address: String
  /// The user of the session.
  let user: UInt32
  /// The whole environment of a program that opens a window, as `NAME=value`.
  let environment: [String]
}

extension Desktop {
  /// Finds the desktop of this process's user.
  ///
  /// logind decides whether the process belongs to an active, unlocked session at this machine. A
  /// variable of ssh refuses as well.
  ///
  /// - Parameter variable: a variable of the process's environment.
  /// - Throws: `notAtDesk`.
  package init(variable: (String) -> String?) throws(DesktopError) {
    if let name = Self.remoteVariable(variable) { throw .notAtDesk(reason: "\(name) is set") }
    user = ThisProcess.user
    try Self.demandSession(bus: variable("DBUS_SYSTEM_BUS_ADDRESS"))
    let runtime = Self.runtimeDirectory(variable)
    address = Self.sessionBus(variable)
    let shown = Self.displayNames.contains { variable($0) != nil }
    let told = shown ? [:] : Self.managersEnvironment(at: address)
    environment =
      [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=\(runtime)",
        "DBUS_SESSION_BUS_ADDRESS=\(address)",
      ]
      + Self.windowVariables { variable($0) ?? told[$0] }
  }

  /// The variables by which a program opens a window.
  ///
  /// Qt 5 looks for Wayland only if the type of the session says so, and ends without X11. A
  /// compositor that was started at a console has the type `tty`.
  static func windowVariables(_ variable: (String) -> String?) -> [String] {
    let names = displayNames + ["XAUTHORITY", "HOME", "XDG_SESSION_TYPE"]
    let isWayland = variable("WAYLAND_DISPLAY") != nil && variable("DISPLAY") == nil
    return names.compactMap { name in
      let value = isWayland && name == "XDG_SESSION_TYPE" ? "wayland" : variable(name)
      return value.map { "\(name)=\($0)" }
    }
  }

  private static func runtimeDirectory(_ variable: (String) -> String?) -> String {
    variable("XDG_RUNTIME_DIR") ?? "/run/user/\(ThisProcess.user)"
  }

  /// The address of the person's session bus.
  package static func sessionBus(_ variable: (String) -> String?) -> String {
    variable("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(runtimeDirectory(variable))/bus"
  }

  private static let displayNames = ["DISPLAY", "WAYLAND_DISPLAY"]

  /// The name of a variable that ssh has set; `nil` if there is none.
  ///
  /// A program that an editor runs over ssh may belong to the manager of the user, and not to the
  /// session of ssh. Then logind does not call it remote.
  package static func remoteVariable(_ variable: (String) -> String?) -> String? {
    ["SSH_CONNECTION", "SSH_TTY"].first { variable($0) != nil }
  }

  private static func demandSession(bus: String?) throws(DesktopError) {
    let location: LoginLocation
    do throws(LoginFailure) {
      location = try SessionLookup(address: bus).location(
        of: ThisProcess.identifier,
        user: ThisProcess.user
      )
    } catch {
      throw .notAtDesk(reason: "logind does not answer: \(error)")
    }
    if let objection = location.objection { throw .notAtDesk(reason: objection.rawValue) }
  }

  /// The environment that the desktop has passed to the user's service manager, for a process that
  /// inherited none of it.
  private static func managersEnvironment(at address: String) -> [String: String] {
    var found: [String: String] = [:]
    let answer = try? SystemBus(address).call(
      "org.freedesktop.systemd1",
      "/org/freedesktop/systemd1",
      SystemBus.properties,
      "Get",
      ["org.freedesktop.systemd1.Manager", "Environment"],
      within: BusLimit(milliseconds: 500)
    )
    let entries = try? answer?.variant("as") { () throws(BusError) in
      try answer?.texts(limit: 1000) ?? []
    }
    for entry in entries ?? [] {
      guard let equals = entry.firstIndex(of: "=") else { continue }
      found[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
    }
    return found
  }
}
