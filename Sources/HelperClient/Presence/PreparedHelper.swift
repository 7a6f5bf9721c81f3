internal import HelperInterface
internal import PresenceTerms
internal import Synchronization
internal import System
internal import TokenVault

/// A helper that was started with a prompt and waits for its check.
///
/// Until the check it holds no print and no reader. It ends when its socket closes: after the
/// prompt, or with the engine.
final class PreparedHelper: PreparedCheck {
  private let route: HelperRoute
  private let turn: ReaderTurn
  private let link: Mutex<HelperLink?>

  /// Makes a prepared helper; `nil` if it cannot be started.
  ///
  /// The check then reports the reason.
  init?(by route: HelperRoute, turn: ReaderTurn) {
    self.route = route
    self.turn = turn
    guard let link = try? HelperLink(.presence, by: route) else { return nil }
    self.link = Mutex(link)
  }

  func desktopFingers(of caller: Caller) async throws(PresenceFailure) -> DesktopFingers? {
    guard let helper = link.withLock({ $0 }) else { throw .notAvailable(HelperError.ended.reason) }
    return try await DesktopQuestion(caller, by: route).fingers(of: helper)
  }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    let helper = link.withLock { $0.take() }
    return try HelperCheck(attempt, of: caller, by: route, turn: turn, prepared: helper)
  }

  func end() {
    guard let helper = link.withLock({ $0.take() }) else { return }
    helper.hangUp()
    // Wait for the child, so that no zombie process is left.
    try? startThread { helper.finish(withinMilliseconds: 1000) }
  }
}
