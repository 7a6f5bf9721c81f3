internal import DesktopPrompt
internal import System
internal import VaultClient
internal import VaultInterface

/// Shows notices at the desktop, and starts the sign-ins that the person chooses there.
final class AgentNotices {
  private let session: Session
  private let location: VaultLocation
  private var board: NoticeBoard?
  /// When the secret of an account expires, for each shown reminder.
  ///
  /// An engine that has ended in the meantime gives a reminder again.
  private var reminders: [String: Int] = [:]
  /// The most reminders that are remembered.
  private static let mostReminders = 1024

  init(_ session: Session, of location: VaultLocation) {
    self.session = session
    self.location = location
  }

  /// The beginning of a command for the vault of the notices.
  private var program: String { session.output.commands.program }

  /// Readable when the person may have acted.
  var input: Int32? { board?.descriptor }

  /// Shows a notice, unless the session is locked, not active or remote.
  ///
  /// A reminder is shown once for each account and end of its secret.
  func show(_ notice: DesktopNotice) {
    let end = notice.kind == .secretExpires ? notice.expiresAt : nil
    if let end, reminders[notice.account] == end { return }
    do throws(DesktopError) {
      let desktop = try Desktop(variable: session.environment)
      if board == nil { board = try NoticeBoard(at: desktop, program: program) }
      try board?.show(notice)
      if let end { remember(notice.account, end) }
    } catch {
      session.output.talk(Self.notShown(error))
    }
    act()
  }

  private func remember(_ account: String, _ end: Int) {
    if reminders.count >= Self.mostReminders { reminders = [:] }
    reminders[account] = end
  }

  /// Performs the person's choice.
  func act() {
    guard let board else { return }
    for account in board.takeLogins() { signIn(to: account) }
    // Another server may take its place.
    if board.isOver { self.board = nil }
  }

  /// Starts `thumblatch login`, which opens the browser of the session.
  private func signIn(to account: String) {
    do throws(CommandError) {
      let name = try session.accountName(account)
      do throws(SystemError) {
        let isPrivate = location == .privateVault
        try AgentSignIn(account: name, isPrivate: isPrivate, program: program).start()
      } catch {
        session.output.talk(Self.notStarted(error))
      }
    } catch {
      session.output.talk(error.message)
    }
  }

  /// The agent's message about a notice that it could not show.
  static func notShown(_ error: DesktopError) -> String { "no notice was shown: \(error)" }

  /// The agent's message about a sign-in that it could not start.
  static func notStarted(_ error: SystemError) -> String {
    "the sign-in could not be started: \(error)"
  }
}
