internal import Storage

// A refresh token that is refused with an empty answer. Some providers refuse a dead token so. A
// server in front of a provider may do the same for a while. So one such answer counts as a fault.
// The second one for the same token with the same status is believed. It comes with the next try, ten
// minutes later at the earliest. Any other result between the two ends the count: a lost answer, no
// connection, 5xx, 429. Both answers came over TLS, or from the provider's own program on loopback.
//
// The store keeps the id of the try and its status. This hint is not authenticated: a forged one asks
// for a login that is not needed, and reveals nothing.
extension Vault {
  private static func refusalKey(_ account: [UInt8]) -> String {
    "refused:" + Hexadecimal.text(account)
  }

  /// Notes that a try was refused so, inside its transaction.
  func noteEmptyRefusal(_ status: Int, _ intent: IntentRow) throws(StorageError) {
    let bytes = intent.intent + [UInt8(truncatingIfNeeded: status >> 8), UInt8(status & 0xFF)]
    try store.setMeta(Self.refusalKey(intent.account), to: bytes)
  }

  /// Forgets the note, inside a transaction.
  func forgetEmptyRefusal(of account: [UInt8]) throws(StorageError) {
    try store.setMeta(Self.refusalKey(account), to: nil)
  }

  /// The status with which this try was refused so; `nil` if it was not, or another result came since.
  func emptyRefusal(of intent: IntentRow?) throws(VaultFailure) -> Int? {
    guard let intent, intent.purpose == .refresh, intent.uncertain else { return nil }
    let known = try stored(try store.meta(Self.refusalKey(intent.account)))
    guard let known, known.count == intent.intent.count + 2, known.starts(with: intent.intent)
    else { return nil }
    return known.suffix(2).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The text for such a refusal.
  static func refusedWithoutReason(_ status: Int) -> String {
    "the provider refused the refresh token without a reason (HTTP \(status), an empty answer)"
  }
}
