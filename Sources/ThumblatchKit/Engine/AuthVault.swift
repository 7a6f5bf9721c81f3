/// The calls of a session to the vault, and the seam for the stub of `ThumblatchKitTesting`.
///
/// Each call throws an error if its task is cancelled. If a call needs a presence check, it makes a
/// prompt, passes it to `present`, and continues when the prompt has ended. A sign-in needs a check
/// if it replaces a protected account with another person or another provider.
public protocol AuthVault: Sendable {
  /// The state of the account.
  ///
  /// Its `account` is `nil` if no account has this name.
  nonisolated(nonsending) func snapshot(of account: String) async throws(AuthError) -> VaultSnapshot
  /// The state at once, and again after each change.
  ///
  /// The sequence ends when the vault is gone.
  ///
  /// While it runs, the vault refreshes the account's access token `ahead` of its end.
  func changes(of account: String, ahead: Duration?) -> AsyncStream<VaultSnapshot>

  /// A valid access token.
  ///
  /// If the request may cost the sign-in its other scopes and does not accept that, it throws
  /// `mayNarrowLogin` before anything is sent or asked. The acceptance counts only for this call.
  func accessToken(
    of account: String,
    _ request: TokenRequest,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccessToken

  /// Signs in by e-mail and password.
  func login(
    _ account: String,
    at provider: AuthProvider?,
    email: String,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Registers a new user at a password backend, and signs in.
  func register(
    _ account: String,
    at provider: AuthProvider,
    email: String,
    name: String?,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Begins a sign-in that a person completes at the provider.
  func beginLogin(
    _ account: String,
    at provider: AuthProvider?,
    way: LoginWay,
    scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> any PendingVaultLogin
  /// The address to which the account's provider sends a browser back, by its settings; `nil` for
  /// the usual address.
  func redirectURI(of account: String) async throws(AuthError) -> String?
  /// Signs out: ends the sign-in at the provider unless `locally`, and erases the tokens here.
  ///
  /// If that needs a presence check and the check does not pass, nothing is erased.
  func signOut(
    _ account: String,
    locally: Bool,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> SignOutOutcome
  /// Asks the provider for the user.
  func fetchUser(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot

  /// Asks the provider whether it still accepts the account's access token.
  ///
  /// A refused token is not returned again.
  func verify(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> (TokenVerification, AccountSnapshot)

  /// Turns protection on or off, after a presence check.
  func setPresenceProtection(
    _ isOn: Bool,
    of account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Opens the unlock window for the account.
  func unlock(
    _ account: String,
    for duration: Duration?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> UnlockWindow
  /// Closes the unlock window.
  func lock() async throws(AuthError)
  /// Whether a person can show presence on this machine.
  func presenceCapability() async throws(AuthError) -> PresenceCapability
  /// Runs a presence check that releases nothing.
  func checkPresence(_ asking: PresenceAsking) async throws(AuthError)

  /// Refuses a request to a host that may not get the account's token.
  ///
  /// The session calls it before it asks for a token, which may need a presence check.
  ///
  /// - Throws: `hostNotAllowed`. The session also passes on that a rule forbids the method. It
  ///   ignores other errors, because the calls that follow report them.
  func checkHost(of request: AuthRequest, for account: String) async throws(AuthError)
  /// Sends a request with an access token.
  ///
  /// It follows no redirect.
  func send(
    _ request: AuthRequest,
    with token: AccessToken,
    of account: String
  ) async throws(AuthError) -> AuthResponse
}

extension AuthVault {
  /// Returns `nil`, for the usual address.
  public func redirectURI(of account: String) async throws(AuthError) -> String? { nil }
  /// Refuses no host.
  public func checkHost(of request: AuthRequest, for account: String) async throws(AuthError) {}
}

/// How the vault may ask for a presence check.
public struct PresenceAsking: Sendable {
  /// The ways that count.
  public let policy: PresencePolicy
  /// The app's reason, in its own words.
  public let reason: String?
  /// Whether a person can be asked.
  ///
  /// If not, the vault need not make a prompt.
  public let isPossible: Bool
  /// Shows a prompt, and returns at once.
  ///
  /// It returns false if no person can be asked.
  public let present: @Sendable (PresencePrompt) -> Bool
  /// Informs the session of a prompt that the service's agent shows; `nil` if no agent may show it.
  ///
  /// It returns false if no person can be asked. `present` may follow for the same prompt.
  var announce: (@Sendable (PresencePrompt) -> Bool)?

  /// Makes an instance.
  public init(
    policy: PresencePolicy,
    reason: String? = nil,
    isPossible: Bool = true,
    present: @escaping @Sendable (PresencePrompt) -> Bool
  ) {
    self.policy = policy
    self.reason = reason
    self.isPossible = isPossible
    self.present = present
  }
}
