internal import Storage

extension Fuzzer {
  /// Rows with any values in their columns, as a file of another program may have them.
  ///
  /// The input is a list of changes to good rows, each with a table, a column, a type and a value.
  static let storeRows = Fuzzer("store-rows", maximum: 4 * 1024) { input in
    let rows = unsafe LooseRows.shared
    try rows.store.transaction {
      while !input.isEmpty {
        do { try rows.change(&input) } catch { demand(false, "a loose row is \(error)") }
      }
      StoreReads.all(of: rows.store)
      // The change must not be there in the next run.
      throw StorageError.rolledBack
    }
  }

  /// A store's file with changed bytes: a list of page, offset, count and bytes.
  ///
  /// SQLite allocates a list of the overflow pages before it follows a chain: 8 bytes for each page
  /// of the length that the record claims, which is at most 4 GiB. The list takes up to 8 MiB.
  static let storeFiles = Fuzzer("store-files", maximum: 16 * 1024, memory: 12 << 20) { input in
    let file = unsafe StoreImage.shared
    var image = file.bytes
    while !input.isEmpty {
      let page = Int(input.byte()) * StoreImage.pageCount
      let place = page + Int(input.byte()) << 8 % StoreImage.pageCount + Int(input.byte())
      for (offset, byte) in input.bytes(Int(input.byte())).enumerated()
      where image.indices.contains(place + offset) {
        image[place + offset] = byte
      }
    }
    let isWhole = image == file.bytes
    do {
      let store: Store
      do {
        store = try file.open(image)
      } catch {
        try demand(file.contents() == image, "a store that is refused was changed")
        throw error
      }
      StoreReads.all(of: store)
      try store.verify()
    } catch let error as StorageError {
      demand(!isWhole && StoreReads.isDamage(error), "a damaged store is \(error)")
    }
  }
}
