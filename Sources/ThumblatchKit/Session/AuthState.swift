/// The state of a session, which decides the view that an app shows.
///
/// An app reads it. Only events change it.
public enum AuthState: Sendable, Hashable {
  /// No user is signed in: show the sign-in view.
  case unauthenticated
  /// A sign-in or a registration is under way.
  case authenticating
  /// A user is signed in, and tokens are available.
  case authenticated(User)
  /// A person must show presence: show the prompt.
  ///
  /// After its check, a prompt stays in the state with the phase `ended` until its call ends, or
  /// until another prompt replaces it.
  case presencePrompt(PresencePrompt)
  /// A user is signed in to a protected account, and no unlock window is open: show the lock view.
  ///
  /// The session still returns a valid access token, unless
  /// ``AuthConfiguration/refusesWhileLocked`` is set.
  case locked(User)
  /// Only a new sign-in helps, for this reason.
  ///
  /// The vault keeps its data until then.
  case loginRequired(User, reason: String?)
  /// A user is signed in, but the provider cannot be reached now.
  case offline(User)
  /// The last call failed.
  ///
  /// `dismissError()` leaves this state.
  case error(AuthError)

  /// The user who is signed in, if that is part of the state.
  public var user: User? {
    switch self {
    case .authenticated(let user), .locked(let user), .offline(let user),
      .loginRequired(let user, _):
      user
    case .unauthenticated, .authenticating, .presencePrompt, .error: nil
    }
  }

  /// Whether this state means that a user is signed in.
  ///
  /// The session may be locked or offline.
  ///
  /// It is false while a sign-in, a prompt or an error hides that. Read
  /// ``AuthSession/isAuthenticated`` then.
  public var isSignedIn: Bool {
    switch self {
    case .authenticated, .locked, .offline: true
    case .unauthenticated, .authenticating, .presencePrompt, .loginRequired, .error: false
    }
  }
}
