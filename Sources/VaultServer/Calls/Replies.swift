internal import OAuth
internal import Presence
internal import TokenVault
internal import VaultInterface

// Translates the vault's types to those of the interface.

extension VaultError {
  init(_ failure: VaultFailure) {
    switch failure {
    case .presenceNeeded(let need): self = .presenceNeeded(PresenceRequest(need))
    case .presenceFailed(let outcome, let methods):
      self = .presenceFailed(
        VaultInterface.PresenceOutcome(outcome),
        message: outcome.message,
        methods: methods.map(VaultInterface.PresenceMethod.init)
      )
    case .busy(let message): self = .busy(message: message)
    case .tooManyPrompts(let wait):
      self = .busy(message: "too many prompts", retryAfter: Int(clamping: wait))
    case .noSuchFinger(let finger): self = .noSuchFinger(finger: finger)
    case .noSuchAccount(let message): self = .noSuchAccount(account: message)
    case .noSuchUser(let user): self = .noSuchUser(user: user)
    case .invalidArgument(let message): self = .invalidArgument(message: message)
    case .loginRequired(let account, let message):
      self = .loginRequired(account: account, message: message)
    case .providerUnavailable(let message, let wait, let status):
      self = .providerUnavailable(
        message: message,
        retryAfter: wait.map { Int(clamping: $0) },
        status: status
      )
    case .unavailable(let why, let message, let wait, let status):
      self = .providerUnavailable(
        message: message,
        retryAfter: wait.map { Int(clamping: $0) },
        reason: UnavailableReason(rawValue: why.rawValue),
        status: status
      )
    case .offline(let message, let wait, let isUncertain):
      self = .providerUnavailable(
        message: message,
        retryAfter: wait.map { Int(clamping: $0) },
        offline: true,
        reason: isUncertain ? .uncertain : nil
      )
    case .providerRefused(let status, let message, let details):
      self = .providerRefused(
        status: status,
        message: message,
        details: VaultRefusalDetails(
          reason: details.reason.flatMap { VaultRefusalReason(rawValue: $0.rawValue) },
          fields: details.fields.map { VaultFieldProblem(field: $0.field, message: $0.message) }
        )
      )
    case .misconfigured(let message): self = .misconfigured(message: message)
    case .vaultUnsafe(let message, let hint): self = .vaultUnsafe(message: message, hint: hint)
    case .refused(let message): self = .refused(message: message)
    case .mayNarrow(let message): self = .mayNarrow(message: message)
    case .notExportable(let account):
      self = .refused(
        message: "\(account) is not exportable: its refresh token stays here"
          + " (thumblatch login \(account) --exportable allows it)"
      )
    case .unexpected(let message): self = .internal(message: message)
    }
  }
}

extension AccessTokenReply {
  init(_ grant: AccessGrant) {
    self.init(
      account: grant.account,
      accessToken: grant.accessToken,
      tokenType: grant.tokenType,
      expiresAt: grant.expiresAt.map { Int(clamping: $0) },
      shorterThanRequested: grant.isShorterThanRequested,
      scope: grant.scope,
      missingScope: grant.missingScope
    )
  }
}

extension PresenceRequest {
  init(_ need: PresenceNeed) {
    self.init(
      prompt: need.prompt,
      requester: need.requester,
      account: need.account,
      purpose: VaultInterface.PresencePurpose(need.purpose),
      detail: need.detail,
      methods: need.methods.map(VaultInterface.PresenceMethod.init),
      timeout: Int(clamping: need.timeout),
      reason: need.reason,
      scan: need.methods.contains(.fingerprint)
        ? need.scan.map(VaultInterface.ScanType.init) : nil
    )
  }
}

extension VaultInterface.PresenceMethod {
  init(_ method: Presence.PresenceMethod) {
    switch method {
    case .fingerprint: self = .fingerprint
    case .password: self = .password
    }
  }

  var method: Presence.PresenceMethod {
    switch self {
    case .fingerprint: .fingerprint
    case .password: .password
    }
  }
}

extension VaultInterface.PresencePurpose {
  init(_ purpose: Presence.PresencePurpose) {
    switch purpose {
    case .refresh: self = .refresh
    case .enable: self = .enable
    case .disable: self = .disable
    case .unlock: self = .unlock
    case .enroll: self = .enroll
    case .deleteFinger: self = .deleteFinger
    case .release: self = .release
    case .exportable: self = .exportable
    case .rekey: self = .rekey
    case .recover: self = .recover
    case .test: self = .test
    case .applyProvider: self = .applyProvider
    case .rename: self = .rename
    case .policy: self = .policy
    case .signOut: self = .signOut
    case .remove: self = .remove
    case .replace: self = .replace
    case .setDefault: self = .setDefault
    }
  }
}

extension VaultInterface.PresenceOutcome {
  init(_ outcome: Presence.PresenceOutcome) {
    switch outcome {
    case .cancelled: self = .cancelled
    case .passwordChosen: self = .passwordChosen
    case .notAvailable: self = .notAvailable
    case .notEnrolled: self = .notEnrolled
    case .lockedOut: self = .lockedOut
    case .noMatch: self = .noMatch
    case .timedOut: self = .timedOut
    case .busy: self = .busy
    case .denied: self = .denied
    }
  }
}

extension Presence.PresenceOutcome {
  /// The details that the outcome's name does not say; empty if there are none.
  var message: String {
    switch self {
    case .notAvailable(let why), .busy(let why), .denied(let why): why
    case .cancelled, .passwordChosen, .notEnrolled, .lockedOut, .noMatch, .timedOut: ""
    }
  }
}

extension VaultInterface.AccountState {
  init(_ state: TokenVault.AccountState) {
    switch state {
    case .ready: self = .ready
    case .locked: self = .locked
    case .refreshing: self = .refreshing
    case .uncertain: self = .uncertain
    case .loginRequired: self = .loginRequired
    case .signedOut: self = .signedOut
    }
  }
}

extension VaultAccount {
  init(_ facts: AccountFacts) {
    self.init(
      name: facts.name,
      provider: facts.provider,
      kind: facts.kind,
      issuer: facts.issuer,
      subject: facts.subject,
      email: facts.email,
      displayName: facts.displayName,
      role: facts.person.role,
      emailVerified: facts.person.isEmailVerified,
      createdAt: facts.person.createdAt.map { Int(clamping: $0) },
      claims: facts.person.claimsIfAny,
      presenceProtection: facts.isProtected,
      state: VaultInterface.AccountState(facts.state),
      cause: facts.cause,
      accessTokenExpiresAt: facts.accessTokenExpiresAt.map { Int(clamping: $0) },
      refreshedAt: facts.refreshedAt.map { Int(clamping: $0) },
      isDefault: facts.isDefault,
      exportable: facts.isExportable,
      scope: facts.scope,
      missingScope: facts.missingScope,
      replacedRevoked: facts.replaced?.revoked,
      replacedReason: facts.replaced?.reason
    )
  }
}

extension LogoutReply {
  init(_ answer: Revocation) {
    self.init(
      revoked: answer.revoked,
      reason: answer.reason,
      offline: answer.isOffline ? true : nil,
      grant: GrantState(answer.grant)
    )
  }
}

extension GrantState {
  init(_ grant: Revocation.Grant) {
    switch grant {
    case .ended: self = .ended
    case .valid: self = .valid
    case .unknown: self = .unknown
    case .none: self = .none
    }
  }
}

extension VaultReader {
  init(_ facts: ReaderFacts) {
    self.init(
      available: facts.available,
      name: facts.name,
      driver: facts.driver,
      reason: facts.reason,
      inUse: facts.knowledge == .plugged && facts.available ? facts.isInUse : nil,
      known: ReaderKnowledge(facts.knowledge)
    )
  }
}

extension ReaderKnowledge {
  init(_ knowledge: ReaderFacts.Knowledge) {
    switch knowledge {
    case .plugged: self = .plugged
    case .lastUsed: self = .lastUsed
    case .notLooked: self = .notLooked
    }
  }
}

extension VaultAuditRecord {
  init(_ facts: AuditFacts) {
    self.init(
      number: Int(clamping: facts.number),
      time: Int(clamping: facts.time),
      event: facts.event,
      outcome: facts.outcome,
      account: facts.account,
      method: facts.method,
      requester: facts.requester,
      detail: facts.detail
    )
  }
}

extension VaultInterface.CheckEvent {
  init(_ step: CheckStep) {
    switch step {
    case .ask(let text, let hidden): self = .ask(text: text, hidden: hidden)
    case .passed: self = .passed
    case .free: self = .free
    }
  }

  init(_ notice: CheckNotice) {
    switch notice {
    case .waiting: self = .waiting
    case .touch(let finger, let scan):
      self = .touch(finger: finger, scan: scan.map(VaultInterface.ScanType.init))
    case .retry(let hint): self = .retry(ScanHint(hint))
    case .wait(let seconds): self = .wait(seconds: Int(clamping: seconds))
    case .queued: self = .queued
    }
  }
}

extension VaultInterface.ScanType {
  init(_ scan: TokenVault.ScanType) {
    self = scan == .swipe ? .swipe : .press
  }
}

extension ScanHint {
  init(_ hint: RetryHint) {
    switch hint {
    case .general: self = .general
    case .tooShort: self = .tooShort
    case .centerFinger: self = .centerFinger
    case .removeFinger: self = .removeFinger
    }
  }
}
