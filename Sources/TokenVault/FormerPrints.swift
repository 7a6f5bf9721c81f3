internal import Cryptography
internal import SecretMemory
internal import Storage

// A reader that stores prints itself matches them by itself: a print that was deleted here, and is
// still there, refuses its finger a new enrolment or is identified in place of another. So the sealed
// print is kept until its reader has deleted it. Only prints that this store holds or held are ever
// deleted on a reader, which may have those of other users and systems.
extension Vault {
  /// How many former prints are kept; the oldest go.
  static let mostFormerPrints = 20

  /// A print of this vault that may still be on its reader.
  struct FormerPrint {
    let id: [UInt8]
    let print: LoadedPrint
  }

  /// Those that open.
  func formerPrints() throws(VaultFailure) -> [FormerPrint] {
    let rows = try stored { () throws(StorageError) in
      try self.store.formerPrints(owner: self.owner)
    }
    return rows.compactMap { row in
      guard let context = try? formerContext(row),
        let print = try? SealedBox(parsing: row.sealed).open(using: deviceSecret, context: context)
      else { return nil }
      let loaded = LoadedPrint(finger: row.finger, print: SharedSecret(print))
      return FormerPrint(id: row.id, print: loaded)
    }
  }

  /// Keeps a print that its reader may still have, in the transaction that removes its row.
  func keepFormer(_ row: PrintRow, _ print: LoadedPrint) throws(VaultFailure) {
    var former = row
    do throws(CryptographyError) {
      former.sealed = try SealedBox.sealVerified(
        print.print.bytes,
        using: deviceSecret,
        context: try formerContext(row)
      ).bytes
    } catch {
      throw .unexpected("sealing the print failed: \(error)")
    }
    let sealed = former
    try stored { () throws(StorageError) in
      try self.store.insertFormer(sealed, keeping: Self.mostFormerPrints)
    }
  }

  /// Forgets former prints that no reader has any longer.
  func forgetFormer(_ ids: [[UInt8]]) throws(VaultFailure) {
    for id in ids {
      try stored { () throws(StorageError) in
        try self.store.setSealedFormerPrint(id: id, to: nil)
      }
    }
  }

  /// Seals each former print anew; a print that does not open is dropped, because no reader could be told of it.
  func resealFormerPrints(under key: borrowing SealingKey) throws(VaultFailure) {
    let rows = try stored { () throws(StorageError) in try self.store.allFormerPrints() }
    for row in rows {
      var box: [UInt8]?
      do throws(CryptographyError) {
        let context = try formerContext(row)
        let print = try SealedBox(parsing: row.sealed).open(using: deviceSecret, context: context)
        box = try SealedBox.sealVerified(print, using: key, context: context).bytes
      } catch {
        box = nil
      }
      let sealed = box
      try stored { () throws(StorageError) in
        try self.store.setSealedFormerPrint(id: row.id, to: sealed)
      }
    }
  }

  /// A former print does not open as an enrolled one: a row that was moved back passes no check.
  private func formerContext(_ row: PrintRow) throws(CryptographyError) -> BoxContext {
    try printContext(row, generation: 1)
  }
}
