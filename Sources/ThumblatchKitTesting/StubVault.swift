internal import Synchronization
public import ThumblatchKit

/// A vault for tests.
///
/// It keeps one account in memory, and needs no program, no network and no reader.
///
/// `set` configures its behavior, and it counts its calls. A presence check waits for a presenter,
/// such as `ScriptedPresenter`, to touch its reader or to type its password.
public final class StubVault: AuthVault {
  /// The result of a touch.
  public enum Touch: Sendable, Hashable {
    /// The finger is enrolled.
    case match
    /// The finger is not enrolled.
    case noMatch
    /// The last failure that is allowed.
    ///
    /// From now on only the password counts.
    case lockedOut
  }

  /// The calls of the vault, as keys for failures and counts.
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

  /// The settings of the stub.
  public struct Settings: Sendable {
    /// The users of the provider: passwords by e-mail address.
    public var users: [String: String] = [:]
    /// The account; `nil` if there is none.
    public var account: AccountSnapshot?
    /// Whether an unlock window is open.
    public var isUnlocked = false
    /// How long a sign-in at the provider can be completed.
    ///
    /// In a browser it is at most five minutes.
    public var loginLifetime = Duration.seconds(600)
    /// The address to which the account's provider sends a browser back; `nil` for the usual
    /// address.
    public var redirectURI: String?
    /// How long a new access token lasts; `nil` if the provider does not say.
    public var tokenLifetime: Duration? = .seconds(3600)
    /// Whether a person can show presence, and in which ways.
    public var capability = PresenceCapability.fingerprint(fingers: ["right-index"])
    /// Whether another prompt of the person is open.
    ///
    /// Further prompts wait until it is not.
    public var otherPromptIsOpen = false
    /// The results of the next touches, in order.
    ///
    /// Each later touch is a match.
    public var touches: [Touch] = []
    /// The system password.
    public var systemPassword = "system password"
    /// Whether a token for certain scopes may narrow the sign-in.
    ///
    /// A call that does not accept this then throws `mayNarrowLogin`.
    public var mayNarrowLogin = false
    /// Whether the provider accepts access tokens that look valid.
    public var acceptsTokens = true
    /// The errors of the next calls.
    ///
    /// `loginRequired` also changes the account's status.
    public var failures: [Call: [AuthError]] = [:]
    /// The errors of the next refreshes, after the presence check if one is needed.
    public var refreshFailures: [AuthError] = []
    /// The answer of a server.
    ///
    /// The default is 200 without a body.
    public var respond: @Sendable (AuthRequest, AccessToken) -> AuthResponse = { _, _ in
      AuthResponse(status: 200)
    }
    /// The provider's answer to a sign-out.
    public var signOut = SignOutOutcome(.ended)
  }

  struct Content: Sendable {
    var settings = Settings()
    var counts: [Call: Int] = [:]
    var refreshes = 0
    var loginsGivenUp = 0
    var token: AccessToken?
    var requests: [AuthRequest] = []
    /// The prompts that were shown and have not ended.
    var prompts: [PresencePrompt] = []
    var queue: [PresencePrompt] = []
    /// Whether too many fingers have failed, and no password was given since.
    var isLockedOut = false
    var heldCalls: Set<Call> = []
    var held: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var lastHeld: UInt64 = 0

    var snapshot: VaultSnapshot {
      var account = settings.account
      account?.accessTokenExpiresAt = token?.expiresAt
      return VaultSnapshot(account: account, isUnlocked: settings.isUnlocked)
    }
  }

  /// The clock of its tokens.
  public let clock: any AuthClock
  let content = Mutex(Content())
  /// The streams of the state.
  ///
  /// They have a lock of their own, because the cancellation handler of a held call takes the lock
  /// of `content`.
  let listeners = Mutex(StreamListeners<VaultSnapshot>())

  /// Makes a vault without an account.
  public init(clock: any AuthClock = SystemAuthClock()) {
    self.clock = clock
  }

  // MARK: For tests

  /// Changes the settings, and reports the new state.
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

  /// Adds an account that is signed in.
  public func signIn(_ user: User, protected isProtected: Bool = false, as name: String = "me") {
    set { settings in
      settings.account = AccountSnapshot(
        name: name,
        user: user,
        status: .signedIn,
        isProtected: isProtected
      )
    }
  }

  /// Makes the stored access token expire now.
  public func expireToken() {
    content.withLock { $0.token = nil }
  }

  /// Touches the reader for the prompt that has waited for the longest time.
  ///
  /// Without a prompt it does nothing.
  public func touch(_ touch: Touch = .match) {
    let prompt = content.withLock { content in
      if !content.prompts.isEmpty { content.settings.touches.append(touch) }
      return content.prompts.first
    }
    prompt?.touch()
  }

  /// Makes the account need a new sign-in, as if the provider had revoked the old one.
  public func requireLogin(reason: String? = nil) {
    content.withLock { content in
      content.settings.account?.status = .loginRequired(reason: reason)
      content.token = nil
    }
    announce()
  }

  /// Acts like an engine that restarts: its window closes, and the streams of its state end.
  public func restart() {
    content.withLock { $0.settings.isUnlocked = false }
    listeners.withLock { $0.finish() }
  }

  /// How often each call was made.
  public func count(of call: Call) -> Int { content.withLock { $0.counts[call] ?? 0 } }
  /// How often the provider was asked for a new access token.
  public var refreshes: Int { content.withLock { $0.refreshes } }
  /// How many sign-ins at the provider were given up.
  public var loginsGivenUp: Int { content.withLock { $0.loginsGivenUp } }
  /// The requests that were sent.
  public var requests: [AuthRequest] { content.withLock { $0.requests } }

  /// Holds these calls until `letGo()`, or until their tasks are cancelled.
  public func hold(_ calls: Set<Call> = Set(Call.allCases)) {
    content.withLock { $0.heldCalls = calls }
  }

  /// Continues the held calls.
  public func letGo() {
    let held = content.withLock { content in
      content.heldCalls = []
      defer { content.held = [:] }
      return content.held.sorted { $0.key < $1.key }
    }
    for (_, continuation) in held { continuation.resume() }
  }

  // MARK: Steps

  /// Counts a call, waits while calls are held, and throws the error that the test has set.
  func begin(_ call: Call) async throws(AuthError) {
    content.withLock { $0.counts[call, default: 0] += 1 }
    await waitWhileHeld(call)
    if Task.isCancelled { throw AuthError(.cancelled, "the task that asked was cancelled") }
    let failure = content.withLock { content -> AuthError? in
      guard let failures = content.settings.failures[call], !failures.isEmpty else { return nil }
      return content.settings.failures[call]?.removeFirst()
    }
    guard let failure else { return }
    // The account's status must match the error.
    if failure.kind == .loginRequired { requireLogin(reason: failure.message) }
    throw failure
  }

  /// Waits while calls of this kind are held, unless the task is cancelled.
  private func waitWhileHeld(_ call: Call) async {
    let number = content.withLock { content in
      content.lastHeld += 1
      return content.lastHeld
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isHeld = content.withLock { content in
          // A task that was cancelled earlier has no handler that would end its wait.
          guard content.heldCalls.contains(call), !Task.isCancelled else { return false }
          content.held[number] = continuation
          return true
        }
        if !isHeld { continuation.resume() }
      }
    } onCancel: {
      content.withLock { $0.held.removeValue(forKey: number) }?.resume()
    }
  }

  /// Changes the account, which must exist, and reports the new state.
  func changeAccount(_ body: (inout AccountSnapshot) -> Void) throws(AuthError) -> AccountSnapshot {
    let changed = content.withLock { content -> AccountSnapshot? in
      guard var account = content.settings.account else { return nil }
      body(&account)
      content.settings.account = account
      return account
    }
    guard let changed else { throw AuthError(.signedOut, "no user is signed in") }
    announce()
    return changed
  }

  /// The state of the account and the window.
  var snapshot: VaultSnapshot { content.withLock { $0.snapshot } }

  /// Reports the state to all streams.
  func announce() {
    // Read the state under the lock of the streams, so that the newest one is reported last.
    listeners.withLock { $0.yield(snapshot) }
  }
}
