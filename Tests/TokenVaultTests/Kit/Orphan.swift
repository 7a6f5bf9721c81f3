import Synchronization
import System

@testable import TokenVault

/// An exchange helper whose engine has gone.
///
/// It holds the slot's lock, and writes when the test says so.
final class Orphan: Sendable {
  private let slot: Mutex<Descriptor?>
  private let image: [UInt8]

  init(_ number: Int32, _ image: [UInt8]) throws {
    slot = Mutex(try duplicate(number))
    self.image = image
  }

  func finish() throws {
    try slot.withLock { slot in
      try slot?.writeSlot(image)
      slot = nil
    }
  }
}
