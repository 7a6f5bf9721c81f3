internal import System
internal import SystemBus

/// The notification server of a desktop, and the one notification that a prompt shows there.
///
/// The interface is that of the Desktop Notifications Specification, 1.2. Signals are believed only
/// from the unique name that owned `org.freedesktop.Notifications` at the beginning: any program of
/// the user can send a signal of that name.
final class NotificationServer {
  /// An event of the shown notification.
  enum Event: Equatable {
    /// The person chose an action, by its key.
    case action(String)
    /// The notification is gone, and this program did not close it.
    case closed
  }

  /// An action that the person can choose.
  struct Action {
    let key: String
    let label: String
  }

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// The time limit of a call, in milliseconds: the server may have to be started.
  private static let limit = 5000
  /// The same for the calls that close the notification.
  private static let closeLimit = 500

  private let bus: SystemBus
  private let owner: String
  /// Whether the server shows actions.
  let hasActions: Bool
  private let hasMarkup: Bool
  /// The id of the shown notification; 0 if there is none.
  private var shown: UInt32 = 0
  /// Whether the person chose an action of the shown notification.
  private var hasActed = false
  private var hasGone = false
  /// Events that came during a call.
  private var events: [Event] = []
  /// Readable always, for `descriptor` while events wait.
  private let ready: WakeEvent

  /// Connects to the server of a desktop, and starts it if the bus can.
  init(of desktop: Desktop) throws(DesktopError) {
    do throws(SystemError) {
      ready = try WakeEvent()
      ready.signal()
    } catch {
      throw .noServer(reason: "\(error)")
    }
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

  deinit { close() }

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

  /// The descriptor that is readable when an event may have come.
  var descriptor: Int32 { events.isEmpty ? bus.descriptor : ready.descriptor.number }

  /// Shows the notification, or replaces its text.
  ///
  /// It returns when the server has answered with the id.
  func show(_ summary: String, _ body: String, _ actions: [Action]) throws(DesktopError) {
    do throws(BusError) {
      let id = try notify(summary, body, actions, within: Self.limit)
      // These came before the answer, and are about the notification that was replaced.
      for message in bus.takeKept() { try take(message) }
      guard id != 0 else { throw BusError.notUnderstood }
      (shown, hasActed) = (id, false)
    } catch {
      // Whatever is on the screen now is not this text.
      events.append(.closed)
      throw .notShown
    }
    receive()
  }

  /// Calls `Notify`, and returns the id.
  ///
  /// The notification stays for `expiry` milliseconds; with 0, until it is closed.
  private func notify(
    _ summary: String,
    _ body: String,
    _ actions: [Action],
    expiry: Int32 = 0,
    within limit: Int
  ) throws(BusError) -> UInt32 {
    let values: [BusValue] = [
      .text("Thumblatch"), .number(shown), .text("dialog-password"), .text(summary),
      .text(hasMarkup ? Self.escaped(body) : body),
      .texts(hasActions ? actions.flatMap { [$0.key, $0.label] } : []),
      // A server may let only a critical notification stay.
      .dictionary([("urgency", .byte(2))]), .signed(expiry),
    ]
    return try Self.call("Notify", values, on: bus, owner, within: limit).number()
  }

  /// Closes the notification.
  func close() {
    guard shown != 0, !hasGone else { return }
    var id = shown
    // notification-daemon 3.20 takes a notification from the screen only when it expires or after an
    // action.
    if !hasActed {
      let notified = try? notify(DesktopText.summary, "", [], expiry: 1, within: Self.closeLimit)
      id = notified ?? shown
    }
    shown = 0
    _ = try? Self.call(
      "CloseNotification",
      [.number(id)],
      on: bus,
      owner,
      within: Self.closeLimit
    )
  }

  /// The events that have come since the last call.
  func takeEvents() -> [Event] {
    receive()
    defer { events = [] }
    return hasGone ? [.closed] : events
  }

  private func receive() {
    do throws(BusError) {
      while let message = try bus.next(within: BusLimit(milliseconds: 0)) { try take(message) }
    } catch {
      // The bus has disconnected, or the server sends what cannot be understood.
      hasGone = true
      events.append(.closed)
    }
  }

  private func take(_ message: BusMessage) throws(BusError) {
    switch message.name {
    case "\(Self.name).ActionInvoked":
      guard shown != 0, try message.number() == shown else { return }
      hasActed = true
      events.append(.action(try message.text()))
    case "\(Self.name).NotificationClosed":
      guard shown != 0, try message.number() == shown else { return }
      shown = 0
      // Servers close a notification after one of its actions.
      if !hasActed { events.append(.closed) }
    case "\(SystemBus.driver).NameOwnerChanged":
      hasGone = true
      events.append(.closed)
    default: return
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
