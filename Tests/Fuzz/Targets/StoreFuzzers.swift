internal import Storage

extension Fuzzer {
  /// Rows whose columns hold anything, as a file that another program wrote may have them: a list of
  /// changes to good rows, each a table, a column, a type and a value.
  static let storeRows = Fuzzer("store-rows", maximum: 4 * 1024) { input in
    let rows = unsafe LooseRows.shared
    try rows.store.transaction {
      while !input.isEmpty {
        do { try rows.change(&input) } catch { demand(false, "a loose row is \(error)") }
      }
      StoreReads.all(of: rows.store)
      // What was changed is not to be there in the next run.
      throw StorageError.rolledBack
    }
  }

  /// A store's file with bytes changed: a list of page, place, count and bytes.
  static let storeFiles = Fuzzer("store-files", maximum: 16 * 1024) { input in
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
