/// Where a session stands: what decides which view an app shows.
///
/// An app reads it; only what happens changes it.
public enum AuthState: Sendable, Hashable {
  /// Nobody is signed in: show the login view.
  case unauthenticated
  /// A login or a registration is under way.
  case authenticating
  /// Signed in, and tokens can be had.
  case authenticated(User)
  /// Someone has to show that they are here: show the prompt.
  case presencePrompt(PresencePrompt)
  /// Signed in and protected, and no unlock window is open: show the lock view.
  ///
  /// A valid access token is handed out all the same, unless
  /// ``AuthConfiguration/refusesWhileLocked``.
  case locked(User)
  /// Only a login helps, for this reason; what was there stays until then.
  case loginRequired(User, reason: String?)
  /// Signed in, but the provider cannot be reached from here now.
  case offline(User)
  /// The last thing that was asked for failed; `dismissError()` leads back.
  case error(AuthError)

  /// Who is signed in, where that is part of the state.
  public var user: User? {
    switch self {
    case .authenticated(let user), .locked(let user), .offline(let user),
      .loginRequired(let user, _):
      user
    case .unauthenticated, .authenticating, .presencePrompt, .error: nil
    }
  }

  /// Whether this state is one of somebody who is signed in, be the session locked or offline.
  ///
  /// It is false while a login, a prompt or an error stands before that: then
  /// ``AuthSession/AuthSession/isAuthenticated`` tells.
  public var isSignedIn: Bool {
    switch self {
    case .authenticated, .locked, .offline: true
    case .unauthenticated, .authenticating, .presencePrompt, .loginRequired, .error: false
    }
  }
}
