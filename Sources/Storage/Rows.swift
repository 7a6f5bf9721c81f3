/// One identity at one provider.
public struct AccountRow: Sendable, Equatable {
  /// Where the account's grant stands.
  public enum State: String, Sendable, CaseIterable {
    /// No refresh token: never signed in, or signed out.
    case signedOut = "signed_out"
    /// A refresh token that nothing speaks against.
    case signedIn = "signed_in"
    /// The grant is dead; the refresh token is kept, and never sent again.
    case loginRequired = "login_required"
  }

  /// Sixteen random bytes, which stay through a change of name.
  public var id: [UInt8]
  /// The name that the user picked, unique for its owner.
  public var name: String
  /// The user id that it belongs to.
  public var owner: UInt32
  /// The name of the provider.
  public var provider: String
  /// The whole provider as it was at login, in its canonical form.
  public var providerSettings: [UInt8]
  /// SHA-256 of the provider's canonical form.
  public var binding: [UInt8]
  /// What the provider calls this person.
  public var subject: String?
  /// The e-mail address that the provider tells.
  public var email: String?
  /// The name that the provider tells.
  public var displayName: String?
  /// The protection class: 0 none, 1 presence.
  public var protection: UInt8
  /// Raised with each changed refresh token.
  public var generation: Int64
  /// The sealed box of the refresh token.
  public var sealedRefreshToken: [UInt8]?
  /// Where the grant stands.
  public var state: State
  /// Why a login is required, or why the last refresh failed.
  public var cause: String?
  /// When it was made, in seconds since 1970.
  public var createdAt: Int64
  /// When a token was last asked for, in seconds since 1970.
  public var usedAt: Int64?
  /// When tokens were last got from the provider, in seconds since 1970.
  public var refreshedAt: Int64?

  /// Makes a row: a fresh account is signed out and of generation 0.
  public init(
    id: [UInt8],
    name: String,
    owner: UInt32,
    provider: String,
    providerSettings: [UInt8],
    binding: [UInt8],
    subject: String? = nil,
    email: String? = nil,
    displayName: String? = nil,
    protection: UInt8 = 0,
    generation: Int64 = 0,
    sealedRefreshToken: [UInt8]? = nil,
    state: State = .signedOut,
    cause: String? = nil,
    createdAt: Int64,
    usedAt: Int64? = nil,
    refreshedAt: Int64? = nil
  ) {
    self.id = id
    self.name = name
    self.owner = owner
    self.provider = provider
    self.providerSettings = providerSettings
    self.binding = binding
    self.subject = subject
    self.email = email
    self.displayName = displayName
    self.protection = protection
    self.generation = generation
    self.sealedRefreshToken = sealedRefreshToken
    self.state = state
    self.cause = cause
    self.createdAt = createdAt
    self.usedAt = usedAt
    self.refreshedAt = refreshedAt
  }
}

/// The access token of an account for one set of scopes.
public struct AccessTokenRow: Sendable, Equatable {
  /// The account's sixteen bytes.
  public var account: [UInt8]
  /// The scopes, sorted and joined by spaces; empty for the default set.
  public var scopeSet: String
  /// The token.
  public var token: String
  /// Mostly `Bearer`.
  public var tokenType: String
  /// When it expires, in seconds since 1970; nil if the provider did not say.
  public var expiresAt: Int64?
  /// When it was stored, in seconds since 1970: a wall clock before this one was set back.
  public var storedAt: Int64
  /// The lifetime that was asked for, in seconds.
  public var requestedLifetime: Int64?

  /// Makes a row.
  public init(
    account: [UInt8],
    scopeSet: String = "",
    token: String,
    tokenType: String = "Bearer",
    expiresAt: Int64?,
    storedAt: Int64,
    requestedLifetime: Int64? = nil
  ) {
    self.account = account
    self.scopeSet = scopeSet
    self.token = token
    self.tokenType = tokenType
    self.expiresAt = expiresAt
    self.storedAt = storedAt
    self.requestedLifetime = requestedLifetime
  }
}

/// That an exchange with the provider was about to be begun, and is not known to have ended.
public struct IntentRow: Sendable, Equatable {
  /// What is asked of the provider.
  public enum Purpose: String, Sendable, CaseIterable {
    case refresh
    case login
    case register
  }

  /// The account's sixteen bytes; an account has one intent at most.
  public var account: [UInt8]
  /// Thirty-two random bytes, from which the one-use key of the slot is derived.
  public var intent: [UInt8]
  /// What is asked of the provider.
  public var purpose: Purpose
  /// The generation of the refresh token that is sent.
  public var generation: Int64
  /// When it was begun, in seconds since 1970.
  public var startedAt: Int64
  /// The boot in which `bootInstant` and `notBefore` have a meaning: sixteen bytes.
  public var bootID: [UInt8]
  /// When it was begun, in nanoseconds of CLOCK_BOOTTIME.
  public var bootInstant: Int64
  /// How often it was tried.
  public var attempts: Int64
  /// Not to be tried again before this instant of CLOCK_BOOTTIME, in nanoseconds.
  public var notBefore: Int64
  /// The length of that wait, in seconds, which starts anew in another boot.
  public var waitSeconds: Int64
  /// The exchange has ended, and nobody knows what became of the token that was sent.
  public var uncertain: Bool
  /// What the engine needs besides to finish it; opaque here.
  public var context: [UInt8]

  /// Makes a row: a fresh intent is certain, and may be tried at once.
  public init(
    account: [UInt8],
    intent: [UInt8],
    purpose: Purpose,
    generation: Int64,
    startedAt: Int64,
    bootID: [UInt8],
    bootInstant: Int64,
    attempts: Int64 = 0,
    notBefore: Int64 = 0,
    waitSeconds: Int64 = 0,
    uncertain: Bool = false,
    context: [UInt8] = []
  ) {
    self.account = account
    self.intent = intent
    self.purpose = purpose
    self.generation = generation
    self.startedAt = startedAt
    self.bootID = bootID
    self.bootInstant = bootInstant
    self.attempts = attempts
    self.notBefore = notBefore
    self.waitSeconds = waitSeconds
    self.uncertain = uncertain
    self.context = context
  }
}

/// An enrolled finger.
public struct PrintRow: Sendable, Equatable {
  /// Sixteen random bytes.
  public var id: [UInt8]
  /// The user id whose finger it is.
  public var owner: UInt32
  /// Such as `right-index`; one print a finger and owner.
  public var finger: String
  /// The driver that the print is for.
  public var driver: String
  /// The reader's identifier within the driver.
  public var device: String
  /// The sealed box of the print.
  public var sealed: [UInt8]
  /// When it was enrolled, in seconds since 1970.
  public var enrolledAt: Int64

  /// Makes a row.
  public init(
    id: [UInt8],
    owner: UInt32,
    finger: String,
    driver: String,
    device: String,
    sealed: [UInt8],
    enrolledAt: Int64
  ) {
    self.id = id
    self.owner = owner
    self.finger = finger
    self.driver = driver
    self.device = device
    self.sealed = sealed
    self.enrolledAt = enrolledAt
  }
}

/// How many fingers failed, and what that came to.
public struct LockoutRow: Sendable, Equatable {
  /// The user id.
  public var owner: UInt32
  /// Failures since the last success.
  public var failures: Int64
  /// Fingers are refused until a password has succeeded.
  public var passwordOnly: Bool

  /// Makes a row.
  public init(owner: UInt32, failures: Int64, passwordOnly: Bool) {
    self.owner = owner
    self.failures = failures
    self.passwordOnly = passwordOnly
  }
}

/// One record of the audit chain.
public struct AuditRow: Sendable, Equatable {
  /// Its place in the chain, from 1.
  public var number: Int64
  /// When it happened, in seconds since 1970.
  public var time: Int64
  /// The user id whose vault it is about.
  public var owner: UInt32
  /// What happened, such as `refresh`.
  public var event: String
  /// How it ended, such as `done` or `refused`.
  public var outcome: String
  /// The account's sixteen bytes, kept after the account is gone.
  public var accountID: [UInt8]?
  /// The account's name at that time.
  public var account: String?
  /// How presence was shown, such as `fingerprint`.
  public var method: String?
  /// Who asked, as a prompt shows it.
  public var requester: String?
  /// More, such as why it was refused. No secret.
  public var detail: String?
  /// The authentication code over this record and the one before: 32 bytes.
  public var mac: [UInt8]

  /// Makes a row.
  public init(
    number: Int64,
    time: Int64,
    owner: UInt32,
    event: String,
    outcome: String,
    accountID: [UInt8]? = nil,
    account: String? = nil,
    method: String? = nil,
    requester: String? = nil,
    detail: String? = nil,
    mac: [UInt8]
  ) {
    self.number = number
    self.time = time
    self.owner = owner
    self.event = event
    self.outcome = outcome
    self.accountID = accountID
    self.account = account
    self.method = method
    self.requester = requester
    self.detail = detail
    self.mac = mac
  }
}
