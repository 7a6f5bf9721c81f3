public import AuthSession
internal import Synchronization

/// A vault of a test: it keeps one account in memory, and needs no program, no network, no reader.
///
/// What it does is set by `set`, what it was asked is counted. A presence check waits for a
/// presenter, such as `ScriptedPresenter`, to touch its reader or to type its password.
public final class StubVault: AuthVault {
  /// What a touch of the reader brings.
  public enum Touch: Sendable, Hashable {
    /// An enrolled finger.
    case match
    /// Another finger.
    case noMatch
    /// The last failure that was allowed: only the password counts from here on.
    case lockedOut
  }

  /// What can be called, as the key for failures and counts.
  public enum Call: Sendable, Hashable, CaseIterable {
    /// `snapshot(of:)`.
    case snapshot
    /// `accessToken(of:_:_:)`.
    case accessToken
    /// `login` and `register`.
    case login
    /// `beginLogin`.
    case beginLogin
    /// `signOut`.
    case signOut
    /// `fetchUser`.
    case fetchUser
    /// `verify`.
    case verify
    /// `setPresenceProtection`.
    case setPresenceProtection
    /// `unlock`.
    case unlock
    /// `lock`.
    case lock
    /// `presenceCapability`.
    case presenceCapability
    /// `checkPresence`.
    case checkPresence
    /// `send`.
    case send
  }

  /// All that can be set.
  public struct Settings: Sendable {
    /// The users of the provider: their passwords by their e-mail addresses.
    public var users: [String: String] = [:]
    /// The account; nil: there is none.
    public var account: AccountSnapshot?
    /// Whether an unlock window is open.
    public var isUnlocked = false
    /// How long a login at the provider can be ended, at most five minutes in a browser.
    public var loginLifetime = Duration.seconds(600)
    /// Where the account's provider sends a browser back; nil: to the usual address.
    public var redirectURI: String?
    /// How long a new access token lasts; nil: the provider does not say.
    public var tokenLifetime: Duration? = .seconds(3600)
    /// Whether presence can be shown, and how.
    public var capability = PresenceCapability.fingerprint(fingers: ["right-index"])
    /// Whether another prompt of the person is open: the next ones wait until it is not.
    public var otherPromptIsOpen = false
    /// What touches of the reader bring, one after the other; then each is a match.
    public var touches: [Touch] = []
    /// What the system password is.
    public var systemPassword = "system password"
    /// Whether a token for certain scopes may narrow the login: a call for one that does not accept
    /// this ends with `mayNarrowLogin`.
    public var mayNarrowLogin = false
    /// Whether the provider accepts access tokens that look valid.
    public var acceptsTokens = true
    /// The errors that the next calls end with; `loginRequired` is how the account stands then.
    public var failures: [Call: [AuthError]] = [:]
    /// The errors that the next refreshes end with, after the presence check if one is needed.
    public var refreshFailures: [AuthError] = []
    /// What a server answers; as it is set: 200 without a body.
    public var respond: @Sendable (AuthRequest, AccessToken) -> AuthResponse = { _, _ in
      AuthResponse(status: 200)
    }
    /// What the provider says when it is told of a signing out.
    public var signOut = SignOutOutcome(.ended)
  }

  struct Content: Sendable {
    var settings = Settings()
    var counts: [Call: Int] = [:]
    var refreshes = 0
    var loginsGivenUp = 0
    var token: AccessToken?
    var requests: [AuthRequest] = []
    var listeners: [UInt64: AsyncStream<VaultSnapshot>.Continuation] = [:]
    var nextListener: UInt64 = 0
    /// The prompts that were shown and have not ended.
    var prompts: [PresencePrompt] = []
    var queue: [PresencePrompt] = []
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []

    var snapshot: VaultSnapshot {
      var account = settings.account
      account?.accessTokenExpiresAt = token?.expiresAt
      return VaultSnapshot(account: account, isUnlocked: settings.isUnlocked)
    }
  }

  /// Where its tokens take the time from.
  public let clock: any AuthClock
  let content = Mutex(Content())

  /// One without an account.
  public init(clock: any AuthClock = SystemAuthClock()) {
    self.clock = clock
  }

  // MARK: What a test sets and reads

  /// Changes what it does, and tells whoever follows it.
  public func set(_ body: (inout Settings) -> Void) {
    let next = content.withLock { content -> [PresencePrompt] in
      body(&content.settings)
      guard !content.settings.otherPromptIsOpen else { return [] }
      defer { content.queue = [] }
      return content.queue
    }
    for prompt in next {
      prompt.dropActs()
      prompt.show(.ready)
    }
    announce()
  }

  /// An account that is signed in.
  public func signIn(_ user: User, protected isProtected: Bool = false, as name: String = "me") {
    set { settings in
      settings.account = AccountSnapshot(
        name: name,
        user: user,
        standing: .signedIn,
        isProtected: isProtected
      )
    }
  }

  /// Makes the access token that is stored end now.
  public func expireToken() {
    content.withLock { $0.token = nil }
  }

  /// Touches the reader for the prompt that waits the longest; nothing where none does.
  public func touch(_ touch: Touch = .match) {
    let prompt = content.withLock { content in
      if !content.prompts.isEmpty { content.settings.touches.append(touch) }
      return content.prompts.first
    }
    prompt?.touch()
  }

  /// Makes the account need a new login, as where the provider has revoked it.
  public func requireLogin(reason: String? = nil) {
    content.withLock { content in
      content.settings.account?.standing = .loginRequired(reason: reason)
      content.token = nil
    }
    announce()
  }

  /// Ends as an engine that is restarted: its window is closed, and whoever follows it hears no more.
  public func restart() {
    let listeners = content.withLock { content in
      content.settings.isUnlocked = false
      defer { content.listeners = [:] }
      return Array(content.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  /// How often each call was made.
  public func count(of call: Call) -> Int { content.withLock { $0.counts[call] ?? 0 } }
  /// How often the provider was asked for a new access token.
  public var refreshes: Int { content.withLock { $0.refreshes } }
  /// How many logins at the provider were given up.
  public var loginsGivenUp: Int { content.withLock { $0.loginsGivenUp } }
  /// The requests that were sent.
  public var requests: [AuthRequest] { content.withLock { $0.requests } }

  /// Lets calls wait until `letGo()`.
  public func hold() {
    content.withLock { $0.isHeld = true }
  }

  /// Lets the calls that wait go on.
  public func letGo() {
    let held = content.withLock { content in
      content.isHeld = false
      defer { content.held = [] }
      return content.held
    }
    for continuation in held { continuation.resume() }
  }

  // MARK: Steps

  /// Counts a call, waits while calls are held, and fails where the test said so.
  func begin(_ call: Call) async throws(AuthError) {
    content.withLock { $0.counts[call, default: 0] += 1 }
    await withCheckedContinuation { continuation in
      let goes = content.withLock { content in
        if content.isHeld { content.held.append(continuation) }
        return !content.isHeld
      }
      if goes { continuation.resume() }
    }
    if Task.isCancelled { throw AuthError(.cancelled, "the task that asked was cancelled") }
    let failure = content.withLock { content -> AuthError? in
      guard let failures = content.settings.failures[call], !failures.isEmpty else { return nil }
      return content.settings.failures[call]?.removeFirst()
    }
    guard let failure else { return }
    // How it stands is what its calls say.
    if failure.kind == .loginRequired { requireLogin(reason: failure.message) }
    throw failure
  }

  /// Changes the account, which must be there, and tells whoever follows it.
  func changeAccount(
    _ body: (inout AccountSnapshot) -> Void
  ) throws(AuthError) -> AccountSnapshot {
    let changed = content.withLock { content -> AccountSnapshot? in
      guard var account = content.settings.account else { return nil }
      body(&account)
      content.settings.account = account
      return account
    }
    guard let changed else { throw AuthError(.signedOut, "nobody is signed in") }
    announce()
    return changed
  }

  /// How it stands.
  var snapshot: VaultSnapshot { content.withLock { $0.snapshot } }

  /// Tells whoever follows it how it stands.
  func announce() {
    // Under the lock: the newest is to be the last that is told.
    content.withLock { content in
      for listener in content.listeners.values { listener.yield(content.snapshot) }
    }
  }
}
