internal import DesktopPrompt
internal import System
internal import VaultClient
internal import VaultInterface

/// Shows notices at the desktop, and starts the sign-ins that the person chooses there.
final class AgentNotices {
  private let session: Session
  private let location: VaultLocation
  private let notices: DesktopNotices

  init(_ session: Session, of location: VaultLocation) {
    self.session = session
    self.location = location
    notices = DesktopNotices(variable: session.environment)
  }

  /// Readable when the person may have acted.
  var input: Int32? { notices.input }

  /// Shows a notice, unless the session is locked, not active or remote.
  func show(_ notice: DesktopNotice) {
    do throws(DesktopError) {
      try notices.show(notice)
    } catch {
      session.output.talk(Self.notShown(error))
    }
    act()
  }

  /// Performs the person's choice.
  func act() {
    for account in notices.takeLogins() { signIn(to: account) }
  }

  /// Starts `thumblatch login`, which opens the browser of the session.
  private func signIn(to account: String) {
    do throws(CommandError) {
      let name = try session.accountName(account)
      do throws(SystemError) {
        try AgentSignIn(account: name, isPrivate: location == .privateVault).start()
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
