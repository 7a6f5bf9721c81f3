internal import Cryptography
internal import SecretMemory
internal import Storage
internal import System

// Some readers store prints and match them on the chip. If a print was deleted here and is still on
// such a reader, the reader refuses a new enrollment of that finger. Or it identifies the old print
// in place of another. So the sealed print is kept until its reader has deleted it. Only prints
// that this store holds or held are ever deleted on a reader, because it may have prints of other
// users and systems.
extension Vault {
  /// The limit of former prints; the oldest are dropped.
  static let mostFormerPrints = 20

  /// A print of this vault that may still be on its reader.
  struct FormerPrint {
    let id: [UInt8]
    let print: LoadedPrint
  }

  /// The former prints that open.
  func formerPrints() throws(VaultFailure) -> [FormerPrint] {
    let rows = try stored(try store.formerPrints(owner: owner))
    return rows.compactMap { row in
      openedFormer(row).map { FormerPrint(id: row.id, print: $0) }
    }
  }

  private func openedFormer(_ row: PrintRow) -> LoadedPrint? {
    guard let print = try? openBox(row.sealed, try formerContext(row)) else { return nil }
    return LoadedPrint(finger: row.finger, print: SharedSecret(print))
  }

  /// Deletes a print on the reader that stores it; `nil` stands for a print whose box does not
  /// open.
  func deletion(of print: LoadedPrint?) async -> PrintDeletion {
    guard let print else { return .left("the stored print does not open") }
    return await check.delete(print)
  }

  /// Deletes all prints that this vault holds or held on the readers that store them.
  ///
  /// It is for a vault that is about to be removed: later no enrollment can delete them. The store
  /// does not change.
  ///
  /// - Parameter seconds: no deletion begins later than this.
  /// - Returns: the fingers that a reader may still have, and why; `nil` if there are none.
  /// - Throws: `vaultUnsafe` if the stored prints cannot be read.
  package func deletePrintsOnReaders(
    within seconds: Int64 = 30
  ) async throws(VaultFailure) -> String? {
    let end = clock.boot.advanced(bySeconds: seconds)
    var prints = try printRows().map { (finger: $0.finger, print: opened($0)) }
    let rows = try stored(try store.formerPrints(owner: owner))
    prints += rows.map { (finger: $0.finger, print: openedFormer($0)) }
    var left: [(why: String, fingers: [String])] = []
    for (finger, print) in prints {
      let deletion =
        clock.boot < end ? await deletion(of: print) : .left("there was no time for it")
      guard case .left(let why) = deletion else { continue }
      if let index = left.firstIndex(where: { $0.why.utf8.elementsEqual(why.utf8) }) {
        left[index].fingers.append(finger)
      } else {
        left.append((why, [finger]))
      }
    }
    guard !left.isEmpty else { return nil }
    return left.map { "\($0.fingers.joined(separator: ", ")): \($0.why)" }.joined(separator: "; ")
  }

  /// Keeps a print that its reader may still have, in the transaction that removes its row.
  func keepFormer(_ row: PrintRow, _ print: LoadedPrint) throws(VaultFailure) {
    var former = row
    former.sealed = try mappingErrors(to: .unexpected("sealing the print failed")) {
      try box(print.print.bytes, try formerContext(row))
    }
    try stored(try store.insertFormer(former, keeping: Self.mostFormerPrints))
  }

  /// Removes former prints that no reader has any longer.
  func forgetFormer(_ ids: [[UInt8]]) throws(StorageError) {
    for id in ids { try store.setSealedFormerPrint(id: id, to: nil) }
  }

  /// Seals each former print again under the new key.
  ///
  /// A print that does not open is dropped, because it cannot be named to a reader.
  func resealFormerPrints(under key: borrowing SealingKey) throws(VaultFailure) {
    let rows = try stored(try store.allFormerPrints())
    for row in rows {
      let sealed = try? resealed(row.sealed, try formerContext(row), under: key)
      try stored(try store.setSealedFormerPrint(id: row.id, to: sealed))
    }
  }

  /// A former print does not open as an enrolled one: a row that was moved back passes no check.
  private func formerContext(_ row: PrintRow) throws(CryptographyError) -> BoxContext {
    try printContext(row, generation: 1)
  }
}
