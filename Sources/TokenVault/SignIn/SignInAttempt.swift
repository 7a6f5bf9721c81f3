internal import AuditLog
internal import Configuration
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// The request of a sign-in, and the values that are kept until the answer is there.
struct SignInAttempt: Sendable {
  let purpose: IntentRow.Purpose
  /// The provider that it goes to, with the values that discovery fills in.
  let provider: Provider
  let request: ProviderRequest
  let pending: SignInIntent
  /// The secret in the request: a message that quotes it is not shown.
  let sent: SharedSecret

  var isImport: Bool { pending.flow == .importing }

  /// Whether a failure of its earlier exchange ends it.
  ///
  /// Otherwise it is made again. That needs the person's consent if a token may have been used,
  /// because its second use ends the login at many providers.
  func isOver(by failure: VaultFailure) -> Bool {
    guard purpose == .login else { return false }
    if isImport, case .unavailable(.uncertain, _, _, _) = failure { return true }
    return !failure.isTemporary
  }
}

/// The account that a sign-in is for.
enum SignInSubject: Sendable {
  /// The account that has this name now, made if there is none.
  case named(String)
  /// The account for which the sign-in was begun.
  case begun(LoginTarget)

  var name: String {
    switch self {
    case .named(let name): name
    case .begun(let target): target.name
    }
  }

  var target: LoginTarget? {
    if case .begun(let target) = self { target } else { nil }
  }
}

/// The result of a sign-in exchange.
enum SignInOutcome: Sendable {
  case signedIn(AccountFacts)
  /// The person has not decided yet.
  ///
  /// With `slowDown`, the next poll must come later than so far.
  case pending(slowDown: Bool)
  /// A person other than the owner of the protected account signed in: a presence check decides.
  case held(HeldSignIn)
}

extension Vault {
  /// The account of a finished sign-in; asks for a check if the sign-in is held.
  ///
  /// Only a device sign-in may be pending.
  func facts(
    of outcome: SignInOutcome,
    _ caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    switch outcome {
    case .signedIn(let facts): return facts
    case .held(let held): try await askToReplace(held, caller)
    case .pending:
      throw .misconfigured("the provider answered as if the sign-in were still pending")
    }
  }

  /// Makes one exchange that may bring the tokens of an account, which is made if there is none.
  ///
  /// `provider` is that of a new account; `nil` if the account must exist.
  ///
  /// - Returns: the account as it is now, that there is no answer yet, or the held answer.
  /// - Throws: the meaning of the provider's answer, and failures of the store.
  func signIn(
    _ subject: SignInSubject,
    _ provider: Provider?,
    _ attempt: SignInAttempt,
    _ caller: Caller
  ) async throws(VaultFailure) -> SignInOutcome {
    let location = await locationOfWindow(caller)
    while true {
      let account = try accountToSignIn(subject, provider)
      await enter(account.id)
      defer { leave(account.id) }
      // An earlier call may have renamed the account, or removed it because the provider refused.
      guard let current = try accountIfAny(withIdentifier: account.id),
        current.name == account.name || current.id == subject.target?.identifier
      else {
        guard !attempt.isImport else { throw .importOvertaken }
        continue
      }
      if let target = subject.target, target.identifier != account.id {
        throw .isAnother(target.name)
      }
      let slot = try await lockedSlot(account.id)
      let earlier = try intent(of: account)
      let isItself = earlier.map { isOf(attempt, $0) } ?? false
      switch try await recover(account.id, slot, isLoginOver: !isItself) {
      // An earlier exchange of this same sign-in or registration has finished: the provider would
      // refuse a second one.
      case .tokens(let replaced) where isItself:
        var facts = try facts(of: try self.account(withIdentifier: account.id), at: location)
        facts.replaced = replaced
        return .signedIn(facts)
      case .over(let why) where isItself && attempt.isOver(by: why): throw why
      case .waiting(let why): throw why
      default: break
      }
      // Recovery removes a new account whose interrupted sign-in had no result.
      guard let row = try accountIfAny(withIdentifier: account.id) else { continue }
      try demandNoSecret(row)
      if try isImported(row, by: attempt.pending) {
        return .signedIn(try facts(of: row, at: location))
      }
      try demandAgreed(row, attempt.pending)
      if let earlier, isItself, row.state == .signedIn, row.generation > earlier.generation {
        // The earlier exchange brought a refresh token, but not everything that was expected.
        return .signedIn(try facts(of: row, at: location))
      }
      switch try await exchange(attempt, for: row, slot, caller) {
      case .settled(.pending(let slowDown), _): return .pending(slowDown: slowDown)
      case .settled(.tokens, let replaced):
        var facts = try facts(of: try self.account(withIdentifier: row.id), at: location)
        facts.replaced = replaced
        return .signedIn(facts)
      case .held(let held): return .held(held)
      }
    }
  }

  /// Whether an earlier exchange belongs to the same sign-in or registration.
  private func isOf(_ attempt: SignInAttempt, _ intent: IntentRow) -> Bool {
    guard attempt.purpose == intent.purpose, let before = intent.pendingSignIn else { return false }
    if attempt.purpose == .register { return before.email == attempt.pending.email }
    return before.login != nil && before.login == attempt.pending.login
  }

  /// The exchange of a sign-in, from T1 to T2, and the end of the grant that it replaced.
  private func exchange(
    _ attempt: SignInAttempt,
    for row: AccountRow,
    _ slot: consuming SlotFile,
    _ caller: Caller
  ) async throws(VaultFailure) -> Exchanged {
    let replaced = await signInToReplace(in: row, caller)
    // Start the exchange helper before T1, as for a refresh.
    let exchangeHelper = await exchange.exchangeHelper()
    let intent: IntentRow
    do throws(VaultFailure) {
      intent = try begin(attempt, for: row, caller)
    } catch {
      try? removeHusk(row)
      throw error
    }
    let delivery = try delivery(intent, slot)
    let reply = await exchangeHelper.perform(
      attempt.request,
      terms: terms(of: attempt.provider),
      delivery: delivery
    )
    if reply.isOpen {
      slot.close()
      slot = try await lockedSlot(row.id)
    }
    defer { exchange.prepareLater() }
    let image = try image(after: reply, intent, slot)
    // If the keys cannot be read now, the answer stays in the slot.
    let keys = try await newerKeys(for: intent, image)
    do throws(VaultFailure) {
      let settled = try settle(
        intent,
        with: image,
        slot,
        caller: caller,
        evidence: Evidence(sent: attempt.sent, keys: keys, replaced: replaced)
      )
      guard case .tokens = settled, let replaced else { return .settled(settled, replaced: nil) }
      return .settled(settled, replaced: await end(replaced, replacedBy: intent.intent))
    } catch {
      if let held = signIns.takeHeld(intent.intent) { return .held(held) }
      throw error.telling(await revokeDiscarded(of: intent.intent))
    }
  }

  /// T1 of a sign-in.
  private func begin(
    _ attempt: SignInAttempt,
    for row: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) -> IntentRow {
    var pending = attempt.pending
    try demandNew(pending, besides: row.id)
    if let refresh = try intent(of: row), refresh.purpose == .refresh {
      pending.uncertain = refresh
    }
    pending.sealedClientSecret = try sealedClientSecret(
      of: attempt.provider,
      owner: row.owner,
      account: row.id
    )
    let intent = try newIntent(attempt.purpose, for: row, context: pending.encoded)
    if pending.flow == .device {
      // Of many polls, the audit log gets a record only of the one that ends the sign-in.
      try change { try store.put(intent) }
    } else {
      try begin(intent, AuditEntry(intent.event, .begun, account: row, caller: caller))
    }
    return intent
  }

  /// The result of an exchange.
  private enum Exchanged {
    case settled(Settled, replaced: Revocation?)
    case held(HeldSignIn)
  }
}

extension VaultFailure {
  /// The account that a sign-in was begun for no longer exists, or another account has its name.
  static func isAnother(_ name: String) -> VaultFailure {
    .refused("\(name) is no longer the account that this login was started for: start it again")
  }
}
