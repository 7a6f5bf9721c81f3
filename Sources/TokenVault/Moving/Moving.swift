internal import Storage

/// The moves of accounts between vaults that have begun, and the backup that is restored.
struct Moving {
  /// Reaches the service from a private vault; `nil` in the service.
  let service: (any ServiceTransfer)?
  /// The backup that a client sends to restore it.
  var upload = BackupUpload()
  /// The accounts of the service that a private vault may have.
  private(set) var leaving: Set<[UInt8]>
  /// Whether it is not known if the service has the accounts.
  private(set) var isTransferring: Bool
  private var allowed: AllowedExport?
  private var prepared: PreparedExport?
  /// Whether a step works on an export into this private vault.
  private var isExporting = false

  /// Reads what the store has of moves that were interrupted.
  init(in store: Store, service: (any ServiceTransfer)?) throws(StorageError) {
    self.service = service
    isTransferring = try store.meta(Vault.transferKey) != nil
    leaving = Set(try Vault.storedHandOver(in: store)?.accounts ?? [])
  }

  // MARK: - Into a private vault, in the service

  /// Keeps what a passed check lets the engine of a private vault fetch.
  mutating func allow(_ export: AllowedExport) { allowed = export }

  /// Takes the right to fetch accounts; another key leaves it in its place.
  mutating func takeAllowed(_ commitment: [UInt8]) -> AllowedExport? {
    guard let allowed, allowed.commitment == commitment else { return nil }
    self.allowed = nil
    return allowed
  }

  /// From here on a private vault may have these accounts.
  mutating func beginHandOver(of accounts: [[UInt8]]) { leaving = Set(accounts) }

  /// Ends the time in which either vault may have the accounts.
  mutating func endHandOver() { leaving = [] }

  /// Leaves out an account that was removed.
  mutating func forget(_ account: [UInt8]) { leaving.remove(account) }

  // MARK: - Into a private vault, in that vault

  /// Keeps the key of an export that a client prepares.
  mutating func prepare(_ export: PreparedExport) { prepared = export }

  /// Takes the key of an export that a connection has prepared.
  mutating func takePrepared(by connection: UInt64) -> PreparedExport? {
    guard let prepared, prepared.connection == connection else { return nil }
    self.prepared = nil
    return prepared
  }

  /// Begins a step that works on an export; `false` if there is one already.
  mutating func beginExporting() -> Bool {
    guard !isExporting else { return false }
    isExporting = true
    return true
  }

  mutating func endExporting() { isExporting = false }

  // MARK: - Into the service

  /// From here on the service may have the accounts.
  mutating func beginTransfer() { isTransferring = true }

  /// Ends the time in which either vault may have the accounts.
  mutating func endTransfer() { isTransferring = false }
}
