internal import Storage

/// The sign-ins that are under way, and those that wait for a check.
struct SignIns {
  /// The sign-ins that a person has yet to finish at the provider.
  var pending = PendingSignIns()
  /// Sign-ins that would replace a protected account, by their intents: from the answer to the call
  /// that made them, in one step.
  private var held: [[UInt8]: HeldSignIn] = [:]
  /// The same while a person is asked, by the prompt.
  private var heldByPrompt: [String: HeldSignIn] = [:]
  /// Refresh tokens that are not kept, by the intent of their exchange, until they are revoked.
  private(set) var discarded: [[UInt8]: DiscardedToken] = [:]

  mutating func hold(_ signIn: HeldSignIn) { held[signIn.intent.intent] = signIn }

  mutating func takeHeld(_ intent: [UInt8]) -> HeldSignIn? { held.removeValue(forKey: intent) }

  mutating func hold(_ signIn: HeldSignIn, for prompt: String) { heldByPrompt[prompt] = signIn }

  func held(for prompt: String) -> HeldSignIn? { heldByPrompt[prompt] }

  mutating func takeHeld(for prompt: String) -> HeldSignIn? {
    heldByPrompt.removeValue(forKey: prompt)
  }

  mutating func discard(_ token: DiscardedToken, _ intent: [UInt8]) { discarded[intent] = token }

  mutating func takeDiscarded(_ intent: [UInt8]) -> DiscardedToken? {
    discarded.removeValue(forKey: intent)
  }
}

// How other folders reach the sign-ins.
extension Vault {
  /// Drops the sign-ins that a closed connection began.
  func dropPendingSignIns(of connection: UInt64) { signIns.pending.forget(connection: connection) }

  /// Takes the sign-in that would replace a protected account, from the call that made it.
  func takeHeldSignIn(_ intent: [UInt8]) -> HeldSignIn? { signIns.takeHeld(intent) }

  /// Notes a refresh token that is not kept, until it is revoked.
  func noteDiscarded(_ token: DiscardedToken, _ intent: [UInt8]) { signIns.discard(token, intent) }

  func takeDiscarded(_ intent: [UInt8]) -> DiscardedToken? { signIns.takeDiscarded(intent) }
}
