internal import Glibc
internal import System

/// Follows the login sessions of one user, as systemd-logind knows them, on one thread.
///
/// What counts are sessions of the class `user`: those of services and timers come and go unseen.
/// A signal counts from logind alone, by the name that the bus itself gives it: anyone on the bus can
/// send one that looks the same.
public struct LoginWatch: ~Copyable {
  private let bus: SystemBus
  private let user: UInt32
  /// The unique name of logind.
  private let owner: String
  /// The sessions by their paths; true: at a seat, where a person sits.
  private var sessions: [String: Bool]
  private var inhibitor: Descriptor?
  /// Why the computer does not wait with sleep although it should; nil: it does.
  public let sleepFailure: LoginFailure?
  /// What had ended the person's time before this began.
  public let before: LoginEnd?

  /// Begins; from here on nothing is missed.
  ///
  /// - Parameters:
  ///   - user: whose sessions.
  ///   - address: of the bus; nil: the machine's.
  ///   - delaysSleep: whether the computer waits with sleep until it was told.
  /// - Throws: why nothing can be seen.
  public init(
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
      // Without polkit only root may: all else is seen even so, and sleep a little late.
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

  /// Waits for what ends a person's time, for as long as `interrupt` is not readable.
  ///
  /// - Returns: `nil` if it is.
  /// - Throws: why nothing can be seen any more.
  public mutating func next(interrupt: Int32) throws(LoginFailure) -> LoginEnd? {
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

  /// Which sessions there are now.
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

  /// Whether it is a person's; false as well where it has ended meanwhile, or does not say.
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

  /// Whether there are sessions, and each one's screen is locked: in one that is not, a person may
  /// sit.
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
  ) throws(LoginFailure) -> LoginEnd? {
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
  ) throws(LoginFailure) -> LoginEnd? {
    switch name {
    case Logind.manager + ".PrepareForSleep": return try message.boolean() ? .sleeping : nil
    case Logind.manager + ".SessionNew":
      sessions = try Self.sessions(of: user, bus, owner)
      return nil
    case Logind.manager + ".SessionRemoved":
      let identifier = try message.text()
      let isAtSeat = sessions.removeValue(forKey: try message.text("o"))
      // Of those from afar the last one counts: others may go on.
      if let isAtSeat, isAtSeat || sessions.isEmpty { return .loggedOut }
      // Also that of another user: this one may have asked from within it.
      return .sessionEnded(identifier)
    default: return nil
    }
  }

  /// What the changed properties of a session mean.
  private func judge(
    changesIn message: borrowing BusMessage,
    isAtSeat: Bool
  ) throws(LoginFailure) -> LoginEnd? {
    guard try message.text() == Logind.session, try message.enter("a", "{sv}") else { return nil }
    var end: LoginEnd?
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
