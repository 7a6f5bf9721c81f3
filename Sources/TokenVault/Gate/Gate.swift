internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import Synchronization
internal import System

/// The authority of a request to use a refresh token.
///
/// Its proof is taken once, and cannot be copied.
final class Authority: Sendable {
  /// How presence was shown, for the audit log; `nil` if that was not needed.
  let method: String?
  /// The origin of its proof; `nil` if it has none.
  let origin: PresenceProof.Origin?
  private let proof: Mutex<PresenceProof?>

  /// The authority for an account without presence protection.
  init() {
    method = nil
    origin = nil
    proof = Mutex(nil)
  }

  init(_ proof: consuming PresenceProof) {
    method =
      switch proof.origin {
      case .check(let method): method.rawValue
      case .unlockWindow: "unlock-window"
      }
    origin = proof.origin
    self.proof = Mutex(proof)
  }

  fileprivate func take() -> PresenceProof? {
    proof.withLock { $0.take() }
  }
}

/// Why every token is sealed again.
enum Resealing {
  /// A rekey, by a proof of the system password.
  case byPassword(Authority)
  /// The vault is brought under the machine key.
  ///
  /// It needs no proof: nothing leaves the vault, and the vault is harder to open afterwards.
  case underMachineKey

  /// How presence was shown, for the audit log.
  var method: String? {
    if case .byPassword(let authority) = self { authority.method } else { nil }
  }

  /// Additional text for the audit log.
  var detail: String {
    if case .underMachineKey = self { "; under the machine key now" } else { "" }
  }
}

/// The use of an opened token, and its caller.
struct Use {
  let purpose: PresencePurpose
  let caller: Caller
}

extension Vault {
  /// The gate: opens a refresh token for a use.
  ///
  /// Only this file opens refresh tokens.
  ///
  /// A token under presence protection needs a proof, which is used up in any case. The class is a
  /// part of the associated data, so a row that was edited to say "not protected" does not open.
  func openRefreshToken(
    of account: AccountRow,
    authority: Authority,
    use: Use
  ) throws(VaultFailure) -> SecretBytes {
    try demandCurrentStore()
    try demandNoTransfer()
    try demandNotLeaving(account)
    let protection = try protectionClass(of: account)
    let isLeaving = use.purpose == .release
    let isGoingElsewhere = use.purpose == .applyProvider
    if let proof = authority.take() {
      let origin = try spend(proof, for: use.purpose, account.id, use.caller)
      guard !isGoingElsewhere || origin == .check(.password) else {
        throw .needsPassword(methods: [])
      }
    } else if protection == .presence || isLeaving || isGoingElsewhere {
      // Protection was turned on after this request had passed its check.
      throw .denied("a presence check is needed now: ask again")
    }
    guard !isLeaving || account.exportable else {
      throw .refused("\(account.name) is not exportable")
    }
    let token = try opened(account, protection)
    noticeOpened(account, by: authority, use)
    return token
  }

  /// The refresh tokens of all accounts, sealed again under another device secret.
  ///
  /// An opened token is only sealed again. One proof, made by the password for a rekey, is valid
  /// for all tokens. Only a rekey from the file to the machine key needs no proof.
  func resealedAccounts(
    under key: borrowing SealingKey,
    _ reason: Resealing,
    caller: Caller
  ) throws(VaultFailure) -> [AccountRow] {
    switch reason {
    case .byPassword(let authority):
      guard let proof = authority.take() else { throw .denied("a presence check is needed") }
      guard try spend(proof, for: .rekey, nil, caller) == .check(.password) else {
        throw .needsPassword(methods: [])
      }
    case .underMachineKey:
      guard needsMachineKey else { throw .denied("the vault is under the machine key already") }
    }
    var rows: [AccountRow] = []
    for var row in try stored(try store.allAccounts())
    where row.sealedRefreshToken != nil {
      let protection = try protectionClass(of: row)
      let context = try context(of: row, protection: protection, generation: row.generation)
      row.sealedRefreshToken = try sealed(try opened(row, protection), context, using: key)
      rows.append(row)
    }
    return rows
  }

  /// Opens the refresh tokens that a backup carries, and lends each to a seal of that backup.
  ///
  /// One proof, made by the system password for a backup, is valid for all of them.
  func openForBackup(
    _ accounts: [AccountRow],
    _ authority: Authority,
    _ caller: Caller,
    each seal: (AccountRow, BackedUpToken) throws(VaultFailure) -> Void
  ) throws(VaultFailure) {
    try demandCurrentStore()
    guard let proof = authority.take() else { throw .denied("a presence check is needed") }
    guard try spend(proof, for: .backup, nil, caller) == .check(.password) else {
      throw .needsPassword(methods: [])
    }
    for account in accounts {
      if let reason = try whyNotBackedUp(account) {
        try seal(account, .absent(reason: reason))
      } else {
        let token = SharedSecret(try opened(account, try protectionClass(of: account)))
        try seal(account, .present(token))
      }
    }
  }

  /// Opens the refresh tokens that move into the service, and lends each to a seal of that
  /// transfer.
  ///
  /// One proof for the transfer is valid for all of them. An account whose grant has ended moves
  /// without its token.
  func openForService(
    _ accounts: [AccountRow],
    _ authority: Authority,
    _ caller: Caller,
    each seal: TransferSeal
  ) throws(VaultFailure) {
    try demandCurrentStore()
    guard let proof = authority.take() else { throw .denied("a presence check is needed") }
    _ = try spend(proof, for: .moveToService, nil, caller)
    for account in accounts { try lend(account, to: seal) }
  }

  /// Opens the refresh tokens that move into the private vault of their user, and lends each to a
  /// seal.
  ///
  /// One proof, made by the system password for this, is valid for all of them. An account that
  /// must stay stops it.
  func openForPrivateVault(
    _ accounts: [AccountRow],
    _ authority: Authority,
    _ caller: Caller,
    each seal: TransferSeal
  ) throws(VaultFailure) {
    try demandCurrentStore()
    guard let proof = authority.take() else { throw .denied("a presence check is needed") }
    guard try spend(proof, for: .moveToPrivateVault, nil, caller) == .check(.password) else {
      throw .needsPassword(methods: [])
    }
    for account in accounts {
      try demandExportable(account)
      try lend(account, to: seal)
    }
  }

  private func lend(_ account: AccountRow, to seal: TransferSeal) throws(VaultFailure) {
    guard account.hasUsableToken else { return try seal(account, nil) }
    try seal(account, SharedSecret(try opened(account, try protectionClass(of: account))))
  }

  /// Opens the box of an account; only this file calls it, behind the proofs above.
  private func opened(
    _ account: AccountRow,
    _ protection: ProtectionClass
  ) throws(VaultFailure) -> SecretBytes {
    guard let bytes = account.sealedRefreshToken else {
      throw .loginRequired(account: account.name, message: "signed out")
    }
    let context = try context(of: account, protection: protection, generation: account.generation)
    return try mappingErrors(to: .damaged("the sealed token of \(account.name) does not open")) {
      try openBox(bytes, context)
    }
  }

  /// Seals a refresh token into the row, as the next generation.
  func sealNext(_ token: borrowing SecretBytes, in row: inout AccountRow) throws(VaultFailure) {
    let (next, overflow) = row.generation.addingReportingOverflow(1)
    guard !overflow else { throw .vaultUnsafe("the generation is used up", hint: nil) }
    row.sealedRefreshToken = try seal(
      token,
      for: row,
      protection: try protectionClass(of: row),
      generation: next
    )
    row.generation = next
  }

  /// Seals a refresh token as the given generation.
  func seal(
    _ token: borrowing SecretBytes,
    for account: AccountRow,
    protection: ProtectionClass,
    generation: Int64
  ) throws(VaultFailure) -> [UInt8] {
    let context = try context(of: account, protection: protection, generation: generation)
    return try sealed(token, context, using: storeState.keys.secret)
  }

  private func sealed(
    _ token: borrowing SecretBytes,
    _ context: BoxContext,
    using key: borrowing SealingKey
  ) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("sealing failed")) {
      try SealedBox.sealVerified(token, using: key, context: context).bytes
    }
  }

  /// The protection class in an account's row, which the box proves.
  func protectionClass(of account: AccountRow) throws(VaultFailure) -> ProtectionClass {
    guard let protection = ProtectionClass(rawValue: account.protection) else {
      throw .vaultUnsafe(
        "the record of \(account.name) has an unknown protection class",
        hint: "restore the vault from a copy, or sign in again"
      )
    }
    return protection
  }

  private func context(
    of account: AccountRow,
    protection: ProtectionClass,
    generation: Int64
  ) throws(VaultFailure) -> BoxContext {
    guard let generation = UInt64(exactly: generation) else {
      throw .vaultUnsafe("the record of \(account.name) has a generation below zero", hint: nil)
    }
    return try mappingErrors(to: .damaged("the sealed token of \(account.name) does not open")) {
      try BoxContext(
        kind: .refreshToken,
        vault: identifier,
        owner: account.owner,
        account: account.id,
        protection: protection,
        generation: generation,
        binding: account.binding
      )
    }
  }
}
