/// What a session asks of the vault: the seam at which `AuthSessionTesting` puts a stub.
///
/// Each call ends with an error of its own kind when its task is cancelled. Where a call needs a
/// presence check, it makes a prompt, hands it to `present`, and goes on once it has ended. A login
/// needs one where it replaces a protected account, by another person or at another provider.
public protocol AuthVault: Sendable {
  /// How the account stands; its `account` is `nil` if there is none of that name.
  nonisolated(nonsending) func snapshot(of account: String) async throws(AuthError) -> VaultSnapshot
  /// The same at once, and again whenever it changes; ends when the vault goes away.
  ///
  /// While it runs, the vault refreshes the account's access token `ahead` of its end.
  func changes(of account: String, ahead: Duration?) -> AsyncStream<VaultSnapshot>

  /// A valid access token.
  ///
  /// A request that may cost the login its other scopes throws `mayNarrowLogin` before anything is
  /// sent or asked, unless it accepts that. What it accepts counts for this call alone.
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
  /// Makes a new user at a password backend, and signs in.
  func register(
    _ account: String,
    at provider: AuthProvider,
    email: String,
    name: String?,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Begins a login that a person ends at the provider.
  func beginLogin(
    _ account: String,
    at provider: AuthProvider?,
    way: LoginWay,
    scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> any PendingVaultLogin
  /// Where the provider of an account sends a browser back, as its settings say; nil: to the usual
  /// address.
  func redirectURI(of account: String) async throws(AuthError) -> String?
  /// Signs out: ends the login at the provider unless `locally`, after a presence check where that
  /// takes one, and erases here. Nothing is erased if the check does not pass.
  func signOut(
    _ account: String,
    locally: Bool,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> SignOutOutcome
  /// Asks the provider who this is.
  func fetchUser(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot

  /// Asks the provider whether it still accepts the account's access token.
  ///
  /// A token that it refuses is not handed out again.
  func verify(
    _ account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> (TokenVerification, AccountSnapshot)

  /// Protects the account, or ends that; both after a presence check.
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
  /// Whether presence can be shown here.
  func presenceCapability() async throws(AuthError) -> PresenceCapability
  /// Runs a presence check that releases nothing.
  func checkPresence(_ asking: PresenceAsking) async throws(AuthError)

  /// Sends a request with an access token, along no redirect.
  func send(
    _ request: AuthRequest,
    with token: AccessToken,
    of account: String
  ) async throws(AuthError) -> AuthResponse
}

extension AuthVault {
  /// The usual address.
  public func redirectURI(of account: String) async throws(AuthError) -> String? { nil }
}

/// Which token is wanted.
public struct TokenRequest: Sendable, Hashable {
  /// How long it must still be valid, in whole seconds.
  public var minimumLifetime: Duration
  /// The scopes; nil: the account's usual ones.
  public var scopes: [String]?
  /// Whom it is for; nil: the account's usual recipient.
  public var audience: String?
  /// A token that a server refused: a newer one is wanted.
  public var rejected: String?
  /// Whether the app accepts that the token may cost the login its other scopes.
  public var mayNarrowLogin: Bool

  /// Of these parts.
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
  /// Never the token that was refused.
  public var description: String {
    "TokenRequest(\(minimumLifetime), scopes: \(scopes ?? []), audience: \(audience ?? "usual"))"
  }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How a presence check is asked for.
public struct PresenceAsking: Sendable {
  /// The ways that count.
  public let policy: PresencePolicy
  /// Why the app asks, in its own words.
  public let reason: String?
  /// Whether there is somebody who can be asked: where not, no prompt need be made.
  public let isPossible: Bool
  /// Shows a prompt, and returns at once; false where there is nobody to be asked.
  public let present: @Sendable (PresencePrompt) -> Bool

  /// Of these parts.
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

/// An account and the unlock window, at one moment.
public struct VaultSnapshot: Sendable, Hashable {
  /// The account; nil: there is none of that name.
  public var account: AccountSnapshot?
  /// Whether an unlock window covers the account.
  public var isUnlocked: Bool

  /// Of these parts.
  public init(account: AccountSnapshot?, isUnlocked: Bool) {
    self.account = account
    self.isUnlocked = isUnlocked
  }
}

/// How an account stands.
public struct AccountSnapshot: Sendable, Hashable {
  /// What the vault knows of its tokens.
  public enum Standing: Sendable, Hashable {
    /// It has a login.
    case signedIn
    /// It has none.
    case signedOut
    /// Only a login helps, for this reason.
    case loginRequired(reason: String?)
  }

  /// Its name in the vault.
  public var name: String
  /// Whose it is.
  public var user: User
  /// How it stands.
  public var standing: Standing
  /// Whether a presence check guards its refresh token.
  public var isProtected: Bool
  /// When its usual access token ends, in seconds since 1970; nil: unknown, or there is none.
  public var accessTokenExpiresAt: Int64?
  /// When the provider last gave tokens, in seconds since 1970.
  public var refreshedAt: Int64?

  /// Of these parts.
  public init(
    name: String,
    user: User,
    standing: Standing,
    isProtected: Bool,
    accessTokenExpiresAt: Int64? = nil,
    refreshedAt: Int64? = nil
  ) {
    self.name = name
    self.user = user
    self.standing = standing
    self.isProtected = isProtected
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshedAt = refreshedAt
  }
}

/// What a provider says of an access token.
public struct TokenVerification: Sendable, Hashable {
  /// Whether the provider accepts it.
  public var isAccepted: Bool
  /// When it ends, in seconds since 1970, as the provider tells it, else as the vault knows it; `nil`
  /// if neither does, or it is refused.
  public var expiresAt: Int64?

  /// Of these parts.
  public init(isAccepted: Bool, expiresAt: Int64? = nil) {
    self.isAccepted = isAccepted
    self.expiresAt = expiresAt
  }
}

/// What signing out brought: here all is erased.
public struct SignOutOutcome: Sendable, Hashable {
  /// What became of the refresh token at the provider.
  public enum Grant: String, Sendable, Hashable, CaseIterable {
    /// The provider confirmed that it is void.
    case ended
    /// It stays valid there: tell the person.
    case valid
    /// Nobody can tell: the provider did not answer, or an earlier answer of it was lost.
    case unknown
    /// There was none, or the provider had ended it before.
    case none
  }

  /// What became of the refresh token.
  public var grant: Grant
  /// Why the provider did not confirm.
  public var reason: String?

  /// Whether the provider confirmed that the tokens are void.
  public var isRevoked: Bool { grant == .ended }
  /// Whether a login of the person may still be alive at the provider.
  public var mayBeAlive: Bool { grant == .valid || grant == .unknown }

  /// Of these parts.
  public init(_ grant: Grant, reason: String? = nil) {
    self.grant = grant
    self.reason = reason
  }
}

/// How a person ends a login at the provider.
public enum LoginWay: Sendable, Hashable {
  /// In a browser, which comes back to this URL on this machine (RFC 8252, section 7.3).
  case browser(redirect: String)
  /// At another device, with a code (RFC 8628).
  case device
}

/// A login that a person is about to end at the provider; letting go of it gives it up.
public protocol PendingVaultLogin: Sendable {
  /// What to show.
  var prompt: LoginPrompt { get }
  /// Ends it with what the browser brought back: all behind the question mark.
  func finish(
    query: RedirectQuery,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot
  /// Waits until the person has said yes or no at the other device.
  func wait(_ asking: PresenceAsking) async throws(AuthError) -> AccountSnapshot
  /// Gives it up.
  func cancel() async
}

/// What a person needs for a login at the provider.
public struct LoginPrompt: Sendable, Hashable {
  /// Where to send the browser; nil for a device code.
  public var url: String?
  /// The code to type at `verificationURL`.
  public var userCode: String?
  /// Where to type it.
  public var verificationURL: String?
  /// The same with the code in it, for a QR code.
  public var completeVerificationURL: String?
  /// How long it can be ended.
  public var lifetime: Duration

  /// Of these parts.
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
