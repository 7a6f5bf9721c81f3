internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import Storage

// A sign-in can put another person, or another provider, in the place of a protected account.
// Programs that name the account would then work for that person. So a replacement needs a presence
// check. Its prompt shows both identities, and an unlock window does not count.
//
// If a sign-in goes to another provider or makes a new user, the change is known beforehand. Then
// the check comes first. The intent keeps the agreement, so that the next engine finishes the
// sign-in by it. At the same provider, only the answer says which person signed in. Then the answer
// is held until the check has passed. If it does not pass, or if no caller waits any more, the
// account stays as it was.
extension Vault {
  /// Whether a sign-in would give a protected account to another person or provider.
  ///
  /// An account that never had a token belongs to no person yet. A record that cannot be read
  /// cannot be compared, and counts as replaced.
  func replaces(
    _ account: AccountRow,
    with provider: Provider,
    _ user: UserFacts?,
    email: String
  ) -> Bool {
    guard account.isProtected, account.generation > 0 else { return false }
    return isElsewhere(provider, than: account) || !account.isSamePerson(user, email: email)
  }

  /// Whether a replacing sign-in is one of the same person at the same issuer.
  ///
  /// The account then stays protected, as that person has chosen.
  func staysProtected(
    _ account: AccountRow,
    with provider: Provider,
    _ user: UserFacts?,
    email: String
  ) -> Bool {
    isIssuer(of: provider, that: account) && account.isSamePerson(user, email: email)
  }

  private func isIssuer(of provider: Provider, that account: AccountRow) -> Bool {
    guard let bound = try? self.provider(of: account) else { return false }
    return bound.issuer.text.utf8.elementsEqual(provider.issuer.text.utf8)
  }

  /// Whether a provider differs from the one at which an account signs in.
  ///
  /// Both are compared as the user wrote them: values that discovery fills in may have moved.
  private func isElsewhere(_ provider: Provider, than account: AccountRow) -> Bool {
    guard let bound = try? self.provider(of: account) else { return true }
    return bound.asWritten != provider.asWritten
  }

  /// The digest of the ownership of a protected account, which a person agrees to give up.
  ///
  /// A change of any part makes it another question.
  func ownership(of account: AccountRow) throws(VaultFailure) -> [UInt8] {
    let parts = [
      account.id, Array(account.name.utf8), account.binding, Array((account.subject ?? "").utf8),
      Array((account.email ?? "").utf8), [account.protection],
    ]
    // A length before each part, so that no two lists of parts give the same bytes.
    return try digest(
      Array("ownership".utf8) + parts.flatMap { Self.countBytes(UInt64($0.count)) + $0 }
    )
  }

  /// The question before a sign-in that will replace an account, whichever person signs in.
  ///
  /// `nil` if nothing is replaced, or if only the answer can tell.
  func knownReplacement(
    of name: String,
    with provider: Provider,
    email: String?,
    isNewUser: Bool,
    exportable: Bool,
    _ caller: Caller
  ) throws(VaultFailure) -> PromptQuestion? {
    guard let account = try accountIfAny(named: name), account.isProtected, account.generation > 0,
      isNewUser || isElsewhere(provider, than: account)
    else { return nil }
    let person = email.map { "\($0) " } ?? ""
    let new = "\(isNewUser ? "a new user " : "")\(person)at \(shown(provider))"
    let end =
      !isNewUser && isIssuer(of: provider, that: account)
      ? " with other settings; protection ends for another person" : "; protection ends"
    return PromptQuestion(
      user: caller.user,
      purpose: exportable ? .exportable : .replace,
      account: account.id,
      detail: "\(shownOwner(of: account)) → \(new)\(end)",
      binding: try digest(
        try ownership(of: account) + (try bindingOf(provider.asWritten, exportable: exportable))
      )
    )
  }

  /// The owner of an account and its provider, as shown in a prompt.
  private func shownOwner(of account: AccountRow) -> String {
    let bound = (try? provider(of: account)).map(shown)
    return account.shownPerson + " at " + (bound ?? account.provider)
  }

  private func shown(_ provider: Provider) -> String {
    "\(provider.name.text) (\(provider.issuer.text))"
  }

  // MARK: - Before the sign-in

  /// Asks for the consent that a sign-in needs beforehand: that its token may leave the vault, that
  /// it replaces a protected account, or both at once.
  ///
  /// - Returns: the ownership digest of the account to replace; `nil` if no agreement was needed.
  func agreeToSignIn(
    _ name: String,
    at provider: Provider,
    isGiven: Bool,
    email: String?,
    isNewUser: Bool,
    exportable: Bool,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> [UInt8]? {
    let replacing = try knownReplacement(
      of: name,
      with: provider,
      email: email,
      isNewUser: isNewUser,
      exportable: exportable,
      caller
    )
    guard let replacing else {
      if exportable {
        try await allowExportable(name, isGiven ? provider : nil, prompt, caller)
      } else if let prompt {
        cancel(prompt, caller: caller)
      }
      return nil
    }
    let method = try await spend(replacing, account: name, by: prompt, caller)
    guard !exportable || method == .password else { throw .needsPassword(methods: [.password]) }
    return try ownership(of: try account(named: name))
  }

  // MARK: - After it

  /// Holds the answer to a sign-in that would replace a protected account without agreement; `nil`
  /// if the answer may be kept.
  ///
  /// The account is as it was before the sign-in. The call that made the sign-in takes the held
  /// answer at once. It asks for a check, or discards the answer.
  func holdReplacement(
    _ answer: TokenAnswer,
    _ user: UserFacts?,
    _ intent: IntentRow,
    _ account: AccountRow,
    _ provider: Provider,
    _ caller: Caller
  ) throws(VaultFailure) -> VaultFailure? {
    guard let pending = pending(intent), try !mayKeep(pending, user, account, provider) else {
      return nil
    }
    let person = SignedInPerson(user: user, email: pending.email)
    let stays = staysProtected(account, with: provider, user, email: pending.email)
    let held = HeldSignIn(
      answer: answer,
      user: user,
      intent: intent,
      provider: provider,
      question: PromptQuestion(
        user: caller.user,
        purpose: .replace,
        account: account.id,
        detail: "\(shownOwner(of: account)) → \(person.shown) at \(shown(provider))"
          + (stays ? " with other settings" : "; protection ends"),
        binding: try digest(try ownership(of: account) + intent.intent)
      ),
      ownership: try ownership(of: account)
    )
    try close(
      intent,
      account,
      nil,
      AuditEntry(
        event(of: intent),
        .failed,
        account: account,
        caller: caller,
        detail: "\(person.shown) signed in: a presence check is needed"
      )
    )
    heldSignIns[intent.intent] = held
    return .presenceFailed(
      .denied("\(account.name) is protected, and another person signed in"),
      methods: []
    )
  }

  /// Whether a sign-in may be kept: it replaces nothing, or the person agreed to the replacement.
  func mayKeep(
    _ pending: SignInIntent,
    _ user: UserFacts?,
    _ account: AccountRow,
    _ provider: Provider
  ) throws(VaultFailure) -> Bool {
    guard replaces(account, with: provider, user, email: pending.email) else { return true }
    return try pending.agreed == ownership(of: account)
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
    heldByPrompt[need.prompt] = held
    throw failure
  }

  /// Keeps a held sign-in whose check has passed; `nil` if the prompt is not one for a held
  /// sign-in.
  func finishHeld(
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> AccountFacts? {
    guard let prompt, let held = heldByPrompt[prompt],
      prompts.connection(of: prompt) == caller.connection
    else { return nil }
    _ = try spend(prompt, held.question, caller)
    heldByPrompt[prompt] = nil
    do throws(VaultFailure) {
      let before = try account(withIdentifier: held.intent.account)
      let replaced = await signInToReplace(in: before, caller)
      let row = try await withAccount(held.intent.account) { row throws(VaultFailure) in
        guard try ownership(of: row) == held.ownership else {
          throw .presenceFailed(
            .denied("the account has changed meanwhile: sign in again"),
            methods: []
          )
        }
        try keep(
          held.answer,
          held.user,
          try agreed(held),
          row,
          held.provider,
          caller,
          nil
        )
        noteReplaced(replaced, by: held.answer.refreshToken, held.intent)
        return try account(withIdentifier: row.id)
      }
      var facts = try facts(of: row, at: await locationOfWindow(caller))
      if let replaced {
        facts.replaced = await end(replaced, replacedBy: row, held.intent.intent)
      }
      return facts
    } catch {
      throw error.telling(await discard(held))
    }
  }

  /// The intent of a held sign-in, with the agreement that its check gave.
  private func agreed(_ held: HeldSignIn) throws(VaultFailure) -> IntentRow {
    guard var pending = pending(held.intent) else {
      throw .unexpected("a refresh was held as a login")
    }
    pending.agreed = held.ownership
    var intent = held.intent
    intent.context = pending.encoded
    return intent
  }

  /// Discards a held sign-in whose prompt is over.
  ///
  /// No call waits for the result: only the audit log has it.
  func discardHeld(by prompt: String) {
    guard let held = heldByPrompt.removeValue(forKey: prompt) else { return }
    Task { _ = await self.discard(held) }
  }

  /// Discards a sign-in that was not kept, and ends it at its provider if that is possible.
  ///
  /// - Returns: the result, which the audit log also has; `nil` if there was nothing to end.
  func discard(_ held: HeldSignIn) async -> Revocation? {
    guard let token = held.answer.refreshToken else { return nil }
    let revocation: Revocation
    let login = ReplacedSignIn(provider: held.provider, subject: held.user?.id, token: token)
    let row = try? account(withIdentifier: held.intent.account)
    if let row, let current = try? provider(of: row), isOfOneGrant(login, row, current) {
      revocation = Revocation(
        .valid,
        "the provider would end the account's own login with it (revocation_ends = all-logins)"
      )
    } else {
      let word = await tell(held.provider, access: held.answer.accessToken, refresh: token)
      revocation = word.revocation
    }
    if let account = try? self.account(withIdentifier: held.intent.account) {
      let entry = AuditEntry(
        event(of: held.intent),
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
