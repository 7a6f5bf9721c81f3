/// What a session knows; its state follows from it and is stored nowhere.
///
/// Each fact excludes what contradicts it, so that a wrong state cannot be written down: there is
/// no lock without a login and a protection, and nobody is offline who is not signed in. What
/// happens changes facts by one of the functions here, at any time and in any order.
struct SessionFacts: Sendable {
  /// What is known of the login.
  enum Standing: Sendable, Hashable {
    case signedOut
    case loginRequired(User, reason: String?)
    case signedIn(User, Guard, isOffline: Bool)
  }

  /// What stands before the refresh token.
  enum Guard: Sendable, Hashable {
    case none
    case unlocked
    case locked
  }

  private(set) var standing = Standing.signedOut
  /// Whether the vault was ever asked.
  private(set) var isKnown = false
  /// Raised with each thing that the vault told by itself, and each login and sign-out: what was
  /// asked for before it is older.
  private(set) var news: UInt64 = 0
  /// Which watch over the vault counts: what another one tells comes too late.
  private(set) var watch: UInt64 = 0
  private(set) var isAuthenticating = false
  /// Shown in the order of their coming.
  private(set) var prompts: [PresencePrompt] = []
  private(set) var failure: AuthError?
  /// Calls that wait for the vault or for a provider.
  private(set) var calls = 0

  /// Where the session stands.
  var state: AuthState {
    if let prompt = prompts.first { return .presencePrompt(prompt) }
    if isAuthenticating { return .authenticating }
    if let failure { return .error(failure) }
    switch standing {
    case .signedOut: return .unauthenticated
    case .loginRequired(let user, let reason): return .loginRequired(user, reason: reason)
    case .signedIn(let user, .locked, _): return .locked(user)
    case .signedIn(let user, _, isOffline: true): return .offline(user)
    case .signedIn(let user, _, isOffline: false): return .authenticated(user)
    }
  }

  /// Who is signed in, whatever the session does at the moment.
  var user: User? {
    switch standing {
    case .signedOut: nil
    case .loginRequired(let user, _), .signedIn(let user, _, _): user
    }
  }

  /// Whether there is a login, whatever the session does at the moment.
  var isAuthenticated: Bool {
    if case .signedIn = standing { true } else { false }
  }

  /// Whether a presence check stands before the account.
  var isProtected: Bool {
    if case .signedIn(_, let kind, _) = standing { kind != .none } else { false }
  }

  /// Whether it does, and no unlock window is open.
  var isLocked: Bool {
    if case .signedIn(_, .locked, _) = standing { true } else { false }
  }

  /// Whose tokens may be kept in memory; another name is no other person.
  var tokenHolder: User? {
    guard case .signedIn(let user, _, _) = standing else { return nil }
    return User(id: user.id, email: user.email, issuer: user.issuer)
  }

  /// Whether the provider could not be reached the last time.
  var isOffline: Bool {
    if case .signedIn(_, _, isOffline: true) = standing { true } else { false }
  }

  /// The vault told how the account stands.
  mutating func saw(_ snapshot: VaultSnapshot) {
    isKnown = true
    guard let account = snapshot.account else {
      standing = .signedOut
      return
    }
    switch account.standing {
    case .signedOut: standing = .signedOut
    case .loginRequired(let reason): standing = .loginRequired(account.user, reason: reason)
    case .signedIn:
      var wasOffline = false
      if case .signedIn(_, _, let isOffline) = standing { wasOffline = isOffline }
      standing = .signedIn(
        account.user,
        !account.isProtected ? .none : snapshot.isUnlocked ? .unlocked : .locked,
        isOffline: wasOffline
      )
    }
  }

  /// The vault told by itself how the account stands.
  mutating func heard(_ snapshot: VaultSnapshot) {
    news += 1
    saw(snapshot)
  }

  /// Another watch counts from now on, or none; its number.
  mutating func watchAnew() -> UInt64 {
    watch += 1
    return watch
  }

  /// A login has brought an account.
  mutating func signedIn(_ snapshot: VaultSnapshot) {
    isAuthenticating = false
    heard(snapshot)
  }

  /// The vault told of the account alone: the window is as it was.
  mutating func saw(_ account: AccountSnapshot) {
    var isUnlocked = false
    if case .signedIn(_, .unlocked, _) = standing { isUnlocked = true }
    saw(VaultSnapshot(account: account, isUnlocked: isUnlocked))
  }

  /// An unlock window was opened, or closed.
  mutating func windowIs(open: Bool) {
    guard case .signedIn(let user, let kind, let isOffline) = standing, kind != .none else {
      return
    }
    standing = .signedIn(user, open ? .unlocked : .locked, isOffline: isOffline)
  }

  /// The session was locked, or the window is gone with the vault.
  mutating func locked() {
    news += 1
    windowIs(open: false)
  }

  /// Whether the provider could be reached.
  mutating func providerIs(reachable: Bool) {
    guard case .signedIn(let user, let kind, _) = standing else { return }
    standing = .signedIn(user, kind, isOffline: !reachable)
  }

  /// The provider no longer takes the login.
  mutating func loginEnded(reason: String?) {
    guard let user else { return }
    standing = .loginRequired(user, reason: reason)
  }

  /// The account was signed out.
  mutating func signedOut() {
    news += 1
    watch += 1
    standing = .signedOut
    failure = nil
  }

  /// A login begins; false: one is under way already.
  mutating func beginAuthenticating() -> Bool {
    guard !isAuthenticating else { return false }
    isAuthenticating = true
    failure = nil
    return true
  }

  /// The login that was begun has ended, well or not.
  mutating func endAuthenticating() {
    isAuthenticating = false
  }

  /// A prompt wants to be shown.
  mutating func begin(_ prompt: PresencePrompt) {
    prompts.append(prompt)
  }

  /// A prompt has ended.
  mutating func end(_ prompt: PresencePrompt) {
    prompts.removeAll { $0 == prompt }
  }

  /// A call is made; it takes the last failure away.
  mutating func beginCall() {
    calls += 1
    failure = nil
  }

  /// A call has ended.
  mutating func endCall() {
    calls -= 1
  }

  /// Something failed that the person is to know of.
  mutating func failed(_ error: AuthError) {
    failure = error
  }

  /// The person knows.
  mutating func dismissFailure() {
    failure = nil
  }
}
