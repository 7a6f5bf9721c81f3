internal import System
internal import SystemBus

/// The programs that call the Secret Service, as the bus identifies them.
struct SecretCallers {
  /// The most programs that are remembered.
  private static let mostKept = 1024

  private var requesters: [String: String] = [:]

  /// A program as a person knows it; `nil` for a program of another user.
  mutating func requester(_ sender: String, on bus: SystemBus) throws(BusError) -> String? {
    if let known = requesters[sender] { return known }
    let user = try bus.callDriver("GetConnectionUnixUser", [sender]).number()
    guard user == ThisProcess.user else { return nil }
    let process = try bus.callDriver("GetConnectionUnixProcessID", [sender]).number()
    let found = Self.requester(process)
    if requesters.count < Self.mostKept { requesters[sender] = found }
    return found
  }

  mutating func forget(_ sender: String) { requesters[sender] = nil }

  /// The reason that the audit log has for a use.
  static func requester(_ process: UInt32) -> String {
    "a client of the Secret Service: " + program(process)
  }

  /// The name and the number of a process.
  static func program(_ process: UInt32) -> String {
    let path = (try? ThisProcess.program(of: "\(process)")) ?? ""
    // The name of a process is readable even if this one may not trace it.
    let name =
      path.split(separator: "/").last.map(String.init)
      ?? ProcessFacts(process: Int32(clamping: process))?.name
    return "\(name ?? "a program"), PID \(process)"
  }
}
