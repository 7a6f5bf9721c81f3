internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import SecretMemory
internal import Storage
internal import System

/// An access token whose ID token could not be judged yet.
struct UncheckedToken: Sendable {
  let row: AccessTokenRow
  let answer: TokenAnswer
  let intent: IntentRow
  let rotation: Rotation
  let caller: Caller
  /// The generation of the refresh token that came with it.
  let generation: Int64
}

// An access token waits in memory if its ID token cannot be judged without newer keys of the
// provider. Another token is not requested: it could not be judged either, and would cost a
// rotation. An engine that ends loses the access token; the refresh token is stored.
extension Vault {
  /// Reads the keys that the answer to a refresh may need, so that the answer need not wait for
  /// them.
  ///
  /// It tries once, because an answer without an ID token needs none.
  func readKeysAhead(for earlier: AccountContext) async {
    guard let account = try? renewed(earlier), account.row.state == .signedIn,
      uncheckedToken(of: account.row.id) == nil, let source = keySource(of: account.provider),
      keysAtHand(of: account.provider) == nil,
      !haveKeysFailed(source)
    else { return }
    let begun = clock.boot
    do throws(VaultFailure) {
      _ = try await readKeys(account.provider, source, tries: 1)
    } catch {
      // If a provider asks for a wait, it gets no request for that time.
      guard case .providerUnavailable(_, _?, _) = error else { return }
      noteKeyFailure(error, source, begun: begun)
    }
  }

  /// Runs T2 without the access token, which waits for the provider's keys.
  func withhold(_ answer: TokenAnswer, _ settlement: Settlement) throws(VaultFailure) {
    let rotation = try keepRefreshToken(answer.refreshToken, settlement, isWaiting: true)
    let identifier = settlement.account.id
    let token = UncheckedToken(
      row: accessToken(in: answer, settlement),
      answer: answer,
      intent: settlement.intent,
      rotation: rotation,
      caller: settlement.caller,
      generation: try account(withIdentifier: identifier).generation
    )
    keepUnchecked(token, of: identifier)
  }

  /// Reads the provider's keys, and stores the access token that waits for them.
  ///
  /// The calling function must have entered the account. A token that has expired is dropped.
  ///
  /// - Returns: why the token is never used; `nil` if it is used, or none waits.
  /// - Throws: why there are no keys; then the token still waits.
  func admitUnchecked(_ identifier: [UInt8]) async throws(VaultFailure) -> VaultFailure? {
    guard let waiting = try waitingToken(identifier) else { return nil }
    let provider = try provider(of: try account(withIdentifier: identifier))
    let keys = try await keys(of: provider, isMissingOne: true)
    // The keys may have taken long to read.
    guard try waitingToken(identifier) != nil else { return nil }
    dropUnchecked(of: identifier)
    let account = try account(withIdentifier: identifier)
    let settlement = Settlement(
      intent: waiting.intent,
      pending: nil,
      account: account,
      provider: provider,
      caller: waiting.caller,
      evidence: Evidence(keys: keys)
    )
    switch identity(in: waiting.answer, settlement) {
    case .known(let token):
      try admit(waiting, token.facts, settlement)
      return nil
    case .unknownKey(let why), .refused(let why):
      let detail = "generation \(account.generation), no usable access token"
      try change { try record(.refresh, .failed, account, by: waiting.caller, detail: detail) }
      return .misconfigured("\(why); the new access token is not used")
    case .unsaid: return nil
    }
  }

  /// The access token that waits, if it can still be used.
  private func waitingToken(_ identifier: [UInt8]) throws(VaultFailure) -> UncheckedToken? {
    guard let waiting = uncheckedToken(of: identifier) else { return nil }
    let account = try account(withIdentifier: identifier)
    guard account.state == .signedIn, account.generation == waiting.generation,
      let left = secondsLeft(of: waiting.row), left > 0
    else {
      dropUnchecked(of: identifier)
      return nil
    }
    return waiting
  }

  /// Does what T2 has left out.
  private func admit(
    _ waiting: UncheckedToken,
    _ user: UserFacts,
    _ settlement: Settlement
  ) throws(VaultFailure) {
    var row = settlement.account
    row.learn(user)
    row.refreshedAt = waiting.row.storedAt
    let notGranted = try noteScopes(of: waiting.row, in: &row, settlement.provider)
    let details = ["generation \(row.generation)", notGranted].compactMap { $0 }
    let detail = details.joined(separator: ", ")
    try change {
      try store.update(row)
      try keep(waiting.row)
      try noteSteadiness(waiting.rotation, of: row)
      try record(.refresh, .done, row, by: waiting.caller, detail: detail)
    }
    if waiting.row.scopeSet.isEmpty { writeTokenFile(of: row, waiting.row) }
  }
}
