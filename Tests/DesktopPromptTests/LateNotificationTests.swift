import Synchronization
import System
import SystemBus
import TestSupport
import Testing
import VaultInterface

@testable import DesktopPrompt

/// A notification server that answers only after the limit of a call.
@Suite(.serialized)
struct LateNotificationTests {
  private let bus: DesktopBus
  private let server: SlowServer

  init() throws {
    bus = try DesktopBus(logind: false)
    server = try SlowServer()
    let (server, address) = (server, bus.address)
    try startThread { try? server.serve(at: address) }
    #expect(try server.started.descriptor.waitReadable(milliseconds: 60_000))
  }

  private var desktop: Desktop {
    Desktop(address: bus.address, user: ThisProcess.user, environment: [])
  }

  @Test
  func aPromptThatIsShownTooLateIsClosed() throws {
    defer { bus.remove() }
    let notification = try NotificationServer(of: desktop, within: 100)
    #expect(throws: DesktopError.notShown) { try notification.show("a", "b", []) }
    #expect(notification.takeEvents() == [.closed])
    #expect(!server.calls.contains("CloseNotification"))
    server.release.signal()
    notification.close()
    #expect(eventually { server.calls.contains("CloseNotification") })
  }

  /// The prompt has ended, and its program continues.
  @Test
  func aNotificationThatIsShownLongAfterItsPromptIsClosed() throws {
    defer { bus.remove() }
    var notification: NotificationServer? = try NotificationServer(of: desktop, within: 100)
    notification?.lateLimit = 100
    #expect(throws: DesktopError.notShown) { try notification?.show("a", "b", []) }
    notification?.close()
    #expect(notification?.takeEvents() == [.closed])
    #expect(throws: DesktopError.notShown) { try notification?.show("a", "b", []) }
    notification = nil
    #expect(!server.calls.contains("CloseNotification"))
    server.release.signal()
    #expect(eventually { server.calls.contains("CloseNotification") })
    // The only call after it was the one that lets the notification expire.
    #expect(server.calls.filter { $0 == "Notify" }.count == 2)
  }

  /// A server that answers nothing gets no thread for each prompt.
  @Test
  func onlySoManyLateNotificationsAreAwaited() throws {
    defer { bus.remove() }
    // The thread of an earlier test ends after its last call.
    #expect(eventually { NotificationServer.lateCount == 0 })
    let most = NotificationServer.mostLate
    let notifications = try (0...most).map { _ in try NotificationServer(of: desktop, within: 10) }
    for notification in notifications {
      notification.lateLimit = 10
      #expect(throws: DesktopError.notShown) { try notification.show("a", "b", []) }
      notification.close()
    }
    #expect(NotificationServer.lateCount == most)
    server.release.signal()
    #expect(eventually { NotificationServer.lateCount == 0 })
    #expect(eventually { server.calls.filter { $0 == "CloseNotification" }.count == most })
  }

  /// A server that answers nothing, and sends signal after signal, keeps no thread busy.
  @Test
  func aServerThatFloodsIsNotAwaited() throws {
    defer { bus.remove() }
    #expect(eventually { NotificationServer.lateCount == 0 })
    let notification = try NotificationServer(of: desktop, within: 100)
    notification.lateLimit = 10
    #expect(throws: DesktopError.notShown) { try notification.show("a", "b", []) }
    notification.close()
    #expect(NotificationServer.lateCount == 1)
    server.flood(true)
    server.release.signal()
    #expect(eventually { NotificationServer.lateCount == 0 })
    server.flood(false)
    #expect(!server.calls.contains("CloseNotification"))
  }

  /// The prompt is on the screen, and its text changes, as when a finger does not match.
  @Test
  func aChangeThatIsShownTooLateEndsThePrompt() throws {
    defer { bus.remove() }
    server.hold(false)
    let notification = try NotificationServer(of: desktop, within: 60_000)
    try notification.show("a", "b", [])
    #expect(notification.takeEvents() == [])
    server.hold(true)
    notification.limit = 100
    #expect(throws: DesktopError.notShown) { try notification.show("a", "c", []) }
    #expect(notification.takeEvents() == [.closed])
    #expect(!server.calls.contains("CloseNotification"))
    server.release.signal()
    notification.close()
    #expect(eventually { server.calls.contains("CloseNotification") })
  }

  @Test
  func theActionOfANoticeThatIsShownTooLateCounts() throws {
    defer { bus.remove() }
    let board = try NoticeBoard(at: desktop, program: "thumblatch")
    let notice = DesktopNotice(kind: .loginRequired, account: "work", browser: true)
    #expect(throws: DesktopError.notShown) { try board.show(notice) }
    #expect(board.takeLogins().isEmpty)
    server.release.signal()
    var logins: [String] = []
    let isChosen = eventually {
      logins += board.takeLogins()
      return !logins.isEmpty
    }
    #expect(isChosen)
    #expect(logins == ["work"])
  }
}

/// Holds one notification until `release`, and reports its action then.
private final class SlowServer: Sendable {
  private static let name = "org.freedesktop.Notifications"
  private static let number: UInt32 = 7

  let started: WakeEvent
  let release: WakeEvent
  private let members = Mutex<[String]>([])
  private let holds = Mutex(true)
  private let floods = Mutex(false)

  /// The methods that were called.
  var calls: [String] { members.withLock { $0 } }

  init() throws(SystemError) {
    started = try WakeEvent()
    release = try WakeEvent()
  }

  /// Whether the next notification is held.
  func hold(_ isHeld: Bool) { holds.withLock { $0 = isHeld } }

  /// Whether it sends signals without end instead of an answer, from `release` on.
  func flood(_ isFlooding: Bool) { floods.withLock { $0 = isFlooding } }

  /// Serves until the bus ends.
  func serve(at address: String) throws {
    let bus = try SystemBus(address)
    let isOwner = try bus.own(Self.name)
    #expect(isOwner)
    started.signal()
    while let call = try bus.next(within: BusLimit()) {
      let member = call.member
      members.withLock { $0.append(member) }
      switch member {
      case "GetCapabilities": try bus.answer(call, [.texts(["actions"])])
      case "Notify":
        let isHeld = holds.withLock { holds in
          defer { holds = false }
          return holds
        }
        if isHeld { _ = try release.descriptor.waitReadable(milliseconds: 60_000) }
        while floods.withLock({ $0 }) {
          let closed: [BusValue] = [.number(Self.number + 1), .number(1)]
          try bus.signal("/org/freedesktop/Notifications", Self.name, "NotificationClosed", closed)
          // This also sends the messages that could not be sent at once.
          _ = try bus.next(within: BusLimit(milliseconds: 0))
        }
        try bus.answer(call, [.number(Self.number)])
        guard isHeld else { continue }
        let action: [BusValue] = [.number(Self.number), .text(NoticeText.signIn.key)]
        try bus.signal("/org/freedesktop/Notifications", Self.name, "ActionInvoked", action)
      default: try bus.answer(call, [])
      }
    }
  }
}
