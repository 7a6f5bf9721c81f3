internal import Configuration
internal import OAuth
internal import PresenceTerms
internal import TokenVault
internal import Varlink
internal import VaultInterface

// Translates the vault's types to those of the interface.

extension VaultError {
  init(_ failure: VaultFailure) {
    switch failure {
    case .presenceNeeded(let need): self = .presenceNeeded(PresenceRequest(need))
    case .presenceFailed(let failure, let methods):
      self = .presenceFailed(failure.outcome, message: failure.detail, methods: methods)
    case .busy(let message): self = .busy(message: message)
    case .noDesktop(let objection): self = .noDesktop(objection)
    case .tooManyPrompts(let wait):
      self = .busy(
        message: "too many prompts were opened without a passed check; cancelled prompts count",
        retryAfter: Int(clamping: wait)
      )
    case .noSuchFinger(let finger): self = .noSuchFinger(finger: finger)
    case .noSuchKey(let key): self = .noSuchKey(key: key)
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
      self = .refused(status: status, message, details)
    case .misconfigured(let message): self = .misconfigured(message: message)
    case .vaultUnsafe(let why, let hint): self = .vaultUnsafe(message: why, hint: hint?.text)
    case .machineKeyNeeded(let message): self = .machineKeyNeeded(message: message)
    case .keyPINNeeded(let message, let retries):
      self = .keyPINNeeded(message: message, retries: retries)
    case .refused(let message): self = .refused(message: message)
    case .outsideRule(let rule, let what):
      self = .refused(message: "the \(rule) does not allow \(what)")
    case .mayNarrow(let message): self = .refused(message: message, narrows: true)
    case .notExportable(let account):
      self = .refused(
        message: "\(account) is not exportable: its refresh token stays here"
          + " (thumblatch login \(account) --exportable allows it)"
      )
    case .unexpected(let message): self = .internal(message: message)
    }
  }

  private static func noDesktop(_ objection: DesktopObjection) -> VaultError {
    .noDesktop(
      message: objection.text,
      reason: objection.reason.flatMap { NoDesktopReason(rawValue: $0.rawValue) }
    )
  }

  private static func refused(
    status: Int,
    _ message: String,
    _ details: RefusalDetails
  ) -> VaultError {
    .providerRefused(
      status: status,
      message: message,
      reason: details.reason.flatMap { VaultRefusalReason(rawValue: $0.rawValue) },
      fields: details.fields.map { VaultFieldProblem(field: $0.field, message: $0.message) }
    )
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

extension GrantAtHand {
  /// The reply as it goes over the wire; `nil` if it cannot be encoded.
  var encoded: [UInt8]? {
    message { grant in try? VarlinkReply(AccessTokenReply(grant)).plainEncoded(on: .vault) }
  }
}

extension RequestTermsReply {
  init(_ terms: RequestTerms) {
    self.init(
      account: terms.account,
      issuer: terms.issuer,
      hosts: terms.hosts,
      ca: terms.exchange.certificateAuthority,
      pins: terms.exchange.pins,
      proxy: terms.exchange.proxy,
      listeners: terms.exchange.loopbackUsers.map { Int($0) },
      connectTimeout: terms.exchange.limits.connection,
      resource: terms.resource,
      anyHost: terms.isForAnyHost
    )
  }
}

extension PresenceRequest {
  init(_ need: PresenceNeed) {
    self.init(
      prompt: need.prompt,
      requester: need.requester,
      account: need.account,
      purpose: need.purpose,
      detail: need.detail,
      methods: need.methods,
      timeout: Int(clamping: need.timeout),
      reason: need.reason,
      scan: need.methods.contains(.fingerprint) ? need.scan : nil,
      statedReason: need.statedReason,
      atDesktop: need.isForAgents
    )
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
      state: facts.state,
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

extension AccountReply {
  init(_ facts: AccountFacts) { self.init(account: VaultAccount(facts)) }
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
    case .waiting: self = .waiting()
    case .touch(let finger, let scan): self = .waiting(finger: finger, scan: scan)
    case .retry(let hint): self = .retry(hint)
    case .out(let method, let failure, let devices):
      let message = failure.detail.isEmpty ? nil : failure.detail
      self = .deviceFailed(method, reason: failure.outcome, message: message, methods: devices)
    case .wait(let seconds): self = .waiting(seconds: Int(clamping: seconds))
    case .queued: self = .queued
    case .says(let text): self = .says(text: text)
    }
  }
}
