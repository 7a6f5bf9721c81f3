internal import Cryptography
internal import SecretMemory
internal import Storage
internal import System

// An intent, and the answer that the exchange helper seals for it into the slot.
extension Vault {
  func newIntent(
    _ purpose: IntentRow.Purpose,
    for account: AccountRow,
    after earlier: IntentRow? = nil,
    context: [UInt8] = []
  ) throws(VaultFailure) -> IntentRow {
    let now = clock.boot
    return IntentRow(
      account: account.id,
      intent: try random(32),
      purpose: purpose,
      generation: account.generation,
      startedAt: clock.wall.seconds,
      bootID: clock.bootIdentifier.bytes,
      bootInstant: now.nanoseconds,
      attempts: (earlier?.attempts ?? 0) + 1,
      waitSeconds: earlier?.waitSeconds ?? 0,
      context: context
    )
  }

  /// The key, context and slot of an exchange helper; the one-use key is derived from the intent's
  /// id.
  func delivery(
    _ intent: IntentRow,
    _ slot: borrowing SlotFile
  ) throws(VaultFailure) -> AnswerDelivery {
    try mappingErrors(to: .unexpected("the exchange helper's key cannot be made")) {
      let key = try storeState.keys.secret.derived(for: "answer", context: intent.intent)
      return AnswerDelivery(
        key: SharedSecret(try key.copyOfBytes()),
        context: try answerContext(intent).encoded,
        slot: slot.descriptor
      )
    }
  }

  func answerContext(_ intent: IntentRow) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .answer,
      vault: identifier,
      owner: owner,
      account: intent.account,
      protection: .none,
      generation: UInt64(clamping: intent.generation),
      // The values of a login are bound to the answer too. Otherwise the new token would go to a
      // provider that was edited into the intent.
      binding: try sha256(intent.intent + Array(intent.purpose.rawValue.utf8) + intent.context)
    )
  }

  /// A reason as far as a slot has room for it, in bytes: one character may have any number of
  /// them.
  private static func cut(_ reason: String) -> String {
    // A character that is cut becomes U+FFFD, whose three bytes are at most two more than its rest.
    let bytes = reason.utf8.prefix(ExchangeOutcome.maximumReasonCount - 2)
    return String(decoding: Array(bytes), as: UTF8.self)
  }

  /// The contents of the slot after a reply.
  ///
  /// If the helper could not write the slot, the contents came over the socket, sealed by the same
  /// key. From here on, both cases are the same.
  func image(
    after reply: ExchangeReply,
    _ intent: IntentRow,
    _ slot: borrowing SlotFile
  ) throws(VaultFailure) -> [UInt8] {
    switch reply {
    case .sealed(let image):
      refreshes.unwritten.keep(image, of: intent)
      return image
    case .notSent(let reason):
      // No exchange helper ran, so the engine seals the same record.
      return try mappingErrors(to: .unexpected("the outcome cannot be sealed")) {
        try SlotImage.seal(
          .notSent(reason: Self.cut(reason)),
          using: try storeState.keys.secret.derived(for: "answer", context: intent.intent),
          context: try answerContext(intent)
        )
      }
    case .delivered, .interrupted, .answered:
      return try stored(try slot.readWhole())
    }
  }
}
