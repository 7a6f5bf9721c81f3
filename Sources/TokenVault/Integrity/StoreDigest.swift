internal import Cryptography
internal import Storage

// The store digest. The count of changes to sealed boxes would be of little use if it could be
// edited, or if one old box could be restored without it. So the store holds a code under the key
// of the rollback counter. The code covers the count, the generation and class of each account, and
// the identifier of each print and security key. It also covers the user's own rules, because their
// absence would be a laxer policy. It does not cover the bytes of a box: damage to one box harms
// only that box, and a box of another generation does not open.
extension Vault {
  static let storeDigestKey = "box-seal"

  /// The code over the count and the boxes that the store holds now.
  static func storeDigest(
    of store: Store,
    count: UInt64,
    vault: [UInt8],
    using key: borrowing SealingKey
  ) throws -> [UInt8] {
    let accounts = try store.allAccounts().filter { $0.sealedRefreshToken != nil }
    let prints = try store.allPrints()
    var message = Array("sealed boxes".utf8) + vault + littleEndian(count)
    message += littleEndian(UInt64(accounts.count)) + littleEndian(UInt64(prints.count))
    for account in accounts {
      message += account.id + littleEndian(account.generation)
      message.append(account.protection)
    }
    for print in prints { message += print.id }
    let keys = try store.allSecurityKeys()
    if !keys.isEmpty {
      message += Array("security keys".utf8) + littleEndian(UInt64(keys.count))
      for key in keys { message += key.id }
    }
    // Without rules of the user's own the code ends here.
    if let rules = try store.meta(ownRulesKey) {
      message += Array("own rules".utf8) + littleEndian(UInt64(rules.count)) + rules
    }
    return try authenticate(message, using: key)
  }

  /// Writes the code over the present boxes, at the end of the transaction that changes one.
  func sealBoxes(_ count: UInt64, using key: borrowing SealingKey) throws(VaultFailure) {
    do {
      let code = try Self.storeDigest(of: store, count: count, vault: identifier, using: key)
      try store.setMeta(Self.storeDigestKey, to: code)
    } catch let error as StorageError {
      throw failure(of: error)
    } catch {
      throw .unexpected("the boxes cannot be counted: \(error)")
    }
  }
}
