internal import Glibc
internal import System

/// The bus names of systemd-logind; org.freedesktop.login1(5).
enum Logind {
  static let name = "org.freedesktop.login1"
  static let root = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  static let session = "org.freedesktop.login1.Session"
  static let user = "org.freedesktop.login1.User"
  static let properties = "org.freedesktop.DBus.Properties"
  static let driver = "org.freedesktop.DBus"
  /// The address of the system bus.
  static let machineBus = "unix:path=/run/dbus/system_bus_socket"

  /// The unique name of logind on a bus.
  static func owner(_ bus: borrowing SystemBus) throws(LoginFailure) -> String {
    let answer: BusMessage
    do throws(SystemError) {
      answer = try bus.call(driver, "/", driver, "GetNameOwner", (name, nil, nil, nil))
    } catch {
      throw .noLogind(error)
    }
    let owner = try answer.text()
    // Another user that could take the name would call every session local, and never report a
    // locked screen.
    let reply: BusMessage
    do throws(SystemError) {
      reply = try bus.call(driver, "/", driver, "GetConnectionUnixUser", (owner, nil, nil, nil))
    } catch {
      throw .noLogind(error)
    }
    guard try reply.number() == 0 else {
      throw .noLogind(SystemError("GetConnectionUnixUser", code: EPERM))
    }
    return owner
  }
}
