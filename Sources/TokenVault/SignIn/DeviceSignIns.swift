internal import Configuration
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

// Device code (RFC 8628): the person approves on any device, and the engine polls until then.
extension Vault {
  func beginDeviceLogin(
    _ account: LoginTarget,
    _ provider: Provider,
    _ scopes: ScopeRequest?,
    _ terms: SignInTerms,
    _ caller: Caller
  ) async throws(VaultFailure) -> LoginStart {
    let given = try await deviceAuthorization(provider, scopes)
    let interval = Int64(given.interval)
    let now = clock.boot
    let login = try open(
      PendingLogin(
        account: account,
        provider: provider,
        terms: terms,
        scope: scopes?.scopes.joined(separator: " "),
        connection: caller.connection,
        deadline: now.advanced(bySeconds: Int64(given.expiresIn)),
        flow: .device(
          DeviceLogin(
            code: given.deviceCode,
            interval: interval,
            next: now.advanced(bySeconds: interval)
          )
        )
      )
    )
    return LoginStart(
      login: login,
      userCode: given.userCode,
      verificationURI: given.verificationURI,
      verificationURIComplete: given.verificationURIComplete,
      expiresIn: Int64(given.expiresIn),
      interval: interval
    )
  }

  private func deviceAuthorization(
    _ provider: Provider,
    _ scopes: ScopeRequest?
  ) async throws(VaultFailure) -> DeviceAuthorization {
    let client = ProviderClient(provider: provider)
    let request = try mappingErrors(to: .misconfigured()) {
      try client.deviceAuthorization(scope: scopes)
    }
    switch await exchange.perform(request, terms: terms(of: provider), delivery: nil) {
    case .answered(let status, let retryAfter, let body):
      switch client.judgeDeviceAuthorization(
        status: status,
        retryAfter: retryAfter,
        body: body.bytes
      ) {
      case .authorization(let given): return given
      case .rateLimited(let wait):
        throw .retryAfter(retryAfter: wait.map(Int64.init))
      case .failing(let status, let wait, let message):
        throw .providerUnavailable(message, retryAfter: wait.map(Int64.init), status: status)
      case .scopeRefused(let status, let words):
        let typed = scopes?.scopes.joined(separator: " ") ?? ""
        throw .scopeRefused(status, words, typed.isEmpty ? "the scopes of its file" : typed)
      case .misconfigured(let message): throw .misconfigured(message)
      }
    case .notSent(let reason):
      throw .notSent(reason, to: request.url, terms: terms(of: provider))
    case .interrupted(let reason): throw .unanswered(reason, by: request.url)
    case .delivered, .sealed: throw .unexpected("the exchange gave no answer")
    }
  }

  /// Waits until a person has approved or refused on another device.
  ///
  /// Cancelling the task stops the wait; the sign-in stays. The polling ends when the connection
  /// that began the sign-in closes, or when its time is over.
  ///
  /// If a person other than the owner of a protected account signed in, the answer waits for the
  /// check of `prompt`.
  ///
  /// `report` gets the seconds between two polls, before each wait.
  ///
  /// - Throws: `providerRefused` if the person refused or the code has expired, `loginRequired` if
  ///   the time is over, or the failure of the last poll if the provider was not trusted, and all
  ///   that `signIn` throws.
  package func awaitLogin(
    _ name: String,
    prompt: String? = nil,
    caller: Caller,
    report: @Sendable (Int64) -> Void
  ) async throws(VaultFailure) -> AccountFacts {
    if let facts = try await finishHeld(prompt, caller) { return facts }
    while true {
      let (login, device) = try deviceLogin(name, caller)
      report(device.interval)
      let end = min(device.next, login.deadline)
      let wait = (end.nanoseconds - clock.boot.nanoseconds + 999_999) / 1_000_000
      if wait > 0 { await clock.pause(milliseconds: wait) }
      guard !Task.isCancelled else {
        throw .loginRequired(account: login.account.name, message: "the wait was given up")
      }
      let (now, due) = try deviceLogin(name, caller)
      // After an early wake-up, wait again: a provider that is polled too soon lengthens the
      // interval.
      guard due.next <= clock.boot else { continue }
      if let facts = try await ask(name, now, due, caller) { return facts }
    }
  }

  private func deviceLogin(
    _ name: String,
    _ caller: Caller
  ) throws(VaultFailure) -> (PendingLogin, DeviceLogin) {
    let entry = signIns.pending.login(name, of: caller.connection, at: clock.boot)
    if case .over(let login) = entry, case .device(let device) = login.flow,
      let failure = device.failure, case .unavailable(let reason, _, _, _) = failure,
      reason.isDistrust
    {
      // The person can remove its cause. Otherwise the next code expires too.
      throw failure
    }
    let login = try found(entry)
    guard case .device(let device) = login.flow else {
      throw .invalidArgument("a browser login does not complete by itself: finish it")
    }
    return (login, device)
  }

  /// Polls the provider once; `nil` if the person has not decided yet.
  private func ask(
    _ name: String,
    _ login: PendingLogin,
    _ device: DeviceLogin,
    _ caller: Caller
  ) async throws(VaultFailure) -> AccountFacts? {
    var device = device
    let outcome: Result<SignInOutcome, VaultFailure>
    do throws(VaultFailure) {
      outcome = .success(try await poll(name, login, device, caller))
    } catch {
      outcome = .failure(error)
    }
    switch outcome {
    case .success(.signedIn(let facts)):
      signIns.pending.forget(name)
      return facts
    case .success(.held(let held)):
      signIns.pending.forget(name)
      try await askToReplace(held, caller)
    case .success(.pending(let slowDown)): device.wasAsked(slowDown: slowDown, at: clock.boot)
    case .failure(let failure) where failure.isTemporary:
      // After a temporary failure the poll is repeated with a growing interval (section 3.5).
      device.failed(failure, at: clock.boot)
    case .failure(let failure):
      signIns.pending.forget(name)
      throw failure
    }
    signIns.pending.update(name, .device(device))
    return nil
  }

  private func poll(
    _ name: String,
    _ login: PendingLogin,
    _ device: DeviceLogin,
    _ caller: Caller
  ) async throws(VaultFailure) -> SignInOutcome {
    let request = try mappingErrors(to: .misconfigured()) {
      try ProviderClient(provider: login.provider).deviceToken(device.code.bytes)
    }
    var pending = SignInIntent(login.provider, email: "", exportable: login.terms.exportable)
    pending.agreed = login.terms.agreed
    pending.flow = .device
    pending.login = name
    pending.scope = login.scope
    pending.keys = try await keys(of: login.provider)?.encoded
    let attempt = SignInAttempt(
      purpose: .login,
      provider: login.provider,
      request: request,
      pending: pending,
      sent: device.code
    )
    return try await signIn(.begun(login.account), login.provider, attempt, caller)
  }
}

extension DeviceLogin {
  /// The seconds that `slow_down` adds to the interval (RFC 8628, section 3.5).
  private static let slowness: Int64 = 5
  /// The longest wait after a poll that was not answered, in seconds.
  private static let longestWait: Int64 = 60

  mutating func wasAsked(slowDown: Bool, at now: BootInstant) {
    failures = 0
    failure = nil
    if slowDown { interval += Self.slowness }
    next = now.advanced(bySeconds: interval)
  }

  mutating func failed(_ failure: VaultFailure, at now: BootInstant) {
    self.failure = failure
    failures += 1
    let doubled = min(interval << min(failures, 6), max(interval, Self.longestWait))
    next = now.advanced(bySeconds: max(doubled, min(failure.wait ?? 0, 900)))
  }
}

extension VaultFailure {
  /// The wait that a failure of the moment asks for, in seconds.
  fileprivate var wait: Int64? {
    switch self {
    case .offline(_, let wait, _), .providerUnavailable(_, let wait, _),
      .unavailable(_, _, let wait, _):
      wait
    default: nil
    }
  }
}
