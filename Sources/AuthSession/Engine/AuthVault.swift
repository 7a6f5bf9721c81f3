/// The calls of a session to the vault, and the seam for the stub of `AuthSessionTesting`.
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
  /// The sequence ends when the vault goes away.
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
}

/// A request for an access token.
public struct TokenRequest: Sendable, Hashable {
  /// How long the token must still be valid, in whole seconds.
  public var minimumLifetime: Duration
  /// The scopes; `nil` for the account's usual scopes.
  public var scopes: [String]?
  /// The recipient; `nil` for the account's usual recipient.
  public var audience: String?
  /// A token that a server refused, if the caller wants a newer one.
  public var rejected: String?
  /// Whether the app accepts that the token may cost the sign-in its other scopes.
  public var mayNarrowLogin: Bool

  /// Makes a request.
  public init(
    minimumLifetime: Duration = .seconds(10),
    scopes: [String]? = nil,
    audience: String? = nil,
    rejected: String? = nil,
    mayNarrowLogin: Bool = false
  ) {
    self.minimumLifetime = minimumLifetime
    self.scopes = scopes
    self.audience = audience
    self.rejected = rejected
    self.mayNarrowLogin = mayNarrowLogin
  }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
  /// The request without the refused token.
  public var description: String {
    "TokenRequest(\(minimumLifetime), scopes: \(scopes ?? []), audience: \(audience ?? "usual"))"
  }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
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

/// The account and the unlock window at one moment.
public struct VaultSnapshot: Sendable, Hashable {
  /// The account; `nil` if no account has this name.
  public var account: AccountSnapshot?
  /// Whether an unlock window covers the account.
  public var isUnlocked: Bool

  /// Makes a snapshot.
  public init(account: AccountSnapshot?, isUnlocked: Bool) {
    self.account = account
    self.isUnlocked = isUnlocked
  }
}

/// The state of an account at one moment.
public struct AccountSnapshot: Sendable, Hashable {
  /// The status of its sign-in.
  public enum Status: Sendable, Hashable {
    /// The account is signed in.
    case signedIn
    /// The account is signed out.
    case signedOut
    /// Only a new sign-in helps, for this reason.
    case loginRequired(reason: String?)
  }

  /// Its name in the vault.
  public var name: String
  /// The user of the account.
  public var user: User
  /// The status of the sign-in.
  public var status: Status
  /// Whether a presence check protects its refresh token.
  public var isProtected: Bool
  /// When its usual access token ends, in seconds since 1970; `nil` if that is unknown or there is
  /// no token.
  public var accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  public var refreshedAt: Int64?

  /// Makes a snapshot.
  public init(
    name: String,
    user: User,
    status: Status,
    isProtected: Bool,
    accessTokenExpiresAt: Int64? = nil,
    refreshedAt: Int64? = nil
  ) {
    self.name = name
    self.user = user
    self.status = status
    self.isProtected = isProtected
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshedAt = refreshedAt
  }
}

/// A provider's answer about an access token.
public struct TokenVerification: Sendable, Hashable {
  /// Whether the provider accepts the token.
  public var isAccepted: Bool
  /// When the token ends, in seconds since 1970: by the provider, else by the vault.
  ///
  /// It is `nil` if neither knows, or if the token is refused.
  public var expiresAt: Int64?

  /// Makes an answer.
  public init(isAccepted: Bool, expiresAt: Int64? = nil) {
    self.isAccepted = isAccepted
    self.expiresAt = expiresAt
  }
}

/// The result of a sign-out.
///
/// All data here is erased.
public struct SignOutOutcome: Sendable, Hashable {
  /// The state of the refresh token at the provider.
  public enum Grant: String, Sendable, Hashable, CaseIterable {
    /// The provider confirmed that it is void.
    case ended
    /// It stays valid there.
    ///
    /// Tell the person.
    case valid
    /// The state is not known: the provider did not answer, or an earlier answer was lost.
    case unknown
    /// There was no refresh token, or the provider had ended it earlier.
    case none
  }

  /// The state of the refresh token at the provider.
  public var grant: Grant
  /// Why the provider did not confirm.
  public var reason: String?

  /// Whether the provider confirmed that the tokens are void.
  public var isRevoked: Bool { grant == .ended }
  /// Whether a sign-in of the person may still be valid at the provider.
  public var mayBeAlive: Bool { grant == .valid || grant == .unknown }

  /// Makes an outcome.
  public init(_ grant: Grant, reason: String? = nil) {
    self.grant = grant
    self.reason = reason
  }
}

/// How a person completes a sign-in at the provider.
public enum LoginWay: Sendable, Hashable {
  /// In a browser, which returns to this URL on this machine (RFC 8252, section 7.3).
  case browser(redirect: String)
  /// On another device, with a code (RFC 8628).
  case device
}

/// A sign-in that a person must still complete at the provider.
///
/// Releasing it gives it up.
public protocol PendingVaultLogin: Sendable {
  /// The data to show.
  var prompt: LoginPrompt { get }
  /// Completes it with the query of the redirect: all text after the question mark.
  func finish(
    query: RedirectQuery,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Waits until the person has accepted or refused on the other device.
  func wait(_ asking: PresenceAsking) async throws(AuthError) -> AccountSnapshot
  /// Gives the sign-in up.
  func cancel() async
}

/// The data that a person needs for a sign-in at the provider.
public struct LoginPrompt: Sendable, Hashable {
  /// The URL for the browser; `nil` for a device code.
  public var url: String?
  /// The code to type at `verificationURL`.
  public var userCode: String?
  /// The URL at which to type the code.
  public var verificationURL: String?
  /// The same URL with the code in it, for a QR code.
  public var completeVerificationURL: String?
  /// How long the person can complete the sign-in.
  public var lifetime: Duration

  /// Makes a prompt.
  public init(
    url: String? = nil,
    userCode: String? = nil,
    verificationURL: String? = nil,
    completeVerificationURL: String? = nil,
    lifetime: Duration
  ) {
    self.url = url
    self.userCode = userCode
    self.verificationURL = verificationURL
    self.completeVerificationURL = completeVerificationURL
    self.lifetime = lifetime
  }
}
