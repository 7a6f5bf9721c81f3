/// The facts that a session knows.
///
/// Its state is computed from them and stored nowhere.
///
/// Each fact excludes its contradictions, so that a wrong state cannot be represented. A lock needs
/// a sign-in and a protection, and only a user who is signed in can be offline. Events change facts
/// only by the functions here, at any time and in any order.
struct SessionFacts: Sendable {
  /// The status of the sign-in.
  enum Status: Sendable, Hashable {
    case signedOut
    case loginRequired(User, reason: String?)
    case signedIn(User, Guard, isOffline: Bool)
  }

  /// The protection of the refresh token.
  enum Guard: Sendable, Hashable {
    case none
    case unlocked
    case locked
  }

  private(set) var status = Status.signedOut
  /// Whether the vault was asked at least once.
  private(set) var isKnown = false
  /// Raised with each report that the vault sends by itself, and with each sign-in and sign-out.
  ///
  /// An answer to an earlier question is older.
  private(set) var news: UInt64 = 0
  /// Raised each time that the provider was reached.
  ///
  /// The failure of an earlier attempt is older.
  private(set) var reached: UInt64 = 0
  /// The number of the watch over the vault that counts.
  ///
  /// Reports of other watches come too late.
  private(set) var watch: UInt64 = 0
  private(set) var isAuthenticating = false
  /// Prompts, in the order in which they arrived.
  private(set) var prompts: [PresencePrompt] = []
  private(set) var failure: AuthError?
  /// Calls that wait for the vault or for a provider.
  private(set) var calls = 0

  /// What the session knows when a call begins.
  ///
  /// The end of the call must not undo what the session has learned since.
  struct Moment: Sendable, Hashable {
    let news: UInt64
    let reached: UInt64
  }

  /// What a call that begins now knows.
  var moment: Moment { Moment(news: news, reached: reached) }

  var state: AuthState {
    if let prompt = prompts.first { return .presencePrompt(prompt) }
    if isAuthenticating { return .authenticating }
    if let failure { return .error(failure) }
    switch status {
    case .signedOut: return .unauthenticated
    case .loginRequired(let user, let reason): return .loginRequired(user, reason: reason)
    case .signedIn(let user, .locked, _): return .locked(user)
    case .signedIn(let user, _, isOffline: true): return .offline(user)
    case .signedIn(let user, _, isOffline: false): return .authenticated(user)
    }
  }

  /// The user who is signed in, whatever the session does at the moment.
  var user: User? {
    switch status {
    case .signedOut: nil
    case .loginRequired(let user, _), .signedIn(let user, _, _): user
    }
  }

  /// Whether a user is signed in, whatever the session does at the moment.
  var isAuthenticated: Bool {
    if case .signedIn = status { true } else { false }
  }

  /// Whether a presence check protects the account.
  var isProtected: Bool {
    if case .signedIn(_, let kind, _) = status { kind != .none } else { false }
  }

  /// Whether the account is protected and no unlock window is open.
  var isLocked: Bool {
    if case .signedIn(_, .locked, _) = status { true } else { false }
  }

  /// The user whose tokens may be kept in memory.
  ///
  /// A new name is not a new user.
  var tokenHolder: User? {
    guard case .signedIn(let user, _, _) = status else { return nil }
    return User(id: user.id, email: user.email, issuer: user.issuer)
  }

  /// Whether the last attempt to reach the provider failed.
  var isOffline: Bool {
    if case .signedIn(_, _, isOffline: true) = status { true } else { false }
  }

  /// Takes in the vault's answer on the account.
  mutating func saw(_ snapshot: VaultSnapshot) {
    isKnown = true
    guard let account = snapshot.account else {
      status = .signedOut
      return
    }
    switch account.status {
    case .signedOut: status = .signedOut
    case .loginRequired(let reason): status = .loginRequired(account.user, reason: reason)
    case .signedIn:
      var wasOffline = false
      if case .signedIn(_, _, let isOffline) = status { wasOffline = isOffline }
      status = .signedIn(
        account.user,
        !account.isProtected ? .none : snapshot.isUnlocked ? .unlocked : .locked,
        isOffline: wasOffline
      )
    }
  }

  /// Takes in a report that the vault sent by itself.
  mutating func heard(_ snapshot: VaultSnapshot) {
    news += 1
    saw(snapshot)
  }

  /// Begins a new watch: from now on, only that one counts, or none.
  ///
  /// Returns its number.
  mutating func watchAnew() -> UInt64 {
    watch += 1
    return watch
  }

  /// A sign-in has returned an account, from a provider that was reached.
  mutating func signedIn(_ snapshot: VaultSnapshot) {
    isAuthenticating = false
    heard(snapshot)
    providerIs(reachable: true)
  }

  /// Takes in an answer on only the account.
  ///
  /// The window does not change.
  mutating func saw(_ account: AccountSnapshot) {
    var isUnlocked = false
    if case .signedIn(_, .unlocked, _) = status { isUnlocked = true }
    saw(VaultSnapshot(account: account, isUnlocked: isUnlocked))
  }

  /// An unlock window was opened or closed.
  mutating func windowIs(open: Bool) {
    guard case .signedIn(let user, let kind, let isOffline) = status, kind != .none else { return }
    status = .signedIn(user, open ? .unlocked : .locked, isOffline: isOffline)
  }

  /// The session was locked, or the window ended with the engine.
  mutating func locked() {
    news += 1
    windowIs(open: false)
  }

  /// Records whether the provider could be reached.
  mutating func providerIs(reachable: Bool) {
    if reachable { reached += 1 }
    guard case .signedIn(let user, let kind, _) = status else { return }
    status = .signedIn(user, kind, isOffline: !reachable)
  }

  /// Records that an attempt that began at a moment did not reach the provider, unless another one
  /// has reached it since.
  mutating func missedProvider(since begin: Moment) {
    if reached == begin.reached { providerIs(reachable: false) }
  }

  /// The provider no longer accepts the sign-in.
  mutating func signInEnded(reason: String?) {
    guard let user else { return }
    status = .loginRequired(user, reason: reason)
  }

  /// The account was signed out.
  mutating func signedOut() {
    news += 1
    watch += 1
    status = .signedOut
    failure = nil
  }

  /// Begins a sign-in.
  ///
  /// Returns false if one is under way already.
  mutating func beginAuthenticating() -> Bool {
    guard !isAuthenticating else { return false }
    isAuthenticating = true
    failure = nil
    return true
  }

  /// The sign-in has ended, with or without success.
  mutating func endAuthenticating() {
    isAuthenticating = false
  }

  /// Adds a prompt that must be shown.
  ///
  /// Prompts that have ended, and whose calls go on, make room for it.
  mutating func begin(_ prompt: PresencePrompt) {
    prompts.removeAll(where: \.hasEnded)
    prompts.append(prompt)
  }

  /// A prompt has ended, and its call may go on: another prompt is shown if one waits.
  mutating func hasEnded(_ prompt: PresencePrompt) {
    if prompts.count > 1 { end(prompt) }
  }

  /// The call of a prompt has ended.
  mutating func end(_ prompt: PresencePrompt) {
    prompts.removeAll { $0 == prompt }
  }

  /// Begins a call, which clears the last failure.
  mutating func beginCall() {
    calls += 1
    failure = nil
  }

  mutating func endCall() {
    calls -= 1
  }

  /// Records a failure that the person must see.
  mutating func failed(_ error: AuthError) {
    failure = error
  }

  /// The person has seen the failure.
  mutating func dismissFailure() {
    failure = nil
  }
}
