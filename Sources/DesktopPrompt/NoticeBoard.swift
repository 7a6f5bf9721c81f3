internal import PlainText
internal import PresenceTerms
internal import System
internal import SystemBus
internal import TerminalIO
internal import VaultClient
package import VaultInterface

/// The notices that an agent shows at the person's desktop.
///
/// A notice of a use is quiet: low urgency, forgotten by the server, no action. A reminder is quiet
/// too, and stays in the server's list. A notice of a required login stays, and may have the action
/// "Sign in".
package final class NoticeBoard {
  /// The most required logins that are shown.
  private static let mostLogins = 16

  private let bus: NotificationBus
  /// The beginning of a command for the vault of the notices.
  private let program: String
  /// The accounts of the shown notifications that have the action, by id.
  private var logins: [UInt32: String] = [:]
  /// The same for notifications that are not shown yet, by the number of the call.
  private var lateLogins: [UInt64: String] = [:]
  private var chosen: [String] = []
  private var hasGone = false

  /// Connects to the notification server of a desktop.
  ///
  /// - Parameters:
  ///   - desktop: the desktop.
  ///   - program: the beginning of a command for the vault of the notices.
  /// - Throws: why the desktop shows no notifications.
  package init(at desktop: Desktop, program: String) throws(DesktopError) {
    bus = try NotificationBus(of: desktop)
    self.program = program
  }

  deinit {
    // Without this program the action has no effect.
    guard !hasGone else { return }
    for id in logins.keys {
      guard close(id) else { return }
    }
  }

  /// The descriptor that is readable when the person may have acted.
  package var descriptor: Int32 { bus.descriptor }

  /// Whether the server has ended, with everything that it showed.
  package var isOver: Bool { hasGone }

  /// Shows a notice in these words, or in English.
  package func show(
    _ notice: DesktopNotice,
    saying words: NoticeWords? = nil
  ) throws(DesktopError) {
    var content = NoticeText.content(notice, program, saying: words)
    let earlier = logins.first { $0.value == notice.account && notice.kind == .loginRequired }?.key
    let isFull = logins.count + lateLogins.count >= Self.mostLogins
    if !bus.hasActions || isFull && earlier == nil { content.actions = [] }
    let id: UInt32
    do throws(BusError) {
      // A prompt that comes now must not wait for a slow server.
      id = try bus.notify(
        content,
        replacing: earlier ?? 0,
        within: NotificationBus.closeLimit
      )
      for signal in try bus.takeKept() { take(signal) }
    } catch {
      if !content.actions.isEmpty, let call = bus.expectLate(after: error) {
        lateLogins[call] = notice.account
      }
      throw .notShown
    }
    if let earlier { logins[earlier] = nil }
    if id != 0, !content.actions.isEmpty { logins[id] = notice.account }
    receive()
  }

  /// Shows why a login that the person wanted did not happen; it needs no board.
  package static func show(
    failure reason: String,
    ofLogin account: String,
    program: String,
    at desktop: Desktop
  ) throws(DesktopError) {
    let bus = try NotificationBus(of: desktop)
    let id = try? bus.notify(NoticeText.failure(reason, of: account, program))
    guard let id, id != 0 else { throw .notShown }
  }

  /// The accounts that the person wants to sign in to, since the last call.
  package func takeLogins() -> [String] {
    receive()
    defer { chosen = [] }
    return chosen
  }

  private func receive() {
    // A call that closes a notification may have received more.
    while !hasGone {
      let signals = bus.takeSignals()
      guard !signals.isEmpty else { return }
      for signal in signals { take(signal) }
    }
  }

  private func take(_ signal: NotificationBus.Signal) {
    switch signal {
    case .action(let id, NoticeText.signIn.key):
      guard let account = logins.removeValue(forKey: id) else { return }
      chosen.append(account)
      bus.close(id)
    case .action, .other: return
    case .closed(let id): logins[id] = nil
    case .late(let id, let call):
      guard let account = lateLogins.removeValue(forKey: call), id != 0 else { return }
      logins[id] = account
    case .gone: hasGone = true
    }
  }

  /// Removes a notification from the screen, see `NotificationServer.close()`.
  ///
  /// - Returns: whether the server answers.
  private func close(_ id: UInt32) -> Bool {
    let empty = NotificationBus.Content(summary: NoticeText.loginRequired, body: "", expiry: 1)
    guard
      let id = try? bus.notify(empty, replacing: id, within: NotificationBus.closeLimit)
    else { return false }
    bus.close(id)
    return true
  }
}

/// The sentences of a notice.
enum NoticeText {
  static let signIn = NotificationBus.Action(key: "sign-in", label: "Sign in")
  static let used = "Account used"
  static let released = "Refresh token released"
  static let loginRequired = "Login required"
  static let loginFailed = "Login failed"
  static let secretExpires = "Secret expires soon"
  /// The longest name of an account, and the longest text of another kind.
  private static let longestName = 64
  private static let longestText = 120
  /// The longest reason of a failed login.
  private static let longestReason = 300

  /// The notification of a notice, in these words or in English.
  ///
  /// No text of a caller or a provider is markup, a line of its own, or longer than a line.
  static func content(
    _ notice: DesktopNotice,
    _ program: String = "thumblatch",
    saying words: NoticeWords? = nil
  ) -> NotificationBus.Content {
    let words = words ?? self.words(of: notice, program)
    var content = NotificationBus.Content(summary: words.summary, body: words.body)
    switch notice.kind {
    case .loginRequired:
      content.urgency = .normal
      content.actions = words.signIn.map { [.init(key: signIn.key, label: $0)] } ?? []
    case .secretExpires: (content.urgency, content.expiry) = (.low, -1)
    case .allowed: (content.urgency, content.isTransient, content.expiry) = (.low, true, -1)
    }
    return content
  }

  /// What a notification says in English, with a command for a terminal.
  static func words(of notice: DesktopNotice, _ program: String) -> NoticeWords {
    let account = PlainText.line(notice.account, limit: longestName)
    switch notice.kind {
    case .loginRequired:
      let canSignIn = notice.browser == true
      return NoticeWords(
        summary: loginRequired,
        body: "Programs get no tokens of account '\(account)' until you sign in again."
          + (canSignIn ? "" : " At a terminal, run: \(program) login \(account)"),
        signIn: canSignIn ? signIn.label : nil
      )
    case .secretExpires:
      return NoticeWords(
        summary: secretExpires,
        body: "The secret of account '\(account)' expires"
          + (notice.expiresAt.map { " at \(DateTime.text(Int64($0)))" } ?? " soon")
          + ". Make another one at its host. Then, at a terminal, run: \(program) store \(account)"
      )
    case .allowed:
      return NoticeWords(
        summary: notice.purpose == .release ? released : used,
        body: allowed(notice, account)
      )
    }
  }

  /// The notification of a login that failed.
  static func failure(
    _ reason: String,
    of account: String,
    _ program: String = "thumblatch"
  ) -> NotificationBus.Content {
    let account = PlainText.line(account, limit: longestName)
    let reason = PlainText.line(reason, limit: longestReason)
    return NotificationBus.Content(
      summary: loginFailed,
      body: "Account '\(account)' was not signed in: \(reason)."
        + " At a terminal, run: \(program) login \(account)",
      urgency: .normal
    )
  }

  private static func allowed(_ notice: DesktopNotice, _ account: String) -> String {
    func line(_ text: String) -> String { PlainText.line(text, limit: longestText) }
    let action = notice.purpose?.action(account: account, detail: notice.detail.map(line))
    let requester = PresenceText.requested(by: notice.requester ?? "an unknown program")
    return "Allowed by \(method(notice.method)): \(action ?? "use account '\(account)'")"
      + " (\(requester))"
  }

  private static func method(_ name: String?) -> String {
    name.flatMap(PresenceMethod.init(rawValue:))?.name
      ?? (name == "unlock-window" ? "the open unlock window" : "another check")
  }
}
