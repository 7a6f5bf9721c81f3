public import System

/// The one thing that opens a presence-protected token: evidence that someone is here, for one use.
///
/// Only this room makes it (`PromptBook.takeProof`, `UnlockWindow.proof`), and it cannot be copied.
/// It is bound to what the person was shown: purpose, account, caller; and to a deadline.
public struct PresenceProof: ~Copyable, Sendable {
  /// Where the evidence comes from.
  public enum Origin: Sendable, Equatable {
    case check(PresenceMethod)
    case unlockWindow
  }

  /// Where the evidence comes from, for the audit trail.
  public let origin: Origin
  private let purpose: PresencePurpose
  private let account: [UInt8]?
  private let connection: UInt64
  private let deadline: BootInstant

  init(
    origin: Origin,
    purpose: PresencePurpose,
    account: [UInt8]?,
    connection: UInt64,
    deadline: BootInstant
  ) {
    self.origin = origin
    self.purpose = purpose
    self.account = account
    self.connection = connection
    self.deadline = deadline
  }

  /// Uses the proof up.
  ///
  /// - Parameters:
  ///   - purpose: what is about to happen.
  ///   - account: the account that it happens to (16 bytes); nil for the vault as a whole.
  ///   - connection: who asked.
  ///   - now: the moment of use.
  /// - Returns: where the evidence came from, for the record that must be written.
  /// - Throws: `PresenceOutcome.denied` where it was given for something else, `timedOut` where it
  ///   comes too late. It is used up in either case.
  public consuming func spend(
    for purpose: PresencePurpose,
    account: [UInt8]?,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceOutcome) -> Origin {
    guard purpose == self.purpose, account == self.account, connection == self.connection else {
      throw .denied("the presence check was made for something else")
    }
    guard now <= deadline else { throw .timedOut }
    return origin
  }
}
