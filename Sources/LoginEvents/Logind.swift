internal import System
internal import SystemBus

/// A connection to systemd-logind, for one thread; org.freedesktop.login1(5).
///
/// It addresses logind by its unique name, and only a logind of root: another one could call every
/// session local, and never report a locked screen.
struct Logind {
  static let name = "org.freedesktop.login1"
  static let root = "/org/freedesktop/login1"
  static let manager = "org.freedesktop.login1.Manager"
  static let session = "org.freedesktop.login1.Session"
  static let user = "org.freedesktop.login1.User"

  let bus: SystemBus
  /// The unique name of logind.
  let owner: String

  /// Connects to the bus at an address; `nil` means the system bus.
  init(address: String?) throws(BusError) {
    bus = try SystemBus(address ?? SystemBus.machineAddress)
    owner = try bus.owner(of: Self.name)
  }

  /// Calls a method of the manager.
  func call(
    _ method: String,
    _ texts: [String] = [],
    number: UInt32? = nil
  ) throws(BusError) -> BusMessage {
    try bus.call(owner, Self.root, Self.manager, method, texts, number: number)
  }

  /// All properties of an object.
  func properties(of path: String, _ interface: String) throws(BusError) -> BusMessage {
    try bus.call(owner, path, SystemBus.properties, "GetAll", [interface])
  }

  /// One property of an object, as a variant.
  func property(
    _ name: String,
    of path: String,
    _ interface: String
  ) throws(BusError) -> BusMessage {
    try bus.call(owner, path, SystemBus.properties, "Get", [interface, name])
  }

  /// Receives the manager's signals with this name from now on; all of them if it is `nil`.
  func subscribe(to signal: String? = nil) throws(BusError) {
    let member = signal.map { ",member='\($0)'" } ?? ""
    try bus.subscribe(to: owner, "path='\(Self.root)',interface='\(Self.manager)'\(member)")
  }

  /// Makes the computer wait some seconds before it sleeps, until the descriptor is closed.
  func delaySleep(because reason: String) throws(BusError) -> Descriptor {
    try call("Inhibit", ["sleep", "Thumblatch", reason, "delay"]).descriptor()
  }
}
