internal import FingerprintReader
internal import System
internal import SystemBus

/// A conversation with fprintd over a connection of its own, on one thread.
///
/// It addresses fprintd by its unique name, so that no other process can answer in its place.
/// fprintd ends the claim of a client whose connection has ended.
struct FprintdSession {
  /// A signal of a reader.
  enum Signal {
    case status(String, isLast: Bool)
    case selected(Finger?)
  }

  private static let service = "net.reactivated.Fprint"
  private static let interface = "net.reactivated.Fprint.Device"
  private static let mostReaders = 8
  private static let mostNames = 1024

  private let bus: SystemBus
  /// fprintd's unique name.
  private let owner: String
  private let stop: Int32
  /// The limit of all calls until a reader is claimed.
  private let search: BusLimit

  /// Connects to fprintd over the bus at an address.
  ///
  /// `starting` says whether to start fprintd, which makes it probe its readers. `ifStartable` is
  /// the error if fprintd is not running, and the bus could start it. The search for readers may
  /// take `milliseconds`. Every wait ends when the descriptor `stop` is readable.
  init(
    _ address: String,
    starting: Bool,
    ifStartable: ReaderError = .noReader,
    milliseconds: Int = 5000,
    stop: Int32 = -1
  ) throws(ReaderError) {
    let search = BusLimit(milliseconds: milliseconds, interrupt: stop)
    var connected: SystemBus?
    do throws(BusError) {
      let bus = try SystemBus(address)
      connected = bus
      if starting { try Self.start(bus, search) }
      owner = try bus.owner(of: Self.service, within: search)
      let rule = "member='NameOwnerChanged',arg0='\(owner)'"
      try bus.subscribe(to: SystemBus.driver, rule, within: search)
      self.bus = bus
    } catch {
      // The bus knows no owner of the name.
      guard case .refused = error, let connected else { throw ReaderError(error) }
      throw Self.canStart(connected, search) ? ifStartable : .noReader
    }
    self.stop = stop
    self.search = search
  }

  private static func start(_ bus: SystemBus, _ limit: BusLimit) throws(BusError) {
    do throws(BusError) {
      _ = try bus.callDriver("StartServiceByName", [service], number: 0, within: limit)
    } catch {
      // If fprintd runs although the bus cannot start it, it has an owner anyway.
      guard case .refused = error else { throw error }
    }
  }

  private static func canStart(_ bus: SystemBus, _ limit: BusLimit) -> Bool {
    let answer = try? bus.callDriver("ListActivatableNames", within: limit)
    return (try? answer?.texts(limit: mostNames))?.contains(service) == true
  }

  // MARK: - Searching

  /// The paths of fprintd's readers, at least one.
  func readers() throws(ReaderError) -> [String] {
    let manager = "/net/reactivated/Fprint/Manager"
    let paths = try asking { () throws(BusError) in
      try bus.call(owner, manager, Self.service + ".Manager", "GetDevices", within: search)
        .texts("o", limit: Self.mostReaders)
    }
    guard !paths.isEmpty else { throw .noReader }
    return paths
  }

  /// The first reader on which this user has enrolled fingers, and these fingers.
  func readerWithFingers() throws(ReaderError) -> (path: String, fingers: Set<Finger>)? {
    for path in try readers() {
      let fingers = try fingers(of: path, within: search)
      if !fingers.isEmpty { return (path, fingers) }
    }
    return nil
  }

  /// The name of a reader; empty if it has none.
  func name(of path: String) throws(ReaderError) -> String {
    try asking { () throws(BusError) in
      let answer = try properties(of: path, within: search)
      var name = ""
      try answer.entries { key throws(BusError) in
        if key == "name" { name = try answer.textVariant() } else { try answer.skip("v") }
      }
      return LibraryFault.plain(name)
    }
  }

  // MARK: - Verifying

  /// Receives the signals of a reader from now on.
  func subscribe(to path: String) throws(ReaderError) {
    try asking { () throws(BusError) in
      let rule = "path='\(path)',interface='\(Self.interface)'"
      try bus.subscribe(to: owner, rule, within: search)
    }
  }

  /// Calls a method of a reader; signals from before the call are dropped.
  func call(
    _ path: String,
    _ method: String,
    _ texts: String...,
    within limit: BusLimit
  ) throws(ReaderError) {
    _ = bus.takeKept()
    try asking { () throws(BusError) in
      _ = try bus.call(owner, path, Self.interface, method, texts, within: limit)
    }
  }

  /// This user's fingers on a reader.
  ///
  /// The empty name means the caller, as the bus identifies the connection.
  func fingers(of path: String, within limit: BusLimit) throws(ReaderError) -> Set<Finger> {
    let (interface, method) = (Self.interface, "ListEnrolledFingers")
    let names: [String]
    do throws(ReaderError) {
      names = try asking { () throws(BusError) in
        try bus.call(owner, path, interface, method, [""], within: limit)
          .texts(limit: Self.mostNames)
      }
    } catch {
      if error == .notEnrolled { return [] }
      throw error
    }
    let fingers = Set(names.compactMap(Finger.init(desktopName:)))
    // A finger without a name here could be added or removed without notice.
    guard fingers.count == names.count else { throw .unsupported }
    return fingers
  }

  /// The signals that came during the previous call, and before fprintd answers this one.
  func earlySignals(of path: String, within limit: BusLimit) throws(ReaderError) -> [Signal] {
    try asking { () throws(BusError) in
      _ = try? properties(of: path, within: limit)
      var signals: [Signal] = []
      for message in bus.takeKept() {
        if let signal = try signal(message, of: path) { signals.append(signal) }
      }
      return signals
    }
  }

  /// The next signal of a reader; `nil` at the deadline, or when `stop` is readable.
  func nextSignal(of path: String, until deadline: BootInstant) throws(ReaderError) -> Signal? {
    try asking { () throws(BusError) in
      while let message = try bus.next(within: BusLimit(until: deadline, interrupt: stop)) {
        if let signal = try signal(message, of: path) { return signal }
      }
      return nil
    }
  }

  // MARK: - Messages

  private func properties(of path: String, within limit: BusLimit) throws(BusError) -> BusMessage {
    try bus.call(owner, path, SystemBus.properties, "GetAll", [Self.interface], within: limit)
  }

  /// The signal of a reader in a message; `nil` for any other message.
  private func signal(_ message: BusMessage, of path: String) throws(BusError) -> Signal? {
    switch (message.path, message.name) {
    case (path, Self.interface + ".VerifyStatus"):
      return .status(try message.text(), isLast: try message.boolean())
    case (path, Self.interface + ".VerifyFingerSelected"):
      return .selected(Finger(desktopName: try message.text()))
    case (_, SystemBus.driver + ".NameOwnerChanged"):
      // The owner of fprintd's unique name changes only when it leaves the bus.
      throw .gone
    default: return nil
    }
  }

  /// Translates the errors of calls.
  private func asking<Answer>(_ body: () throws(BusError) -> Answer) throws(ReaderError) -> Answer {
    do throws(BusError) { return try body() } catch { throw ReaderError(error) }
  }
}
