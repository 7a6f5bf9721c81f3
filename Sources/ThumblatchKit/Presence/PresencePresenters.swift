/// Shows prompts to the person, in an app's own view or at a terminal.
public protocol PresencePresenter: Sendable {
  /// Shows the prompt until its phase is `ended`.
  ///
  /// The task is cancelled when the prompt ends.
  func present(_ prompt: PresencePrompt) async
}

/// A presenter for an app whose views follow `AuthSession.state`.
///
/// The views show the prompt in `presencePrompt`, and answer it.
public struct StatePresenter: PresencePresenter {
  /// Makes a presenter that leaves the display to the views.
  public init() {}

  /// Does nothing, because the state holds the prompt.
  public func present(_ prompt: PresencePrompt) async {}
}
