public import Observation
internal import Synchronization

/// An app's session: who is signed in, and a valid access token whenever one is needed.
///
/// Several tasks and threads may use it at once. What it knows can be observed (Observation), or
/// followed as a sequence: `states`. The refresh token never comes here: the vault keeps and uses
/// it, after a presence check where the account is protected.
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
  /// What the session holds that changes.
  struct Content: Sendable {
    var facts = SessionFacts()
    /// Raised whenever tokens that are on their way must no longer be kept.
    var epoch: UInt64 = 0
    var failedChecks = 0
    var watch: Task<Void, Never>?
    /// Whether the vault tells what changes, at this moment.
    var hears = false
    var network: Task<Void, Never>?
    var listeners: [UInt64: AsyncStream<AuthState>.Continuation] = [:]
    var lastListener: UInt64 = 0
  }

  /// The account's name in the vault.
  public let account: String
  /// Where it signs in; nil: an account that exists signs in where it did before.
  public let provider: AuthProvider?
  /// How the session behaves.
  public let configuration: AuthConfiguration

  let vault: any AuthVault
  let clock: any AuthClock
  let presenter: (any PresencePresenter)?
  let network: any NetworkMonitor
  let tokens: SharedWork<TokenWork, AccessToken>
  private let content = Mutex(Content())
  private let cached = Mutex<AccessToken?>(nil)
  private let registrar = ObservationRegistrar()

  /// A session for one account of the machine's vault.
  ///
  /// Nothing is opened or asked before the first call.
  public convenience init(
    account: String,
    provider: AuthProvider? = nil,
    configuration: AuthConfiguration = AuthConfiguration(),
    presenter: (any PresencePresenter)? = nil
  ) {
    self.init(
      account: account,
      provider: provider,
      configuration: configuration,
      presenter: presenter,
      vault: EngineVault()
    )
  }

  /// A session over another vault, such as the stub of `AuthSessionTesting`.
  public init(
    account: String,
    provider: AuthProvider? = nil,
    configuration: AuthConfiguration = AuthConfiguration(),
    presenter: (any PresencePresenter)? = nil,
    vault: any AuthVault,
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
    content.withLock { content in
      content.watch?.cancel()
      content.network?.cancel()
      for listener in content.listeners.values { listener.finish() }
    }
  }

  // MARK: What an app shows

  /// Where the session stands; `unauthenticated` until `restore()`, or the first call, has asked.
  public var state: AuthState { observed { $0.state } }
  /// Whether somebody is signed in, whatever the session does at the moment.
  public var isAuthenticated: Bool { observed { $0.isAuthenticated } }
  /// Who is signed in.
  public var currentUser: User? { observed { $0.user } }
  /// Whether a call waits for the vault or a provider; requests and tokens do not count.
  public var isLoading: Bool { observed { $0.calls > 0 || $0.isAuthenticating } }
  /// What went wrong last, for the person.
  public var errorMessage: String? { observed { $0.failure?.description } }
  /// Whether the provider could not be reached the last time, be the session locked or not.
  public var isOffline: Bool { observed { $0.isOffline } }
  /// Whether a presence check guards the account.
  public var hasProtectedCredentials: Bool { observed { $0.isProtected } }

  /// Leads back from the state `error`.
  public func dismissError() {
    change { $0.dismissFailure() }
  }

  /// Each state from now on, the present one first; it ends with the session.
  ///
  /// Who reads slowly misses the oldest of more than 64.
  public var states: AsyncStream<AuthState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthState.self,
      bufferingPolicy: .bufferingNewest(64)
    )
    let number = content.withLock { content in
      content.lastListener += 1
      content.listeners[content.lastListener] = continuation
      continuation.yield(content.facts.state)
      return content.lastListener
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.content.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  private func observed<Value>(_ read: (SessionFacts) -> Value) -> Value {
    registrar.access(self, keyPath: \.state)
    return content.withLock { read($0.facts) }
  }

  // MARK: What happens

  /// The facts at this moment.
  var facts: SessionFacts { content.withLock { $0.facts } }

  /// Changes facts, and tells whoever follows the state.
  @discardableResult
  func change<Value>(_ body: (inout SessionFacts) -> Value) -> Value {
    // First the change: one on another thread that was told before could look, see the old state, and
    // never be told again.
    defer { registrar.withMutation(of: self, keyPath: \.state) {} }
    return content.withLock { content in
      let (old, wasLocked) = (content.facts.state, content.facts.isLocked)
      let holder = content.facts.tokenHolder
      let value = body(&content.facts)
      let new = content.facts.state
      if content.facts.tokenHolder != holder || content.facts.isLocked && !wasLocked {
        content.epoch += 1
        cached.withLock { $0 = nil }
      }
      if !content.facts.isOffline {
        content.network?.cancel()
        content.network = nil
      }
      if new != old {
        for listener in content.listeners.values { listener.yield(new) }
      }
      return value
    }
  }

  /// Counts presence checks that did not pass; how many there are in a row.
  func addFailedChecks(_ count: Int) -> Int {
    content.withLock { content in
      content.failedChecks += count
      return content.failedChecks
    }
  }

  /// A presence check has passed, or another login has begun: what failed before no longer counts.
  func checkHasPassed() {
    content.withLock { $0.failedChecks = 0 }
  }

  /// Makes `task` the one that follows the vault; the one before it ends.
  func follow(_ make: (_ number: UInt64) -> Task<Void, Never>) {
    content.withLock { content in
      content.watch?.cancel()
      content.watch = make(content.facts.watchAnew())
      content.hears = true
    }
  }

  /// Ends the watch over the vault: what it has still to tell is older than a call that has ended since.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func stopFollowing() -> Bool {
    content.withLock { content in
      _ = content.facts.watchAnew()
      content.watch?.cancel()
      defer { content.watch = nil }
      content.hears = false
      return content.watch != nil
    }
  }

  /// Whether this watch is told what changes, from now on.
  func hears(_ does: Bool, watch number: UInt64) {
    content.withLock { if $0.facts.watch == number { $0.hears = does } }
  }

  /// The same for the task that listens for a network, where none does yet.
  func listen(_ make: () -> Task<Void, Never>) {
    content.withLock { content in
      if content.facts.isOffline, content.network == nil { content.network = make() }
    }
  }

  /// Whether something follows the vault.
  var isFollowing: Bool { content.withLock { $0.watch != nil && $0.hears } }

  // MARK: The token in memory

  /// The token in memory that lasts for `lifetime` nanoseconds more.
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

  /// Which tokens may be kept in memory: those that were asked for in the same epoch.
  var epoch: UInt64 { content.withLock { $0.epoch } }

  /// Keeps a token in memory, unless somebody has signed out or locked since it was asked for.
  ///
  /// One that a check has paid for while the session is locked is kept until it locks anew.
  func keep(_ token: AccessToken, of epoch: UInt64) {
    content.withLock { content in
      guard content.epoch == epoch, content.facts.tokenHolder != nil else { return }
      cached.withLock { $0 = token }
    }
  }

  /// Forgets this token, where it is still the one in memory.
  func drop(_ token: AccessToken) {
    cached.withLock { if $0 == token { $0 = nil } }
  }

  /// Forgets the token in memory, and those that are on their way.
  func forget() {
    content.withLock { content in
      content.epoch += 1
      cached.withLock { $0 = nil }
    }
  }
}
