package import PresenceTerms
package import System

/// The only key to a presence-protected token: evidence of presence for one use.
///
/// Only this room makes it (`PromptBook.takeProof`, `UnlockWindow.proof`), and it cannot be copied.
/// It is bound to the purpose, the account and the caller of the prompt, and to a deadline.
package struct PresenceProof: ~Copyable, Sendable {
  /// The source of the evidence.
  package enum Origin: Sendable, Equatable {
    case check(PresenceMethod)
    case unlockWindow
  }

  /// The source of the evidence, for the audit log.
  package let origin: Origin
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

  /// Consumes the proof.
  ///
  /// - Parameters:
  ///   - purpose: the purpose of the use.
  ///   - account: the account in use (16 bytes); `nil` for the whole vault.
  ///   - connection: the caller's connection.
  ///   - now: the moment of use.
  /// - Returns: the source of the evidence, for the required audit record.
  /// - Throws: `PresenceFailure.denied` if the proof was made for something else, `timedOut` after
  ///   its deadline. The proof is consumed in either case.
  package consuming func spend(
    for purpose: PresencePurpose,
    account: [UInt8]?,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceFailure) -> Origin {
    guard purpose == self.purpose, account == self.account, connection == self.connection else {
      throw .denied("the presence check was made for something else")
    }
    guard now <= deadline else { throw .timedOut }
    return origin
  }
}
