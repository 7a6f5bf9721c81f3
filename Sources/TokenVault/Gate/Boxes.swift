internal import Cryptography
internal import SecretMemory

// Boxes under the device secret. Only the gate knows the context of a refresh token's box.
extension Vault {
  /// Opens a box.
  func openBox(_ box: [UInt8], _ context: BoxContext) throws(CryptographyError) -> SecretBytes {
    try SealedBox(parsing: box).open(using: storeState.keys.secret, context: context)
  }

  /// A box with this secret.
  func box(
    _ secret: borrowing SecretBytes,
    _ context: BoxContext
  ) throws(CryptographyError) -> [UInt8] {
    try SealedBox.sealVerified(secret, using: storeState.keys.secret, context: context).bytes
  }

  /// A box under another key, with the secret of this one.
  func resealed(
    _ box: [UInt8],
    _ context: BoxContext,
    under key: borrowing SealingKey
  ) throws(CryptographyError) -> [UInt8] {
    try SealedBox.sealVerified(try openBox(box, context), using: key, context: context).bytes
  }
}
