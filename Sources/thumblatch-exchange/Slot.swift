import Cryptography
import SecretMemory
import System

/// The account's slot: its lock during this object's lifetime, and the place for the outcome.
final class Slot {
  private var file: Descriptor?

  init(_ file: consuming Descriptor) {
    self.file = consume file
  }

  /// Releases the lock.
  func release() { file = nil }

  /// Writes the image at the start of the slot, makes it durable and reads it back.
  ///
  /// - Returns: whether everything is there. After a failure there is no second try: the kernel
  ///   drops the unwritten pages, and a second fdatasync(2) would report success.
  func keep(_ image: [UInt8]) -> Bool {
    do {
      unsafe try image.withUnsafeBytes { unsafe try file?.write($0, at: 0) }
      try file?.synchronizeData()
      var again = [UInt8](repeating: 0, count: image.count)
      let count = unsafe try again.withUnsafeMutableBytes { unsafe try file?.read(into: $0, at: 0) }
      return count == image.count && again == image
    } catch {
      return false
    }
  }
}

/// The one-use key and the context of the outcome.
struct Seal: ~Copyable {
  private let key: SealingKey
  private let context: BoxContext

  init(key: SharedSecret, context: [UInt8]) throws {
    let context = try BoxContext(encoded: context)
    let key = try SealingKey(try key.bytes.copy())
    self.context = context
    self.key = key
  }

  func image(of outcome: ExchangeOutcome) throws(CryptographyError) -> [UInt8] {
    try SlotImage.seal(outcome, using: key, context: context)
  }
}
