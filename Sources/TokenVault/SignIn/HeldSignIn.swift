internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Storage

/// The person that signed in, according to the answer.
struct SignedInPerson {
  let user: UserFacts?
  /// The e-mail address that was typed; empty if none was.
  let email: String

  var shown: String {
    if let known = user?.email ?? user?.name { return known }
    if !email.isEmpty { return email }
    return user?.id ?? "a person that the provider does not name"
  }
}

/// The answer to a sign-in that waits for a presence check; it is kept in memory only.
struct HeldSignIn: Sendable {
  let answer: TokenAnswer
  let user: UserFacts?
  let intent: IntentRow
  let provider: Provider
  let question: PromptQuestion
  /// The ownership digest of the account that it would replace.
  let ownership: [UInt8]
}

extension AccountRow {
  /// Whether a sign-in is by the person that the account belongs to.
  ///
  /// If the provider gave its own identifier for the person both times, that identifier decides.
  /// Otherwise the e-mail address that was typed with the password decides. An address from the
  /// provider does not count: some providers let their users claim any address. If nothing is
  /// known, it counts as another person.
  func isSamePerson(_ user: UserFacts?, email typed: String) -> Bool {
    if let subject, let id = user?.id { return subject.utf8.elementsEqual(id.utf8) }
    guard let email, !typed.isEmpty else { return false }
    return typed.utf8.elementsEqual(email.utf8)
  }
}

// The answer to a sign-in of another person waits for a check.
extension Vault {
  /// Holds the answer to a sign-in that would replace a protected account without agreement; `nil`
  /// if the answer may be kept.
  ///
  /// The account is as it was before the sign-in. The call that made the sign-in takes the held
  /// answer at once. It asks for a check, or discards the answer.
  func holdReplacement(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ settlement: Settlement
  ) throws(VaultFailure) -> VaultFailure? {
    let (intent, account) = (settlement.intent, settlement.account)
    guard let pending = settlement.pending, try !mayKeep(settlement, user) else { return nil }
    let provider = settlement.provider
    let person = SignedInPerson(user: user, email: pending.email)
    let stays = staysProtected(account, with: provider, user, email: pending.email)
    let ownership = try ownership(of: account)
    let held = HeldSignIn(
      answer: answer,
      user: user,
      intent: intent,
      provider: provider,
      question: settlement.caller.question(
        .replace,
        about: account.id,
        detail: "\(shownOwner(of: account)) → \(person.shown) at \(shown(provider))"
          + (stays ? " with other settings" : "; protection ends"),
        binding: try digest(ownership + intent.intent)
      ),
      ownership: ownership
    )
    try close(
      intent,
      account,
      nil,
      AuditEntry(
        intent.event,
        .failed,
        account: account,
        caller: settlement.caller,
        detail: "\(person.shown) signed in: a presence check is needed"
      )
    )
    signIns.hold(held)
    return .denied("\(account.name) is protected, and another person signed in")
  }

  /// Asks for the check that lets a held sign-in replace the account.
  ///
  /// - Throws: always: `presenceNeeded`, or the reason why no check can be made. In the second case
  ///   the sign-in is discarded.
  func askToReplace(_ held: HeldSignIn, _ caller: Caller) async throws(VaultFailure) -> Never {
    let failure: VaultFailure
    do throws(VaultFailure) {
      let name = try account(withIdentifier: held.intent.account).name
      failure = try await askForPresence(held.question, account: name, caller: caller)
    } catch {
      throw error.telling(await discard(held))
    }
    guard case .presenceNeeded(let need) = failure, !need.prompt.isEmpty else {
      throw failure.telling(await discard(held))
    }
    signIns.hold(held, for: need.prompt)
    throw failure
  }

  /// Keeps a held sign-in whose check has passed; `nil` if the prompt is not one for a held
  /// sign-in.
  func finishHeld(_ prompt: String?, _ caller: Caller) async throws(VaultFailure) -> AccountFacts? {
    guard let prompt, let held = signIns.held(for: prompt),
      prompts.connection(of: prompt) == caller.connection
    else { return nil }
    _ = try spend(prompt, held.question, caller)
    _ = signIns.takeHeld(for: prompt)
    var former: AccountRow?
    do throws(VaultFailure) {
      let before = try account(withIdentifier: held.intent.account)
      let replaced = await signInToReplace(in: before, caller)
      let row = try await withAccount(held.intent.account) { row throws(VaultFailure) in
        guard try ownership(of: row) == held.ownership else {
          throw .denied("the account has changed since the sign-in began: sign in again")
        }
        let settlement = try settlement(of: held, row, caller)
        former = row
        try keep(held.answer, held.user, settlement)
        noteReplaced(replaced, by: held.answer.refreshToken, held.intent)
        return try account(withIdentifier: row.id)
      }
      var facts = try facts(of: row, at: await locationOfWindow(caller))
      if let replaced {
        facts.replaced = await end(replaced, replacedBy: held.intent.intent)
      }
      return facts
    } catch {
      // A failure after the commit does not undo the login.
      if let former, let now = try? account(withIdentifier: former.id),
        now.generation != former.generation
      {
        _ = await revokeDiscarded(of: held.intent.intent)
        throw error
      }
      throw error.telling(await discard(held))
    }
  }

  /// The settlement of a held sign-in, with the agreement that its check gave.
  private func settlement(
    of held: HeldSignIn,
    _ account: AccountRow,
    _ caller: Caller
  ) throws(VaultFailure) -> Settlement {
    guard var pending = held.intent.pendingSignIn else {
      throw .unexpected("a refresh was held as a login")
    }
    pending.agreed = held.ownership
    return Settlement(
      intent: held.intent,
      pending: pending,
      account: account,
      provider: held.provider,
      caller: caller
    )
  }

  /// Discards a held sign-in whose prompt is over.
  ///
  /// No call waits for the result: only the audit log has it.
  func discardHeld(by prompt: String) {
    guard let held = signIns.takeHeld(for: prompt) else { return }
    Task { _ = await self.discard(held) }
  }

  /// Discards a sign-in that was not kept, and ends it at its provider if that is possible.
  ///
  /// - Returns: the result, which the audit log also has; `nil` if there was nothing to end.
  func discard(_ held: HeldSignIn) async -> Revocation? {
    guard let token = held.answer.refreshToken else { return nil }
    let revocation: Revocation
    if endsOtherLogins(held.provider, subject: held.user?.id) {
      revocation = .endsOtherLogins
    } else {
      let word = await tell(held.provider, access: held.answer.accessToken, refresh: token)
      revocation = word.revocation
    }
    if let account = try? self.account(withIdentifier: held.intent.account) {
      let entry = AuditEntry(
        held.intent.event,
        .failed,
        account: account,
        caller: .engine(owner),
        detail: "the login was not kept: \(revocation.ofDiscarded)"
      )
      try? change { try record(entry) }
    }
    return revocation
  }
}
