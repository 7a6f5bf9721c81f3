internal import Glibc
internal import System
internal import SystemBus

/// A connection to the notification server of a desktop.
///
/// The interface is that of the Desktop Notifications Specification, 1.2. Signals count only from
/// the unique name that owned `org.freedesktop.Notifications` at the beginning: any program of the
/// user can send a signal of that name.
final class NotificationBus {
  /// A signal of the server.
  enum Signal: Equatable {
    /// The person chose an action, by its key.
    case action(UInt32, String)
    case closed(UInt32)
    /// The server answered `Notify` after the time limit; the id is 0 if no notification is shown.
    case late(UInt32, call: UInt64)
    /// The server has ended.
    case gone
    /// A signal that has no meaning here.
    case other
  }

  /// An action that the person can choose.
  struct Action {
    let key: String
    let label: String
  }

  /// How much a notification asks for attention.
  enum Urgency: UInt8 {
    case low, normal, critical
  }

  /// The text of a notification, and how it is shown.
  struct Content {
    let summary: String
    let body: String
    var actions: [Action] = []
    var urgency = Urgency.critical
    /// Whether the server forgets it once it is off the screen.
    var isTransient = false
    /// How long it stays, in milliseconds; 0 until it is closed, -1 as the server likes.
    var expiry: Int32 = 0
  }

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// The time limit of a call, in milliseconds: the server may have to be started.
  static let limit = 5000
  /// The same for the calls that close a notification.
  static let closeLimit = 500
  /// The most signals that are taken at once, or while one is awaited.
  ///
  /// A server that sends more would keep a thread busy.
  static let mostSignals = 4096

  private let bus: SystemBus
  private let owner: String
  /// Whether the server shows actions.
  let hasActions: Bool
  private let hasMarkup: Bool

  /// Connects to the server of a desktop, and starts it if the bus can.
  init(of desktop: Desktop) throws(DesktopError) {
    do throws(BusError) {
      bus = try SystemBus(desktop.address)
      owner = try Self.owner(on: bus, desktop.user)
      try bus.subscribe(to: owner, "interface='\(Self.name)',path='\(Self.path)'")
      try bus.subscribe(
        to: SystemBus.driver,
        "interface='\(SystemBus.driver)',member='NameOwnerChanged',arg0='\(Self.name)'"
      )
      let capabilities = try Self.call("GetCapabilities", [], on: bus, owner).texts(limit: 100)
      hasActions = capabilities.contains("actions")
      hasMarkup = capabilities.contains("body-markup")
    } catch {
      throw .noServer(reason: error.reason)
    }
  }

  private static func owner(on bus: SystemBus, _ user: UInt32) throws(BusError) -> String {
    do throws(BusError) {
      return try bus.owner(of: name, user: user)
    } catch {
      guard case .refused = error else { throw error }
      let limit = BusLimit(milliseconds: limit)
      _ = try bus.callDriver("StartServiceByName", [name], number: 0, within: limit)
      return try bus.owner(of: name, user: user)
    }
  }

  private static func call(
    _ method: String,
    _ values: [BusValue],
    on bus: SystemBus,
    _ owner: String,
    within limit: Int = limit
  ) throws(BusError) -> BusMessage {
    let limit = BusLimit(milliseconds: limit)
    return try bus.call(owner, path, name, method, values: values, within: limit)
  }

  /// The descriptor that is readable when a signal may have come.
  var descriptor: Int32 { bus.descriptor }

  /// Shows a notification, or replaces the one of an id other than 0.
  ///
  /// - Returns: its id; 0 if the server shows none.
  func notify(
    _ content: Content,
    replacing shown: UInt32 = 0,
    within limit: Int = limit
  ) throws(BusError) -> UInt32 {
    var hints: [(String, BusValue)] = [("urgency", .byte(content.urgency.rawValue))]
    if content.isTransient { hints.append(("transient", .boolean(true))) }
    let values: [BusValue] = [
      .text("Thumblatch"), .number(shown), .text("dialog-password"), .text(content.summary),
      .text(hasMarkup ? Self.escaped(content.body) : content.body),
      .texts(hasActions ? content.actions.flatMap { [$0.key, $0.label] } : []),
      .dictionary(hints), .signed(content.expiry),
    ]
    return try Self.call("Notify", values, on: bus, owner, within: limit).number()
  }

  /// Requests the signal `late` for the notification whose call has just failed.
  ///
  /// - Returns: the number of the call; `nil` if the server has answered it, or never will.
  func expectLate(after error: BusError) -> UInt64? {
    guard case .failed(let fault) = error, fault.code == ETIMEDOUT else { return nil }
    return bus.expectLateAnswer()
  }

  /// Closes a notification.
  func close(_ id: UInt32) {
    let values = [BusValue.number(id)]
    _ = try? Self.call("CloseNotification", values, on: bus, owner, within: Self.closeLimit)
  }

  /// The signals that came before the answer to the last call.
  func takeKept() throws(BusError) -> [Signal] {
    var signals: [Signal] = []
    for message in bus.takeKept() { signals.append(try Self.signal(message)) }
    return signals
  }

  /// The signals that have come.
  ///
  /// The last one is `gone` if the bus has disconnected, or if the server sends too much or what
  /// cannot be understood.
  func takeSignals() -> [Signal] {
    var signals: [Signal] = []
    while signals.last != .gone, let signal = nextSignal(within: BusLimit(milliseconds: 0)) {
      signals.append(signals.count < Self.mostSignals ? signal : .gone)
    }
    return signals
  }

  /// The next signal; `nil` at the limit.
  func nextSignal(within limit: BusLimit) -> Signal? {
    do throws(BusError) {
      guard let message = try bus.next(within: limit) else { return nil }
      return try Self.signal(message)
    } catch {
      return .gone
    }
  }

  private static func signal(_ message: BusMessage) throws(BusError) -> Signal {
    // The answer may be an error, which has no id.
    if let call = message.replyCookie { return .late((try? message.number()) ?? 0, call: call) }
    return switch message.name {
    case "\(name).ActionInvoked": .action(try message.number(), try message.text())
    case "\(name).NotificationClosed": .closed(try message.number())
    case "\(SystemBus.driver).NameOwnerChanged": .gone
    default: .other
    }
  }

  /// Text in which a server with markup sees none.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
