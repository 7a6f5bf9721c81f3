package import System

/// Asks systemd-logind for the locations of processes, over one bus connection and on one thread.
///
/// The facts come from logind and the kernel, never from the process: its environment
/// (`XDG_SESSION_ID`, `XDG_SEAT`) is ignored.
package struct SessionLookup: ~Copyable {
  // The names of logind's errors: org.freedesktop.login1(5).
  private static let noSession = [
    "org.freedesktop.login1.NoSessionForPID", "org.freedesktop.login1.NoSuchSession",
  ]
  private static let noUser = [
    "org.freedesktop.login1.NoSuchUser", "org.freedesktop.login1.NoUserForPID",
  ]

  private let bus: SystemBus
  /// The unique name of logind.
  private let owner: String

  /// Connects to the bus at an address; `nil` means the system bus.
  ///
  /// - Throws: the reason why logind cannot be asked.
  package init(address: String? = nil) throws(LoginFailure) {
    let bus = try SystemBus(address ?? Logind.machineBus)
    let owner = try Logind.owner(bus)
    self.bus = bus
    self.owner = owner
  }

  /// The location of a user's process.
  ///
  /// The process may end and its number be reused during the call. The holder of the process must
  /// check afterwards that it is still alive.
  ///
  /// - Throws: if logind does not answer, or its answer is invalid.
  package func place(of process: Int32, user: UInt32) throws(LoginFailure) -> LoginLocation {
    try place(of: process, user: user) { ControlGroup(process: process) }
  }

  /// The same for a process whose control group is known.
  package func place(
    of process: Int32,
    user: UInt32,
    in findGroup: () -> ControlGroup?
  ) throws(LoginFailure) -> LoginLocation {
    if let path = try path("GetSessionByPID", UInt32(bitPattern: process), Self.noSession) {
      return LoginLocation(try session(at: path), user: user)
    }
    let group = findGroup()
    // Most programs of a desktop, including its terminals, belong to the user's manager and to no
    // session. For these use the session that logind calls the user's display.
    if let group, group.manager == user, let path = try display(of: user) {
      return LoginLocation(try session(at: path), user: user)
    }
    return LoginLocation(unit: group?.unit)
  }

  private func path(
    _ member: String,
    _ number: UInt32,
    _ absent: [String]
  ) throws(LoginFailure) -> String? {
    let answer: BusMessage?
    do throws(SystemError) {
      answer = try bus.call(
        owner,
        Logind.root,
        Logind.manager,
        member,
        number: number,
        absent: absent
      )
    } catch {
      throw .noLogind(error)
    }
    guard let answer else { return nil }
    return try answer.text("o")
  }

  private func properties(
    of interface: String,
    _ member: String,
    at path: String,
    _ name: String? = nil
  ) throws(LoginFailure) -> BusMessage {
    do throws(SystemError) {
      return try bus.call(owner, path, Logind.properties, member, (interface, name, nil, nil))
    } catch {
      throw .noLogind(error)
    }
  }

  private func session(at path: String) throws(LoginFailure) -> UserSession {
    try UserSession(try properties(of: Logind.session, "GetAll", at: path))
  }

  /// The path of the user's desktop session, or of the best other one; `nil` if there is none.
  private func display(of user: UInt32) throws(LoginFailure) -> String? {
    guard let path = try path("GetUser", user, Self.noUser) else { return nil }
    let answer = try properties(of: Logind.user, "Get", at: path, "Display")
    guard try answer.enter("v", "(so)"), try answer.enter("r", "so") else { throw .notUnderstood }
    let identifier = try answer.text()
    let session = try answer.text("o")
    return identifier.isEmpty ? nil : session
  }
}
