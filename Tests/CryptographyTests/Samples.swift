import Cryptography
import SecretMemory

/// Contexts, keys and secrets for tests.
enum Samples {
  static let vault = [UInt8](0x10..<0x20)
  static let account = [UInt8](0x20..<0x30)
  static let binding = [UInt8](0x40..<0x60)

  static func context(
    kind: BoxKind = .refreshToken,
    vault: [UInt8] = vault,
    owner: UInt32 = 1000,
    account: [UInt8] = account,
    protection: ProtectionClass = .presence,
    generation: UInt64 = 7,
    binding: [UInt8] = binding
  ) throws -> BoxContext {
    try BoxContext(
      kind: kind,
      vault: vault,
      owner: owner,
      account: account,
      protection: protection,
      generation: generation,
      binding: binding
    )
  }

  /// Twenty different contexts.
  ///
  /// Each differs from the first in only one part.
  static func contexts() throws -> [BoxContext] {
    let others = [UInt8](repeating: 0xee, count: 32)
    let short = [UInt8](others.prefix(16))
    var all = [try context()]
    all += try BoxKind.allCases.dropFirst().map { try context(kind: $0) }
    all += try [0, 1, 999, 1001, .max].map { try context(owner: $0) }
    all += try [0, 5, 6, 8, 7 << 8, .max].map { try context(generation: $0) }
    all += [
      try context(vault: short), try context(account: short), try context(binding: others),
      try context(protection: .none),
    ]
    return all
  }

  static func key(first: UInt8 = 1) throws -> SealingKey {
    try SealingKey(SecretBytes(copying: (0..<32).map { first &+ $0 }))
  }

  static func secret(_ text: String) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](text.utf8))
  }

  static func box(
    _ text: String = "a refresh token",
    context: BoxContext? = nil
  ) throws -> SealedBox {
    try SealedBox.seal(secret(text), using: key(), context: context ?? Samples.context())
  }
}

/// The bytes of a secret, in ordinary memory.
func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
  secret.withBytes { span in span.indices.map { span[$0] } }
}

/// The error of opening bytes as the box of this context, or `nil` if they open.
func refusal(
  of bytes: [UInt8],
  context: BoxContext,
  key: borrowing SealingKey
) -> CryptographyError? {
  do throws(CryptographyError) {
    _ = try SealedBox(parsing: bytes).open(using: key, context: context)
    return nil
  } catch {
    return error
  }
}

/// The same with the usual key and context.
func refusal(of bytes: [UInt8], context: BoxContext? = nil) throws -> CryptographyError? {
  refusal(of: bytes, context: try context ?? Samples.context(), key: try Samples.key())
}

/// Bytes from hexadecimal digits.
///
/// All other characters are ignored.
func bytes(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue).map(UInt8.init)
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
