internal import System
internal import SystemBus

/// Watches the sessions of one user in systemd-logind, on one thread.
///
/// Only sessions of the class `user` count; those of services and timers are ignored. A signal
/// counts only from logind, identified by the sender name that the bus itself sets: any client on
/// the bus can send a similar one.
package struct SessionWatch: ~Copyable {
  private let logind: Logind
  private let user: UInt32
  /// The sessions by path; true for a session at a seat, where a person sits.
  private var sessions: [String: Bool]
  private var inhibitor: Descriptor?
  /// Why the computer does not delay sleep although it should; `nil` if it does.
  package let sleepFailure: LoginFailure?
  /// An event that had already ended the presence before the watch began.
  package let before: SessionEnd?

  /// Begins to watch; no event is missed from here on.
  ///
  /// - Parameters:
  ///   - user: the user whose sessions to watch.
  ///   - address: the address of the bus; `nil` means the system bus.
  ///   - delaysSleep: whether the computer waits with sleep until `letSleep`.
  /// - Throws: the reason why sessions cannot be watched.
  package init(user: UInt32, address: String? = nil, delaysSleep: Bool) throws(LoginFailure) {
    let logind: Logind
    let sessions: [String: Bool]
    do throws(BusError) {
      logind = try Logind(address: address)
      try Self.subscribe(logind)
      sessions = try Self.sessions(of: user, logind)
    } catch {
      throw LoginFailure(error)
    }
    self.logind = logind
    self.sessions = sessions
    self.user = user
    var inhibitor: Descriptor?
    var sleepFailure: LoginFailure?
    do throws(BusError) {
      if delaysSleep {
        inhibitor = try logind.delaySleep(because: "The unlock window ends before sleep")
      }
    } catch {
      // Without polkit only root may delay sleep. Everything else still works, but sleep is noticed
      // late.
      sleepFailure = LoginFailure(error)
    }
    self.inhibitor = inhibitor
    self.sleepFailure = sleepFailure
    before = Self.areAllLocked(sessions.keys, logind) ? .locked : nil
  }

  /// Waits for an event that ends the presence, until `interrupt` is readable.
  ///
  /// - Returns: `nil` if `interrupt` is readable.
  /// - Throws: the reason why sessions can no longer be watched.
  package mutating func next(interrupt: Int32) throws(LoginFailure) -> SessionEnd? {
    do throws(BusError) {
      while let message = try logind.bus.next(within: BusLimit(interrupt: interrupt)) {
        if let end = try judge(message) { return end }
      }
      return nil
    } catch {
      throw LoginFailure(error)
    }
  }

  /// Lets the computer sleep.
  package mutating func letSleep() { inhibitor = nil }

  // MARK: - Beginning

  private static func subscribe(_ logind: Logind) throws(BusError) {
    try logind.subscribe()
    let (bus, driver) = (logind.bus, SystemBus.driver)
    for interface in [Logind.session, SystemBus.properties] {
      let rule = "path_namespace='\(Logind.root)/session',interface='\(interface)'"
      try bus.subscribe(to: logind.owner, rule)
    }
    let rule = "interface='\(driver)',member='NameOwnerChanged',arg0='\(Logind.name)'"
    try bus.subscribe(to: driver, rule)
  }

  /// The current sessions.
  private static func sessions(
    of user: UInt32,
    _ logind: Logind
  ) throws(BusError) -> [String: Bool] {
    let list = try logind.call("ListSessions")
    var found: [String: Bool] = [:]
    guard try list.enter("a", "(susso)") else { throw .notUnderstood }
    while try list.enter("r", "susso") {
      try list.skip("s")
      let its = try list.number()
      try list.skip("s")
      let seat = try list.text()
      let path = try list.text("o")
      try list.leave()
      guard its == user, isPersonal(path, logind) else { continue }
      found[path] = !seat.isEmpty
    }
    return found
  }

  /// Whether a session is a person's; false if it has ended or does not say.
  private static func isPersonal(_ path: String, _ logind: Logind) -> Bool {
    let kind = try? logind.property("Class", of: path, Logind.session).textVariant()
    return kind == "user"
  }

  /// Whether there are sessions and every screen is locked: a person may be at an unlocked one.
  private static func areAllLocked(_ paths: some Collection<String>, _ logind: Logind) -> Bool {
    for path in paths {
      let hint = try? logind.property("LockedHint", of: path, Logind.session).booleanVariant()
      guard hint == true else { return false }
    }
    return !paths.isEmpty
  }

  // MARK: - Signals

  private mutating func judge(_ message: BusMessage) throws(BusError) -> SessionEnd? {
    let (path, name) = (message.path, message.name)
    guard message.sender == logind.owner else {
      if name == SystemBus.driver + ".NameOwnerChanged", try message.text() == Logind.name {
        throw .gone
      }
      return nil
    }
    if path == Logind.root { return try judge(message, ofManager: name) }
    let isAtSeat = sessions[path]
    let end: SessionEnd?
    switch name {
    case Logind.session + ".Lock": end = .locked
    case SystemBus.properties + ".PropertiesChanged":
      end = try judge(changesIn: message, isAtSeat: isAtSeat ?? true)
    default: return nil
    }
    guard end != nil, isAtSeat == nil else { return end }
    let identifier = try? logind.property("Id", of: path, Logind.session).textVariant()
    return identifier.map(SessionEnd.sessionLocked)
  }

  private mutating func judge(
    _ message: BusMessage,
    ofManager name: String
  ) throws(BusError) -> SessionEnd? {
    switch name {
    case Logind.manager + ".PrepareForSleep": return try message.boolean() ? .sleeping : nil
    case Logind.manager + ".SessionNew":
      sessions = try Self.sessions(of: user, logind)
      return nil
    case Logind.manager + ".SessionRemoved":
      let identifier = try message.text()
      let isAtSeat = sessions.removeValue(forKey: try message.text("o"))
      // Among remote sessions only the last one counts: the others may continue.
      if let isAtSeat, isAtSeat || sessions.isEmpty { return .loggedOut }
      // Report other users' sessions too: this user may have asked from within one.
      return .sessionEnded(identifier)
    default: return nil
    }
  }

  /// Translates changed properties of a session.
  private func judge(
    changesIn message: BusMessage,
    isAtSeat: Bool
  ) throws(BusError) -> SessionEnd? {
    guard try message.text() == Logind.session else { return nil }
    var end: SessionEnd?
    try message.entries { name throws(BusError) in
      switch name {
      case "LockedHint": if try message.booleanVariant() { end = .locked }
      case "Active": if try !message.booleanVariant(), isAtSeat { end = end ?? .switchedAway }
      default: try message.skip("v")
      }
    }
    return end
  }
}
