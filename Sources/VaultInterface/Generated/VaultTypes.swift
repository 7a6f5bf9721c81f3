// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
public import JSON
public import Varlink
public import PresenceTerms

/// A presence check, as a client shows it to the person. The error PresenceNeeded has the same
/// members.
public struct PresenceRequest: VarlinkRecord, WireValue, Equatable {
  /// The prompt to pass to Check.
  public var prompt: String
  /// The program that makes the request, as text to show to the person.
  public var requester: String
  public var account: String?
  public var purpose: PresencePurpose
  /// Exactly what the check allows: the finger, the accounts and the time, or the provider.
  public var detail: String?
  /// The methods that may pass the check.
  public var methods: [PresenceMethod]
  public var timeout: Int
  /// Why the password is needed although a finger is usually enough: show it.
  public var reason: String?
  /// How to touch the reader that was used last.
  public var scan: ScanType?
  /// The program's own reason for needing the token. It is not verified: show it in quotes.
  public var statedReason: String?
  /// Whether the check is possible only by AskAtDesktop, because the connection is restricted.
  public var atDesktop: Bool

  public init(
    prompt: String,
    requester: String,
    account: String? = nil,
    purpose: PresencePurpose,
    detail: String? = nil,
    methods: [PresenceMethod],
    timeout: Int,
    reason: String? = nil,
    scan: ScanType? = nil,
    statedReason: String? = nil,
    atDesktop: Bool = false
  ) {
    self.prompt = prompt
    self.requester = requester
    self.account = account
    self.purpose = purpose
    self.detail = detail
    self.methods = methods
    self.timeout = timeout
    self.reason = reason
    self.scan = scan
    self.statedReason = statedReason
    self.atDesktop = atDesktop
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    prompt = try object.required("prompt")
    requester = try object.required("requester")
    account = try object.optional("account")
    purpose = try object.required("purpose")
    detail = try object.optional("detail")
    methods = try object.required("methods")
    timeout = try object.required("timeout")
    reason = try object.optional("reason")
    scan = try object.optional("scan")
    statedReason = try object.optional("stated_reason")
    atDesktop = try object.optional("at_desktop") ?? false
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "prompt": prompt,
        "requester": requester,
        "account": account,
        "purpose": purpose,
        "detail": detail,
        "methods": methods,
        "timeout": timeout,
        "reason": reason,
        "scan": scan,
        "stated_reason": statedReason,
        "at_desktop": atDesktop ? true : nil,
      ])
    }
  }
}

/// An account in a backup.
public struct VaultBackupAccount: VarlinkRecord, WireValue, Equatable {
  public var name: String
  /// The name of its provider.
  public var provider: String
  /// Why the backup does not have its refresh token.
  public var reason: String?

  public init(
    name: String,
    provider: String,
    reason: String? = nil
  ) {
    self.name = name
    self.provider = provider
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "reason": reason,
      ])
    }
  }
}

/// An account in a backup, as Restore adds it to the vault.
public struct VaultRestoredAccount: VarlinkRecord, WireValue, Equatable {
  public var name: String
  public var provider: VaultProvider
  /// Whether it needs no login.
  public var signedIn: Bool
  /// Whether the vault had an account of this name.
  public var exists: Bool

  public init(
    name: String,
    provider: VaultProvider,
    signedIn: Bool,
    exists: Bool
  ) {
    self.name = name
    self.provider = provider
    self.signedIn = signedIn
    self.exists = exists
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    signedIn = try object.required("signed_in")
    exists = try object.required("exists")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "signed_in": signedIn,
        "exists": exists,
      ])
    }
  }
}

/// An account that has moved to another vault.
public struct VaultMovedAccount: VarlinkRecord, WireValue, Equatable {
  public var name: String
  /// The name of its provider.
  public var provider: String
  /// Whether it needs no login.
  public var signedIn: Bool

  public init(
    name: String,
    provider: String,
    signedIn: Bool
  ) {
    self.name = name
    self.provider = provider
    self.signedIn = signedIn
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    signedIn = try object.required("signed_in")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "signed_in": signedIn,
      ])
    }
  }
}

/// An account of the service, and whether it may move into the private vault of its user.
public struct VaultExportableAccount: VarlinkRecord, WireValue, Equatable {
  public var name: String
  /// The name of its provider.
  public var provider: String
  /// Why it stays in the service; absent if it may move.
  public var reason: String?

  public init(
    name: String,
    provider: String,
    reason: String? = nil
  ) {
    self.name = name
    self.provider = provider
    self.reason = reason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    reason = try object.optional("reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "reason": reason,
      ])
    }
  }
}

/// The subject of a notice.
public enum NoticeKind: String, Sendable, CaseIterable, WireValue {
  /// A check or the open unlock window has allowed a request.
  case allowed
  /// An account needs a login from now on.
  case loginRequired = "login_required"
  /// A static secret expires soon.
  case secretExpires = "secret_expires"
}

/// A message that an agent shows after an event, without a question.
public struct DesktopNotice: VarlinkRecord, WireValue, Equatable {
  public var kind: NoticeKind
  public var account: String
  /// The program that made the request, for `allowed`.
  public var requester: String?
  /// The purpose of its request, for `allowed`.
  public var purpose: PresencePurpose?
  /// The further detail that the prompt showed.
  public var detail: String?
  /// How presence was proven: a method, or `unlock-window`.
  public var method: String?
  /// Whether the person can sign in with a browser, for `login_required`.
  public var browser: Bool?
  /// When the secret expires, in seconds since 1970, for `secret_expires`.
  public var expiresAt: Int?

  public init(
    kind: NoticeKind,
    account: String,
    requester: String? = nil,
    purpose: PresencePurpose? = nil,
    detail: String? = nil,
    method: String? = nil,
    browser: Bool? = nil,
    expiresAt: Int? = nil
  ) {
    self.kind = kind
    self.account = account
    self.requester = requester
    self.purpose = purpose
    self.detail = detail
    self.method = method
    self.browser = browser
    self.expiresAt = expiresAt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    kind = try object.required("kind")
    account = try object.required("account")
    requester = try object.optional("requester")
    purpose = try object.optional("purpose")
    detail = try object.optional("detail")
    method = try object.optional("method")
    browser = try object.optional("browser")
    expiresAt = try object.optional("expires_at")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "kind": kind,
        "account": account,
        "requester": requester,
        "purpose": purpose,
        "detail": detail,
        "method": method,
        "browser": browser,
        "expires_at": expiresAt,
      ])
    }
  }
}

/// The form of an engine.
public enum VaultForm: String, Sendable, CaseIterable, WireValue {
  /// One engine for each user, with that user's vault.
  case `private`
  /// One engine for the machine, with the vaults of all users.
  case service
}

/// The kind of memory that holds an engine's secrets.
public enum SecretMemoryKind: String, Sendable, CaseIterable, WireValue {
  /// Memory that even the kernel does not map: memfd_secret(2).
  case secret
  /// Memory that is not swapped: mlock(2).
  case locked
  /// Memory without protection.
  case ordinary
}

/// What happens in a presence check.
enum CheckStep: String, Sendable, CaseIterable, WireValue {
  /// The reader waits, or another caller's check of the same thing goes on.
  case waiting
  /// The reader could not see the finger well.
  case retry
  /// A question to show. Answer it with Respond.
  case ask
  /// What a module of the password's stack says while it works, or beside the right password: show it.
  case says
  /// A device failed, and the check goes on by other devices, or once more by this one.
  case deviceFailed = "device_failed"
  /// The check passed: repeat the call with the prompt.
  case passed
  /// Another prompt is armed. `free` follows when it is over.
  case queued
  /// The other prompt is over. This one is not armed: show it, and call Check again.
  case free
}

/// The source of the fingers that can pass a check, and how those of the desktop are known.
public enum FingerSource: String, Sendable, CaseIterable, WireValue {
  /// All fingers are enrolled in the vault.
  case own
  /// The desktop's fingers count too. Their prints can be read.
  case fprintd
  /// The desktop's fingers count too. Only their names can be read.
  case namesOnly = "names_only"
}

/// An enrolled security key.
public struct VaultSecurityKey: VarlinkRecord, WireValue, Equatable {
  /// The name that the user gave it.
  public var name: String
  /// In seconds since 1970.
  public var enrolledAt: Int

  public init(
    name: String,
    enrolledAt: Int
  ) {
    self.name = name
    self.enrolledAt = enrolledAt
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    enrolledAt = try object.required("enrolled_at")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "enrolled_at": enrolledAt,
      ])
    }
  }
}

/// A step of an enrollment.
public enum EnrollEvent: String, Sendable, CaseIterable, WireValue {
  /// The reader waits for a touch.
  case waiting
  /// Another touch is done.
  case stage
  /// The last touch does not count.
  case retry
  /// The finger or the key is enrolled.
  case done
}

/// How the engine knows whether there is a reader.
public enum ReaderKnowledge: String, Sendable, CaseIterable, WireValue {
  /// From sysfs.
  case plugged
  /// sysfs shows no reader, but one was used the last time.
  case lastUsed = "last_used"
  /// sysfs shows no reader, and none that sysfs does not show was used yet.
  case notLooked = "not_looked"
}

/// The state of a refresh token at the provider after a sign-out.
public enum GrantState: String, Sendable, CaseIterable, WireValue {
  /// The provider confirmed that it is revoked.
  case ended
  /// It is still valid there.
  case valid
  /// It may still be valid there.
  case unknown
  /// There was none, or the provider had ended it earlier.
  case none
}

/// How a person signs in at the provider.
public enum LoginFlow: String, Sendable, CaseIterable, WireValue {
  /// In a browser, which is redirected to `redirect` with the answer. Its address may be pasted
  /// instead.
  case browser
  /// With a code, in a browser on any machine (RFC 8628).
  case device
}

/// A step of a sign-in.
public enum LoginEvent: String, Sendable, CaseIterable, WireValue {
  /// The person has not decided yet.
  case waiting
  /// The account is signed in.
  case done
}

/// How the vaults are protected, by the weakest way to open them.
public enum DeviceSecretTier: String, Sendable, CaseIterable, WireValue {
  /// A copy of the directory opens the vault.
  case file
  /// The machine key is being added: some vaults still open with only their file.
  case adding
  /// The vault needs the TPM of this machine, or the recovery code.
  case tpm
  /// The vault needs a security key, or the recovery code.
  case securityKey = "security_key"
}

/// The result of the comparison with the TPM's counter, which detects an old copy of the whole
/// directory.
public enum CounterCheck: String, Sendable, CaseIterable, WireValue {
  /// There is no TPM counter: an old copy of the whole directory is not detected.
  case none
  /// The directory is the latest version.
  case current
  /// No check is possible: a recovery code opened the machine key.
  case unchecked
  /// The directory is an old copy, or may be one.
  case refused
}

/// What opens a slot of the machine key.
public enum SlotKind: String, Sendable, CaseIterable, WireValue {
  case tpm
  /// A recovery code.
  case recovery
  /// A FIDO2 security key.
  case securityKey = "security_key"
}

/// The severity of a finding.
public enum FindingLevel: String, Sendable, CaseIterable, WireValue {
  /// There is nothing to do.
  case ok
  /// It works, but could work better.
  case warning
  /// It does not work, or is not safe.
  case problem
}

/// Why a provider is unavailable, if the caller may want to act on the reason.
public enum UnavailableReason: String, Sendable, CaseIterable, WireValue {
  /// The machine is reachable, but no program listens on the port, or none answers. Nothing was sent.
  case notAnswering = "not_answering"
  /// The certificate is from an authority that is not trusted. Nothing was sent.
  case authority = "certificate_authority"
  /// The certificate has expired. Nothing was sent.
  case expired = "certificate_expired"
  /// The certificate is not valid yet. Nothing was sent.
  case notYetValid = "certificate_not_yet_valid"
  /// The certificate is for another host. Nothing was sent.
  case name = "certificate_name"
  /// TLS failed for another reason. Nothing was sent.
  case certificate
  /// The key of the server is not pinned. Nothing was sent.
  case pin
  /// A program of another user listens on the loopback address. Nothing was sent.
  case listener
  /// The provider may have processed the request.
  case uncertain
  /// The provider refused a refresh token without a reason. After a second such refusal a login is
  /// required.
  case refusedOnce = "refused_once"
}

/// Why no prompt is shown at a desktop, if the caller may want to act on the reason.
public enum NoDesktopReason: String, Sendable, CaseIterable, WireValue {
  /// The policy, or the rule of the caller, forbids prompts at the desktop.
  case off
  /// Only the system password counts, and an agent takes no password for another program.
  case passwordOnly = "password_only"
  /// No agent runs in the person's session.
  case noAgent = "no_agent"
  /// The screen of the session is locked.
  case locked
}

/// Why a provider refused the input of a person.
public enum VaultRefusalReason: String, Sendable, CaseIterable, WireValue {
  /// The e-mail address or the password is wrong.
  case wrongCredentials = "wrong_credentials"
  /// There is already an account with this e-mail address.
  case addressTaken = "address_taken"
  /// The provider refused the value of a field.
  case invalidInput = "invalid_input"
}

/// An account, as the engine reports it.
public struct VaultAccount: VarlinkRecord, WireValue, Equatable {
  public var name: String
  /// The name of its provider.
  public var provider: String
  /// The kind of its provider.
  public var kind: String
  /// The URL of its provider.
  public var issuer: String
  /// The provider's identifier of this person. It is never used to find the account.
  public var subject: String?
  public var email: String?
  public var displayName: String?
  /// The person's role at the provider.
  public var role: String?
  /// Whether the provider has verified the e-mail address.
  public var emailVerified: Bool?
  /// When the person registered there.
  public var createdAt: Int?
  /// The provider's other claims about the person: at most 4096 bytes.
  public var claims: JSONObject?
  /// Whether its refresh token is used only after a presence check.
  public var presenceProtection: Bool
  public var state: AccountState
  /// Why a login is required, or why the last refresh failed.
  public var cause: String?
  public var accessTokenExpiresAt: Int?
  /// When the provider last issued tokens.
  public var refreshedAt: Int?
  /// Whether a call without `account` uses this one.
  public var isDefault: Bool
  /// Whether its refresh token may be released. Earlier engines do not say.
  public var exportable: Bool?
  /// The scopes that were granted at its login, if they are known.
  public var scope: String?
  /// Those of them that the last refresh did not grant.
  public var missingScope: String?
  /// After a login that replaced another one: whether the other one's refresh token was revoked at
  /// its provider.
  public var replacedRevoked: Bool?
  /// Why it was not revoked.
  public var replacedReason: String?

  public init(
    name: String,
    provider: String,
    kind: String,
    issuer: String,
    subject: String? = nil,
    email: String? = nil,
    displayName: String? = nil,
    role: String? = nil,
    emailVerified: Bool? = nil,
    createdAt: Int? = nil,
    claims: JSONObject? = nil,
    presenceProtection: Bool,
    state: AccountState,
    cause: String? = nil,
    accessTokenExpiresAt: Int? = nil,
    refreshedAt: Int? = nil,
    isDefault: Bool,
    exportable: Bool? = nil,
    scope: String? = nil,
    missingScope: String? = nil,
    replacedRevoked: Bool? = nil,
    replacedReason: String? = nil
  ) {
    self.name = name
    self.provider = provider
    self.kind = kind
    self.issuer = issuer
    self.subject = subject
    self.email = email
    self.displayName = displayName
    self.role = role
    self.emailVerified = emailVerified
    self.createdAt = createdAt
    self.claims = claims
    self.presenceProtection = presenceProtection
    self.state = state
    self.cause = cause
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshedAt = refreshedAt
    self.isDefault = isDefault
    self.exportable = exportable
    self.scope = scope
    self.missingScope = missingScope
    self.replacedRevoked = replacedRevoked
    self.replacedReason = replacedReason
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    provider = try object.required("provider")
    kind = try object.required("kind")
    issuer = try object.required("issuer")
    subject = try object.optional("subject")
    email = try object.optional("email")
    displayName = try object.optional("display_name")
    role = try object.optional("role")
    emailVerified = try object.optional("email_verified")
    createdAt = try object.optional("created_at")
    claims = try object.optional("claims")
    presenceProtection = try object.required("presence_protection")
    state = try object.required("state")
    cause = try object.optional("cause")
    accessTokenExpiresAt = try object.optional("access_token_expires_at")
    refreshedAt = try object.optional("refreshed_at")
    isDefault = try object.required("is_default")
    exportable = try object.optional("exportable")
    scope = try object.optional("scope")
    missingScope = try object.optional("missing_scope")
    replacedRevoked = try object.optional("replaced_revoked")
    replacedReason = try object.optional("replaced_reason")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "provider": provider,
        "kind": kind,
        "issuer": issuer,
        "subject": subject,
        "email": email,
        "display_name": displayName,
        "role": role,
        "email_verified": emailVerified,
        "created_at": createdAt,
        "claims": claims,
        "presence_protection": presenceProtection,
        "state": state,
        "cause": cause,
        "access_token_expires_at": accessTokenExpiresAt,
        "refreshed_at": refreshedAt,
        "is_default": isDefault,
        "exportable": exportable,
        "scope": scope,
        "missing_scope": missingScope,
        "replaced_revoked": replacedRevoked,
        "replaced_reason": replacedReason,
      ])
    }
  }
}

/// What is known about the reader without opening it.
public struct VaultReader: VarlinkRecord, WireValue, Equatable {
  /// Whether it can be used.
  public var available: Bool
  public var name: String?
  public var driver: String?
  /// Why it cannot be used.
  public var reason: String?
  /// Whether a program uses it now, if that is known.
  public var inUse: Bool?
  /// How this is known. An engine that opens the reader does not say.
  public var known: ReaderKnowledge?

  public init(
    available: Bool,
    name: String? = nil,
    driver: String? = nil,
    reason: String? = nil,
    inUse: Bool? = nil,
    known: ReaderKnowledge? = nil
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.reason = reason
    self.inUse = inUse
    self.known = known
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    available = try object.required("available")
    name = try object.optional("name")
    driver = try object.optional("driver")
    reason = try object.optional("reason")
    inUse = try object.optional("in_use")
    known = try object.optional("known")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "available": available,
        "name": name,
        "driver": driver,
        "reason": reason,
        "in_use": inUse,
        "known": known,
      ])
    }
  }
}

/// The provider's message about one field of a form.
public struct VaultFieldProblem: VarlinkRecord, WireValue, Equatable {
  /// `email`, `name`, `password`, or a name of the provider's own.
  public var field: String
  /// The provider's words.
  public var message: String

  public init(
    field: String,
    message: String
  ) {
    self.field = field
    self.message = message
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    field = try object.required("field")
    message = try object.required("message")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "field": field,
        "message": message,
      ])
    }
  }
}

/// One record of the audit log.
public struct VaultAuditRecord: VarlinkRecord, WireValue, Equatable {
  /// Its number in the chain.
  public var number: Int
  public var time: Int
  /// The action.
  public var event: String
  /// Its result.
  public var outcome: String
  public var account: String?
  /// The method by which presence was proven.
  public var method: String?
  /// The program that made the request.
  public var requester: String?
  /// More about the event, never a secret.
  public var detail: String?

  public init(
    number: Int,
    time: Int,
    event: String,
    outcome: String,
    account: String? = nil,
    method: String? = nil,
    requester: String? = nil,
    detail: String? = nil
  ) {
    self.number = number
    self.time = time
    self.event = event
    self.outcome = outcome
    self.account = account
    self.method = method
    self.requester = requester
    self.detail = detail
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    number = try object.required("number")
    time = try object.required("time")
    event = try object.required("event")
    outcome = try object.required("outcome")
    account = try object.optional("account")
    method = try object.optional("method")
    requester = try object.optional("requester")
    detail = try object.optional("detail")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "number": number,
        "time": time,
        "event": event,
        "outcome": outcome,
        "account": account,
        "method": method,
        "requester": requester,
        "detail": detail,
      ])
    }
  }
}

/// The result of a sign-out of all accounts, for one of them.
public struct EndedAccount: VarlinkRecord, WireValue, Equatable {
  public var account: String
  /// The name of its provider.
  public var provider: String
  /// Whether its tokens are erased here.
  public var erased: Bool
  /// The state of the refresh token at the provider.
  public var grant: GrantState
  /// Why the provider did not confirm, or why nothing was erased.
  public var reason: String?
  /// Whether no connection could be made.
  public var offline: Bool?
  /// The error of this interface because of which it was not erased, such as `VaultUnsafe`.
  public var error: String?

  public init(
    account: String,
    provider: String,
    erased: Bool,
    grant: GrantState,
    reason: String? = nil,
    offline: Bool? = nil,
    error: String? = nil
  ) {
    self.account = account
    self.provider = provider
    self.erased = erased
    self.grant = grant
    self.reason = reason
    self.offline = offline
    self.error = error
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    account = try object.required("account")
    provider = try object.required("provider")
    erased = try object.required("erased")
    grant = try object.required("grant")
    reason = try object.optional("reason")
    offline = try object.optional("offline")
    error = try object.optional("error")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "account": account,
        "provider": provider,
        "erased": erased,
        "grant": grant,
        "reason": reason,
        "offline": offline,
        "error": error,
      ])
    }
  }
}

/// A rule of the policy. `window` is in minutes, `window-limit` in hours, `store` in MiB.
public struct VaultRule: VarlinkRecord, WireValue, Equatable {
  /// Its key in a policy file.
  public var key: String
  /// The machine's value, or the default if it sets none.
  public var machine: String
  /// The value that the user has set.
  public var own: String?
  /// The value in effect: the stricter of the two. Absent if the rule has no effect in this vault.
  public var holds: String?
  /// Whether a user may set a stricter one.
  public var forUsers: Bool
  /// The file and line of the machine's value. Absent if no file sets it.
  public var location: String?

  public init(
    key: String,
    machine: String,
    own: String? = nil,
    holds: String? = nil,
    forUsers: Bool,
    location: String? = nil
  ) {
    self.key = key
    self.machine = machine
    self.own = own
    self.holds = holds
    self.forUsers = forUsers
    self.location = location
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    key = try object.required("key")
    machine = try object.required("machine")
    own = try object.optional("own")
    holds = try object.optional("holds")
    forUsers = try object.required("for_users")
    location = try object.optional("location")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "key": key,
        "machine": machine,
        "own": own,
        "holds": holds,
        "for_users": forUsers,
        "location": location,
      ])
    }
  }
}

/// A slot of the machine key.
public struct VaultMachineSlot: VarlinkRecord, WireValue, Equatable {
  /// Its name in commands.
  public var id: String
  /// Absent if it cannot be read.
  public var kind: SlotKind?
  /// Why it cannot be read.
  public var problem: String?

  public init(
    id: String,
    kind: SlotKind? = nil,
    problem: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.problem = problem
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    id = try object.required("id")
    kind = try object.optional("kind")
    problem = try object.optional("problem")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "id": id,
        "kind": kind,
        "problem": problem,
      ])
    }
  }
}

/// The test of one slot.
public struct VaultSlotTest: VarlinkRecord, WireValue, Equatable {
  public var slot: VaultMachineSlot
  /// Absent if it was not tried.
  public var opens: Bool?
  /// Why it does not open, or was not tried.
  public var detail: String?

  public init(
    slot: VaultMachineSlot,
    opens: Bool? = nil,
    detail: String? = nil
  ) {
    self.slot = slot
    self.opens = opens
    self.detail = detail
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    slot = try object.required("slot")
    opens = try object.optional("opens")
    detail = try object.optional("detail")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "slot": slot,
        "opens": opens,
        "detail": detail,
      ])
    }
  }
}

/// A rule for callers, of the machine or of the user.
public struct VaultCallerRule: VarlinkRecord, WireValue, Equatable {
  public var name: String
  /// Its settings by key.
  public var settings: [String: String]
  /// Whether it is the user's own.
  public var own: Bool
  /// Whether its `desktop` allows more prompts than the policy of the machine.
  public var loosensDesktop: Bool

  public init(
    name: String,
    settings: [String: String],
    own: Bool = false,
    loosensDesktop: Bool = false
  ) {
    self.name = name
    self.settings = settings
    self.own = own
    self.loosensDesktop = loosensDesktop
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    settings = try object.required("settings")
    own = try object.optional("own") ?? false
    loosensDesktop = try object.optional("loosens_desktop") ?? false
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "name": name,
        "settings": settings,
        "own": own ? true : nil,
        "loosens_desktop": loosensDesktop ? true : nil,
      ])
    }
  }
}
