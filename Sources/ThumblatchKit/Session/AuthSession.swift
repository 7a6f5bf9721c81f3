public import Observation
internal import Synchronization

/// An app's session: the user who is signed in, and a valid access token whenever the app needs
/// one.
///
/// Several tasks and threads may use it at the same time. Its state can be observed (Observation),
/// or followed as a sequence: `states`. The refresh token never enters the app: the vault keeps and
/// uses it, after a presence check if the account is protected.
///
/// ```swift
/// let session = AuthSession(
///   account: "my-app",
///   provider: try .openID("https://login.example.com", clientID: "my-app"),
///   presenter: TerminalPresenter()
/// )
/// switch try await session.restore() {
/// case .authenticated(let user): print("welcome back, \(user.name ?? "you")")
/// case .locked: try await session.unlock(reason: "to show your mail")
/// default: try await session.loginInBrowser()
/// }
/// let token = try await session.accessToken()
/// ```
public final class AuthSession: Sendable, Observable {
  /// The parts of the session that change.
  struct Content: Sendable {
    var facts = SessionFacts()
    /// Raised when tokens that are under way must no longer be kept.
    var epoch: UInt64 = 0
    var failedChecks = 0
    var watch: Task<Void, Never>?
    /// Whether the vault reports changes at this moment.
    var hears = false
    var network: Task<Void, Never>?
    var listeners = StreamListeners<AuthState>()

    /// Ends the watch over the vault, and returns its task.
    ///
    /// The caller cancels the task after it has released the lock, because a cancellation runs the
    /// handlers of the task.
    mutating func takeWatch() -> Task<Void, Never>? {
      _ = facts.watchAnew()
      hears = false
      defer { watch = nil }
      return watch
    }
  }

  /// The account's name in the vault.
  public let account: String
  /// The provider of the account; `nil` if an existing account uses its previous provider.
  public let provider: AuthProvider?
  /// The settings of the session.
  public let configuration: AuthConfiguration

  let vault: any AuthVault
  let clock: any AuthClock
  let presenter: (any PresencePresenter)?
  let network: any NetworkMonitor
  let tokens: SharedWork<TokenWork, FetchedToken>
  private let content = Mutex(Content())
  private let cached = Mutex<AccessToken?>(nil)
  private let registrar = ObservationRegistrar()

  /// Makes a session for one account of the machine's vault.
  ///
  /// It opens and asks nothing before the first call. Tests name another vault, such as the stub of
  /// `ThumblatchKitTesting`.
  public init(
    account: String,
    provider: AuthProvider? = nil,
    configuration: AuthConfiguration = AuthConfiguration(),
    presenter: (any PresencePresenter)? = nil,
    vault: any AuthVault = EngineVault(),
    clock: any AuthClock = SystemAuthClock(),
    network: any NetworkMonitor = SystemNetworkMonitor()
  ) {
    self.account = account
    self.provider = provider
    self.configuration = configuration
    self.presenter = presenter
    self.vault = vault
    self.clock = clock
    self.network = network
    tokens = SharedWork()
  }

  deinit {
    let ended = content.withLock { content in
      content.listeners.finish()
      return [content.watch, content.network]
    }
    for task in ended { task?.cancel() }
  }

  // MARK: Observable state

  /// The state of the session.
  ///
  /// It is `unauthenticated` until `restore()`, or the first call, has asked the vault.
  public var state: AuthState { observed { $0.state } }
  /// Whether a user is signed in, whatever the session does at the moment.
  public var isAuthenticated: Bool { observed { $0.isAuthenticated } }
  /// The user who is signed in.
  public var currentUser: User? { observed { $0.user } }
  /// Whether a call waits for the vault or a provider.
  ///
  /// Requests and tokens do not count.
  public var isLoading: Bool { observed { $0.calls > 0 || $0.isAuthenticating } }
  /// The last failure, as a text for the person.
  public var errorMessage: String? { observed { $0.failure?.description } }
  /// Whether the last attempt to reach the provider failed.
  ///
  /// It does not depend on the lock.
  public var isOffline: Bool { observed { $0.isOffline } }
  /// Whether a presence check guards the account.
  public var hasProtectedCredentials: Bool { observed { $0.isProtected } }

  /// Leaves the state `error`.
  public func dismissError() {
    change { $0.dismissFailure() }
  }

  /// Each state from now on.
  ///
  /// The present state comes first, and the sequence ends with the session.
  ///
  /// At most 64 states wait. A slow reader misses the oldest ones.
  public var states: AsyncStream<AuthState> {
    content.withLock { $0.listeners.stream(from: $0.facts.state, waiting: 64) }
  }

  private func observed<Value>(_ read: (SessionFacts) -> Value) -> Value {
    registrar.access(self, keyPath: \.state)
    return content.withLock { read($0.facts) }
  }

  // MARK: Changes

  /// The facts at this moment.
  var facts: SessionFacts { content.withLock { $0.facts } }

  /// Changes facts, and notifies the observers of the state.
  @discardableResult
  func change<Value>(_ body: (inout SessionFacts) -> Value) -> Value {
    // Make the change first. An observer on another thread that is notified earlier could read the
    // old state and would not be notified again.
    defer { registrar.withMutation(of: self, keyPath: \.state) {} }
    let (value, network) = content.withLock { content in
      let (old, wasLocked) = (content.facts.state, content.facts.isLocked)
      let holder = content.facts.tokenHolder
      let value = body(&content.facts)
      let new = content.facts.state
      if content.facts.tokenHolder != holder || content.facts.isLocked && !wasLocked {
        content.epoch += 1
        cached.withLock { $0 = nil }
      }
      let network = content.facts.isOffline ? nil : content.network
      if network != nil { content.network = nil }
      if new != old { content.listeners.yield(new) }
      return (value, network)
    }
    network?.cancel()
    return value
  }

  /// Counts failed presence checks.
  ///
  /// Returns how many there are in a row.
  func addFailedChecks(_ count: Int) -> Int {
    content.withLock { content in
      content.failedChecks += count
      return content.failedChecks
    }
  }

  /// Clears the count of failed checks, because a check has passed or another sign-in has begun.
  func checkHasPassed() {
    content.withLock { $0.failedChecks = 0 }
  }

  /// Makes `task` the watch over the vault, and ends the previous watch.
  func follow(_ make: (_ number: UInt64) -> Task<Void, Never>) {
    let previous = content.withLock { content in
      defer { content.watch = make(content.facts.watchAnew()) }
      content.hears = true
      return content.watch
    }
    previous?.cancel()
  }

  /// Ends the watch over the vault, because its pending reports are older than a call that has
  /// ended.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func stopFollowing() -> Bool {
    let watch = content.withLock { $0.takeWatch() }
    watch?.cancel()
    return watch != nil
  }

  /// Ends the watch over the vault if no user is signed in.
  ///
  /// - Returns: whether no user is signed in.
  func stopFollowingNobody() -> Bool {
    let (isSignedOut, watch) = content.withLock { content -> (Bool, Task<Void, Never>?) in
      guard content.facts.status == .signedOut else { return (false, nil) }
      return (true, content.takeWatch())
    }
    watch?.cancel()
    return isSignedOut
  }

  /// Sets whether this watch receives reports of changes from now on.
  func hears(_ does: Bool, watch number: UInt64) {
    content.withLock { if $0.facts.watch == number { $0.hears = does } }
  }

  /// Stores the task that listens for a network, unless such a task exists.
  func listen(_ make: () -> Task<Void, Never>) {
    content.withLock { content in
      if content.facts.isOffline, content.network == nil { content.network = make() }
    }
  }

  /// Whether a task listens for a network.
  var isListening: Bool { content.withLock { $0.network != nil } }

  /// Whether a watch follows the vault.
  var isFollowing: Bool { content.withLock { $0.watch != nil && $0.hears } }

  // MARK: The token in memory

  /// The token in memory if it lasts at least `lifetime` nanoseconds more.
  @inline(__always)
  func cachedToken(for lifetime: Int64) -> AccessToken? {
    let now = clock.elapsed
    return cached.withLock { token in
      guard let token, token.lasts(lifetime, from: now) else { return nil }
      return token
    }
  }

  /// The token in memory, valid or not.
  var anyCachedToken: AccessToken? { cached.withLock { $0 } }

  /// The epoch of the token in memory.
  ///
  /// Only tokens that were requested in the same epoch may be kept.
  var epoch: UInt64 { content.withLock { $0.epoch } }

  /// Keeps a token in memory, unless a sign-out or a lock came after the request for it.
  ///
  /// If a presence check released the token while the session was locked, it is kept until the next
  /// lock.
  ///
  /// - Parameters:
  ///   - token: the token.
  ///   - epoch: the epoch of the request for it.
  ///   - known: the token that was in memory at the request. If another call has changed it since
  ///     then, `token` may be the older one.
  func keep(_ token: AccessToken, of epoch: UInt64, insteadOf known: AccessToken?) {
    content.withLock { content in
      guard content.epoch == epoch, content.facts.tokenHolder != nil else { return }
      cached.withLock { present in
        if present == known {
          present = token
        } else if let other = present {
          present = other.newer(token)
        } else if token != known {
          present = token
        }
      }
    }
  }

  /// Forgets this token if it is still the one in memory.
  func drop(_ token: AccessToken) {
    cached.withLock { if $0 == token { $0 = nil } }
  }

  /// Forgets the token in memory, and the tokens that are under way.
  func forget() {
    content.withLock { content in
      content.epoch += 1
      cached.withLock { $0 = nil }
    }
  }
}
