package import VaultInterface

/// What a notification says about a notice.
package struct NoticeWords: Sendable {
  package let summary: String
  package let body: String
  /// The label of the action that signs in; `nil` without the action.
  package let signIn: String?

  package init(summary: String, body: String, signIn: String? = nil) {
    (self.summary, self.body, self.signIn) = (summary, body, signIn)
  }
}

/// The notices of an engine that an agent shows, each in a notification.
///
/// A reminder is shown once for each account and expiry time of its secret.
package final class DesktopNotices {
  /// The most reminders that are remembered.
  private static let mostReminders = 1024

  private let variable: (String) -> String?
  private let program: String
  private let words: ((DesktopNotice) -> NoticeWords)?
  private var board: NoticeBoard?
  /// When the secret of an account expires, for each shown reminder.
  ///
  /// An engine that has ended in the meantime gives a reminder again.
  private var reminders: [String: Int] = [:]

  /// Makes the notices of a process, which connects to the desktop at the first one.
  ///
  /// - Parameters:
  ///   - variable: reads a variable of the process's environment.
  ///   - program: the beginning of a command for the vault of the notices.
  ///   - words: what a notification says; without it, English with commands for a terminal.
  package init(
    variable: @escaping (String) -> String?,
    program: String = "thumblatch",
    words: ((DesktopNotice) -> NoticeWords)? = nil
  ) {
    (self.variable, self.program, self.words) = (variable, program, words)
  }

  /// Readable when the person may have acted.
  package var input: Int32? { board?.descriptor }

  /// Shows a notice, unless the session is locked, not active or remote.
  package func show(_ notice: DesktopNotice) throws(DesktopError) {
    let end = notice.kind == .secretExpires ? notice.expiresAt : nil
    if let end, reminders[notice.account] == end { return }
    let desktop = try Desktop(variable: variable)
    if board == nil { board = try NoticeBoard(at: desktop, program: program) }
    try board?.show(notice, saying: words?(notice))
    if let end { remember(notice.account, end) }
  }

  private func remember(_ account: String, _ end: Int) {
    if reminders.count >= Self.mostReminders { reminders = [:] }
    reminders[account] = end
  }

  /// The accounts that the person wants to sign in to, since the last call.
  package func takeLogins() -> [String] {
    guard let board else { return [] }
    let logins = board.takeLogins()
    // Another notification server may start later.
    if board.isOver { self.board = nil }
    return logins
  }
}
