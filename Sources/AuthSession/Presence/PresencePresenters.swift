/// Shows prompts to the person: an app's own view, or a terminal.
public protocol PresencePresenter: Sendable {
  /// Shows the prompt until its phase is `ended`.
  ///
  /// The task is cancelled when the prompt has ended.
  func present(_ prompt: PresencePrompt) async
}

/// A presenter for an app whose views follow `AuthSession.state`: they show the prompt that stands
/// in `presencePrompt`, and answer it.
public struct StatePresenter: PresencePresenter {
  /// Leaves the showing to the views.
  public init() {}

  /// Does nothing: the state says it.
  public func present(_ prompt: PresencePrompt) async {}
}
