internal import Synchronization
internal import System
internal import SystemBus

/// The one notification that a prompt shows.
final class NotificationServer {
  typealias Action = NotificationBus.Action

  /// An event of the shown notification.
  enum Event: Equatable {
    /// The person chose an action, by its key.
    case action(String)
    /// The notification is gone, and this program did not close it.
    case closed
  }

  /// How long the thread of `closeLater` waits for a late notification, in milliseconds.
  private static let longestLate = 120_000
  /// The most threads of `closeLater` at once.
  ///
  /// Each prompt leaves a thread behind if the server does not answer.
  static let mostLate = 8
  private static let lateThreads = Mutex(0)
  /// The threads of `closeLater` that run.
  static var lateCount: Int { lateThreads.withLock { $0 } }

  private let bus: NotificationBus
  /// The id of the shown notification; 0 if there is none.
  private var shown: UInt32 = 0
  /// The keys of the actions of the shown notification.
  private var keys: Set<String> = []
  /// Whether the person chose an action of the shown notification.
  private var hasActed = false
  /// Whether the server has ended.
  private var hasGone = false
  /// Whether the thread of `closeLater` has the bus, so that this object may not use it.
  private var isLent = false
  /// Whether no event comes here any more.
  private var isOver: Bool { hasGone || isLent }
  /// The call whose notification may still come to the screen; `nil` if there is none.
  private var lateCall: UInt64?
  /// How long the server may take to show a notification, in milliseconds.
  var limit: Int
  /// How long `close` waits for a late notification, in milliseconds.
  var lateLimit = NotificationBus.limit
  /// A descriptor that ends the wait for a late notification; -1 for none.
  private let interrupt: Int32
  /// Events that came during a call.
  private var events: [Event] = []
  /// Readable always, for `descriptor` while events wait.
  private let ready: WakeEvent

  /// Connects to the server of a desktop.
  init(
    of desktop: Desktop,
    within limit: Int = NotificationBus.limit,
    interrupt: Int32? = nil
  ) throws(DesktopError) {
    self.limit = limit
    self.interrupt = interrupt ?? -1
    do throws(SystemError) {
      ready = try WakeEvent()
      ready.signal()
    } catch {
      throw .noServer(reason: "\(error)")
    }
    bus = try NotificationBus(of: desktop)
  }

  deinit { close() }

  /// Whether the server shows actions.
  var hasActions: Bool { bus.hasActions }

  /// The descriptor that is readable when an event may have come.
  var descriptor: Int32 {
    events.isEmpty && !isOver ? bus.descriptor : ready.descriptor.number
  }

  /// Shows the notification, or replaces its text.
  ///
  /// It returns when the server has answered with the id.
  func show(_ summary: String, _ body: String, _ actions: [Action]) throws(DesktopError) {
    guard !isOver else { throw .notShown }
    do throws(BusError) {
      // A server may let only a critical notification stay.
      let content = NotificationBus.Content(summary: summary, body: body, actions: actions)
      let id = try bus.notify(content, replacing: shown, within: limit)
      // These came before the answer, and are about the notification that was replaced.
      for signal in try bus.takeKept() { take(signal) }
      guard id != 0 else { throw BusError.notUnderstood }
      (shown, hasActed, keys) = (id, false, Set(actions.map(\.key)))
    } catch {
      lateCall = bus.expectLate(after: error)
      // Whatever is on the screen now is not this text.
      events.append(.closed)
      throw .notShown
    }
    receive()
  }

  /// Closes the notification, also one that comes to the screen late.
  func close() {
    awaitLate()
    guard shown != 0, !isOver else { return }
    Self.close(shown, on: bus, hasActed: hasActed)
    shown = 0
  }

  private static func close(_ shown: UInt32, on bus: NotificationBus, hasActed: Bool) {
    var id = shown
    // notification-daemon 3.20 removes a notification from the screen only when it expires or after
    // an action.
    if !hasActed {
      let empty = NotificationBus.Content(summary: DesktopText.summary, body: "", expiry: 1)
      id = (try? bus.notify(empty, replacing: id, within: NotificationBus.closeLimit)) ?? id
    }
    bus.close(id)
  }

  /// Waits for the id of a late notification: no program would act on its buttons.
  private func awaitLate() {
    let limit = BusLimit(milliseconds: lateLimit, interrupt: interrupt)
    for _ in 0..<NotificationBus.mostSignals {
      guard lateCall != nil, !hasGone, !limit.isOver, let signal = bus.nextSignal(within: limit)
      else { break }
      take(signal)
    }
    // After a replacement, `close` knows the id already.
    if let lateCall, shown == 0, !hasGone { closeLater(lateCall) }
    lateCall = nil
  }

  /// Closes a notification that comes after `close` has returned.
  ///
  /// The process must still run, as an agent does.
  private func closeLater(_ call: UInt64) {
    let hasRoom = Self.lateThreads.withLock { count in
      guard count < Self.mostLate else { return false }
      count += 1
      return true
    }
    guard hasRoom else { return }
    let late = LateBus(bus: bus)
    isLent = true
    let isStarted: Void? = try? startThread {
      defer { Self.lateThreads.withLock { $0 -= 1 } }
      let limit = BusLimit(milliseconds: Self.longestLate)
      for _ in 0..<NotificationBus.mostSignals {
        guard let signal = late.bus.nextSignal(within: limit), signal != .gone else { return }
        guard case .late(let id, call) = signal else { continue }
        if id != 0 { Self.close(id, on: late.bus, hasActed: false) }
        return
      }
    }
    if isStarted == nil { Self.lateThreads.withLock { $0 -= 1 } }
  }

  /// The events that have come since the last call.
  func takeEvents() -> [Event] {
    receive()
    defer { events = [] }
    return isOver ? [.closed] : events
  }

  private func receive() {
    guard !isOver else { return }
    for signal in bus.takeSignals() { take(signal) }
  }

  private func take(_ signal: NotificationBus.Signal) {
    switch signal {
    case .action(let id, let key):
      // A click outside the buttons may arrive as the action `default`, which no prompt offers. It
      // does not count, so the close after it is an unrequested one, and ends the check.
      guard shown != 0, id == shown, keys.contains(key) else { return }
      hasActed = true
      events.append(.action(key))
    case .closed(let id):
      guard shown != 0, id == shown else { return }
      shown = 0
      // Servers close a notification after one of its actions.
      if !hasActed { events.append(.closed) }
    case .late(let id, let call):
      guard call == lateCall else { return }
      lateCall = nil
      if id != 0 { (shown, hasActed) = (id, false) }
    case .gone:
      hasGone = true
      events.append(.closed)
    case .other: return
    }
  }
}

/// A bus that only one thread uses from now on.
private struct LateBus: @unchecked Sendable {
  let bus: NotificationBus
}
