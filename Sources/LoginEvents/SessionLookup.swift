package import System
internal import SystemBus

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

  /// How many parents of a process are looked at.
  private static let mostParents = 64

  private let logind: Logind

  /// Connects to the bus at an address; `nil` means the system bus.
  ///
  /// - Throws: the reason why logind cannot be asked.
  package init(address: String? = nil) throws(LoginFailure) {
    do throws(BusError) { logind = try Logind(address: address) } catch {
      throw LoginFailure(error)
    }
  }

  /// The location of a user's process.
  ///
  /// The process may end and its number be reused during the call. The holder of the process must
  /// check afterwards that it is still alive.
  ///
  /// - Throws: if logind does not answer, or its answer is invalid.
  package func location(of process: Int32, user: UInt32) throws(LoginFailure) -> LoginLocation {
    try location(of: process, user: user) { ControlGroup(process: $0) }
  }

  /// The same with another source of control groups.
  package func location(
    of process: Int32,
    user: UInt32,
    in findGroup: (_ process: Int32) -> ControlGroup?
  ) throws(LoginFailure) -> LoginLocation {
    do throws(BusError) {
      return try find(process, of: user, in: findGroup)
    } catch {
      throw LoginFailure(error)
    }
  }

  private func find(
    _ process: Int32,
    of user: UInt32,
    in findGroup: (_ process: Int32) -> ControlGroup?
  ) throws(BusError) -> LoginLocation {
    let number = UInt32(bitPattern: process)
    if let path = try path("GetSessionByPID", number, unless: Self.noSession) {
      return LoginLocation(try session(at: path), user: user)
    }
    let group = findGroup(process)
    guard group?.manager == user else { return LoginLocation(unit: group?.unit) }
    if let parent = Self.parent(of: process, outsideManagerOf: user, in: findGroup) {
      return try find(parent, of: user, in: findGroup)
    }
    // Most programs of a desktop, including its terminals, belong to the user's manager and to no
    // session. For these use the session that logind calls the user's display.
    guard let path = try display(of: user) else { return LoginLocation(unit: group?.unit) }
    return LoginLocation(try session(at: path), user: user)
  }

  /// The nearest parent of a process that the user's manager has not started; `nil` if it has
  /// started them all.
  ///
  /// `systemd-run --user --scope` moves a program of a session, such as one of ssh, into the
  /// manager.
  private static func parent(
    of process: Int32,
    outsideManagerOf user: UInt32,
    in findGroup: (_ process: Int32) -> ControlGroup?
  ) -> Int32? {
    var ancestry = Ancestry(of: process)
    for step in 1...mostParents {
      guard let parent = ancestry.entry(step)?.process, let group = findGroup(parent) else {
        return nil
      }
      if group.manager != user { return parent }
    }
    return nil
  }

  /// The path that a method of the manager answers; `nil` if it answers one of these errors.
  private func path(
    _ method: String,
    _ number: UInt32,
    unless absent: [String]
  ) throws(BusError) -> String? {
    do throws(BusError) {
      return try logind.call(method, number: number).text("o")
    } catch {
      if case .refused(let refusal) = error, absent.contains(refusal.name) { return nil }
      throw error
    }
  }

  private func session(at path: String) throws(BusError) -> UserSession {
    try UserSession(try logind.properties(of: path, Logind.session))
  }

  /// The path of the user's desktop session, or of the best other one; `nil` if there is none.
  private func display(of user: UInt32) throws(BusError) -> String? {
    guard let path = try path("GetUser", user, unless: Self.noUser) else { return nil }
    let answer = try logind.property("Display", of: path, Logind.user)
    guard try answer.enter("v", "(so)"), try answer.enter("r", "so") else { throw .notUnderstood }
    let identifier = try answer.text()
    let session = try answer.text("o")
    return identifier.isEmpty ? nil : session
  }
}
