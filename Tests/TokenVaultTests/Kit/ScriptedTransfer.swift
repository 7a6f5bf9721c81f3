import SecretMemory
import Synchronization

@testable import TokenVault

/// Takes the role of the service: keeps the sent accounts, and answers as planned.
final class ScriptedTransfer: ServiceTransfer {
  struct Sent: Sendable {
    let accounts: [UInt8]
    let key: SharedSecret
    let transfer: [UInt8]
  }

  /// No answer came.
  static let lost = VaultFailure.providerUnavailable("no answer")

  private let sent = Mutex<[Sent]>([])
  private let names: [String]
  private let answer: @Sendable (Sent) -> VaultFailure?
  private let isTaken: Mutex<Bool?>
  private let failsEarly: Bool

  /// - Parameters:
  ///   - names: the accounts that the service has.
  ///   - isTaken: the service's answer about a transfer; `nil` if it is lost.
  ///   - failsEarly: whether a failure comes before the service could accept the accounts.
  ///   - answer: why a transfer fails; `nil` if it is taken.
  init(
    names: [String] = [],
    isTaken: Bool? = nil,
    failsEarly: Bool = false,
    _ answer: @escaping @Sendable (Sent) -> VaultFailure? = { _ in nil }
  ) {
    self.names = names
    self.isTaken = Mutex(isTaken)
    self.answer = answer
    self.failsEarly = failsEarly
  }

  /// From now on, the service says this of each transfer.
  func say(isTaken new: Bool) { isTaken.withLock { $0 = new } }

  var all: [Sent] { sent.withLock { $0 } }

  func accountNames(socket: String?) -> [String] { names }

  func send(
    _ accounts: [UInt8],
    key: SharedSecret,
    transfer: [UInt8],
    socket: String?
  ) throws(TransferFailure) {
    let new = Sent(accounts: accounts, key: key, transfer: transfer)
    sent.withLock { $0.append(new) }
    if let reason = answer(new) { throw TransferFailure(reason, mayBeTaken: !failsEarly) }
  }

  func drop(transfer: [UInt8], socket: String?) throws(VaultFailure) -> Bool {
    guard let isTaken = isTaken.withLock({ $0 }) else { throw Self.lost }
    return isTaken
  }

  func openHandOver(socket: String?) throws(VaultFailure) -> OpenHandOver? { throw Self.lost }

  func handOver(
    _ key: SharedSecret,
    vault: [UInt8],
    socket: String?
  ) throws(VaultFailure) -> [UInt8] { throw Self.lost }

  func endHandOver(
    transfer: [UInt8],
    receipt: SharedSecret?,
    socket: String?
  ) throws(VaultFailure) -> Bool { throw Self.lost }
}
