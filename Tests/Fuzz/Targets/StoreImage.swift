internal import Storage
internal import System

/// The file of a store with one row of every kind.
final class StoreImage {
  nonisolated(unsafe) static let shared = made { try StoreImage() }
  static let pageCount = 4096

  let bytes: [UInt8]
  private let vault: ScratchVault

  private init() throws {
    vault = try ScratchVault()
    try StoreSamples.fill(Store(in: vault.directory))
    bytes = try Self.contents(of: vault)
  }

  /// The current bytes of the file.
  func contents() throws -> [UInt8] { try Self.contents(of: vault) }

  private static func contents(of vault: ScratchVault) throws -> [UInt8] {
    try vault.directory.root.openForReading("vault.db").readAll(limit: 1 << 22)
  }

  /// A store of these bytes, without a log.
  func open(_ bytes: [UInt8]) throws -> Store {
    for ending in ["-wal", "-shm", "-journal"] {
      try vault.directory.root.unlink("vault.db" + ending)
    }
    try vault.write(bytes, as: "vault.db")
    return try Store(in: vault.directory)
  }
}
