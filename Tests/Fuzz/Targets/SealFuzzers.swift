internal import Cryptography
internal import SecretMemory
internal import Storage
internal import System
internal import TokenFile

/// The key and context of the corpora's boxes, without which a fuzzer would never get past the tag.
private enum Seal {
  static func key() throws -> SealingKey {
    try SealingKey(SecretBytes(copying: Array(1...UInt8(SealingKey.count))))
  }

  static func context() throws -> BoxContext {
    try BoxContext(
      kind: .answer,
      vault: [UInt8](repeating: 1, count: 16),
      owner: 1000,
      account: account,
      protection: .presence,
      generation: 7,
      binding: [UInt8](repeating: 3, count: 32)
    )
  }

  static let account = [UInt8](repeating: 2, count: 16)
}

extension Fuzzer {
  /// A box as it is in the store.
  ///
  /// It opens if it was sealed with this key and context.
  static let sealedBoxes = Fuzzer("sealed-boxes", maximum: SealedBox.maximumCount) { input in
    let bytes = input.bytes()
    let box = try SealedBox(parsing: bytes)
    demand(box.bytes == bytes, "a box changes when it is read")
    _ = try box.open(using: Seal.key(), context: Seal.context())
  }

  /// The context in front of a box.
  static let boxContexts = Fuzzer("box-contexts", maximum: BoxContext.encodedCount) { input in
    let bytes = input.bytes()
    demand(try BoxContext(encoded: bytes).encoded == bytes, "a context has two encodings")
  }

  /// A slot as it may be on the disk: written by an exchange helper, or damaged.
  static let slots = Fuzzer("slots", maximum: SlotImage.size) { input in
    let slot = ScratchVault.slot
    try slot.fill(input.bytes())
    let bytes = try SlotFile(in: slot.directory, account: slot.account).readWhole()
    guard !SlotImage.isEmpty(bytes) else { return }
    _ = try SlotImage.open(bytes, using: Seal.key(), context: Seal.context())
  }

  /// The outcome that an exchange helper sealed into a slot, read by an engine that may be older or
  /// newer.
  static let outcomes = Fuzzer("outcomes", maximum: 61 * 1024) { input in
    let plain = try input.secret()
    let box = try SealedBox.seal(plain.bytes, using: Seal.key(), context: Seal.context())
    let length = (0..<4).map { UInt8(truncatingIfNeeded: box.bytes.count >> ($0 * 8)) }
    let slot = Array("TLSLOT01".utf8) + length + box.bytes
    let outcome = try SlotImage.open(slot, using: Seal.key(), context: Seal.context())
    let again = try SlotImage.seal(outcome, using: Seal.key(), context: Seal.context())
    demand(again.count == slot.count, "an outcome has two encodings")
  }

  /// The token file that the front reads.
  static let tokenFiles = Fuzzer("token-files", maximum: CachedToken.maximumFileCount) { input in
    let bytes = input.bytes()
    guard let token = CachedToken.decode(bytes) else { return }
    demand(token.encoded() == bytes, "a token file has two encodings")
  }
}
