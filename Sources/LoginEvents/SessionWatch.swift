internal import Glibc
internal import System

/// Watches the sessions of one user in systemd-logind, on one thread.
///
/// Only sessions of the class `user` count; those of services and timers are ignored. A signal
/// counts only from logind, identified by the sender name that the bus itself sets: any client on
/// the bus can send a similar one.
package struct SessionWatch: ~Copyable {
  private let bus: SystemBus
  private let user: UInt32
  /// The unique name of logind.
  private let owner: String
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
  package init(
    user: UInt32,
    address: String? = nil,
    delaysSleep: Bool
  ) throws(LoginFailure) {
    let bus = try SystemBus(address ?? Logind.machineBus)
    let owner = try Logind.owner(bus)
    do throws(SystemError) {
      for rule in Self.rules(owner) {
        _ = try bus.call(Logind.driver, "/", Logind.driver, "AddMatch", (rule, nil, nil, nil))
      }
    } catch {
      throw .bus(error)
    }
    let sessions = try Self.sessions(of: user, bus, owner)
    var inhibitor: Descriptor?
    var sleepFailure: LoginFailure?
    do throws(LoginFailure) {
      if delaysSleep { inhibitor = try Self.inhibitor(bus, owner) }
    } catch {
      // Without polkit only root may delay sleep. Everything else still works, but sleep is noticed
      // late.
      sleepFailure = error
    }
    self.sleepFailure = sleepFailure
    before = Self.areAllLocked(sessions.keys, bus, owner) ? .locked : nil
    self.bus = bus
    self.user = user
    self.owner = owner
    self.sessions = sessions
    self.inhibitor = inhibitor
  }

  /// Waits for an event that ends the presence, until `interrupt` is readable.
  ///
  /// - Returns: `nil` if `interrupt` is readable.
  /// - Throws: the reason why sessions can no longer be watched.
  public mutating func next(interrupt: Int32) throws(LoginFailure) -> SessionEnd? {
    while let message = try bus.next(interrupt: interrupt) {
      if let end = try judge(message) { return end }
    }
    return nil
  }

  /// Lets the computer sleep.
  public mutating func letSleep() { inhibitor = nil }

  // MARK: - Beginning

  private static func rules(_ owner: String) -> [String] {
    let all = "type='signal',sender='\(owner)'"
    return [
      "\(all),path='\(Logind.root)',interface='\(Logind.manager)'",
      "\(all),path_namespace='\(Logind.root)/session',interface='\(Logind.session)'",
      "\(all),path_namespace='\(Logind.root)/session',interface='\(Logind.properties)'",
      "type='signal',sender='\(Logind.driver)',interface='\(Logind.driver)',member='NameOwnerChanged',"
        + "arg0='\(Logind.name)'",
    ]
  }

  private static func ask(
    _ bus: borrowing SystemBus,
    _ owner: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    _ texts: (String?, String?, String?, String?) = (nil, nil, nil, nil)
  ) throws(LoginFailure) -> BusMessage {
    do throws(SystemError) {
      return try bus.call(owner, path, interface, member, texts)
    } catch {
      throw .noLogind(error)
    }
  }

  private static func inhibitor(
    _ bus: borrowing SystemBus,
    _ owner: String
  ) throws(LoginFailure) -> Descriptor {
    try ask(
      bus,
      owner,
      Logind.root,
      Logind.manager,
      "Inhibit",
      ("sleep", "Thumblatch", "The unlock window ends before sleep", "delay")
    ).descriptor()
  }

  /// The current sessions.
  private static func sessions(
    of user: UInt32,
    _ bus: borrowing SystemBus,
    _ owner: String
  ) throws(LoginFailure) -> [String: Bool] {
    let list = try ask(bus, owner, Logind.root, Logind.manager, "ListSessions")
    var found: [String: Bool] = [:]
    guard try list.enter("a", "(susso)") else { throw .notUnderstood }
    while try list.enter("r", "susso") {
      try list.skip("s")
      let its = try list.number()
      try list.skip("s")
      let seat = try list.text()
      let path = try list.text("o")
      try list.leave()
      guard its == user, isPersonal(path, bus, owner) else { continue }
      found[path] = !seat.isEmpty
    }
    return found
  }

  /// Whether a session is a person's; false if it has ended or does not say.
  private static func isPersonal(
    _ path: String,
    _ bus: borrowing SystemBus,
    _ owner: String
  ) -> Bool {
    let question: (String?, String?, String?, String?) = (Logind.session, "Class", nil, nil)
    guard let answer = try? ask(bus, owner, path, Logind.properties, "Get", question),
      (try? answer.enter("v", "s")) == true, let kind = try? answer.text()
    else { return false }
    return kind == "user"
  }

  /// Whether there are sessions and every screen is locked: a person may be at an unlocked one.
  private static func areAllLocked(
    _ paths: some Collection<String>,
    _ bus: borrowing SystemBus,
    _ owner: String
  ) -> Bool {
    for path in paths {
      let question: (String?, String?, String?, String?) = (Logind.session, "LockedHint", nil, nil)
      guard let answer = try? ask(bus, owner, path, Logind.properties, "Get", question),
        (try? answer.enter("v", "b")) == true, (try? answer.boolean()) == true
      else { return false }
    }
    return !paths.isEmpty
  }

  // MARK: - Signals

  private mutating func judge(
    _ message: borrowing BusMessage
  ) throws(LoginFailure) -> SessionEnd? {
    guard message.isSignal else { return nil }
    let (sender, path, name) = (message.sender, message.path, message.name)
    if sender == Logind.driver, name == Logind.driver + ".NameOwnerChanged" {
      if try message.text() == Logind.name { throw .gone }
      return nil
    }
    guard sender == owner else { return nil }
    if path == Logind.root { return try judge(message, ofManager: name) }
    guard let isAtSeat = sessions[path] else { return nil }
    switch name {
    case Logind.session + ".Lock": return .locked
    case Logind.properties + ".PropertiesChanged":
      return try judge(changesIn: message, isAtSeat: isAtSeat)
    default: return nil
    }
  }

  private mutating func judge(
    _ message: borrowing BusMessage,
    ofManager name: String
  ) throws(LoginFailure) -> SessionEnd? {
    switch name {
    case Logind.manager + ".PrepareForSleep": return try message.boolean() ? .sleeping : nil
    case Logind.manager + ".SessionNew":
      sessions = try Self.sessions(of: user, bus, owner)
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
    changesIn message: borrowing BusMessage,
    isAtSeat: Bool
  ) throws(LoginFailure) -> SessionEnd? {
    guard try message.text() == Logind.session, try message.enter("a", "{sv}") else { return nil }
    var end: SessionEnd?
    while try message.enter("e", "sv") {
      switch try message.text() {
      case "LockedHint":
        if try message.enter("v", "b") {
          if try message.boolean() { end = .locked }
          try message.leave()
        }
      case "Active":
        if try message.enter("v", "b") {
          if try !message.boolean(), isAtSeat { end = end ?? .switchedAway }
          try message.leave()
        }
      default: try message.skip("v")
      }
      try message.leave()
    }
    return end
  }
}
