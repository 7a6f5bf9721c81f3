internal import System

/// An account's slot, open: its lock, and the place for an exchange helper's answer.
///
/// The file is never renamed or replaced, because the lock belongs to the file and not to its name.
/// Closing the descriptor unlocks it. Another process with the same descriptor keeps the lock, such
/// as an exchange helper that outlives the engine.
package struct SlotFile: ~Copyable, Sendable {
  /// The size of every slot, in bytes.
  package static let size = 65_536
  /// The length of an account's id in bytes.
  static let identifierCount = 16

  private let file: Descriptor

  private init(_ file: consuming Descriptor) {
    self.file = file
  }

  /// Creates the slot of a new account durably: its name and written zeros, so that an answer needs
  /// no disk space.
  ///
  /// An existing slot stays unchanged, unless its creation was interrupted.
  ///
  /// - Throws: `full` if there is no room; then nothing is left.
  package static func create(in directory: StateDirectory, account: [UInt8]) throws(StorageError) {
    let name = try Self.name(account)
    if let existing = try directory.slots.openChecked(name, writing: true) {
      let size = try calling { () throws(SystemError) in try existing.status().size }
      if size == Int64(Self.size) { return }
    }
    do throws(SystemError) {
      try directory.slots.unlink(name)
      let file = try directory.slots.create(name)
      try file.write([UInt8](repeating: 0, count: size))
      try file.synchronize()
      try directory.slots.synchronize()
    } catch {
      _ = try? directory.slots.unlink(name)
      throw StorageError(error)
    }
  }

  /// Opens the slot of an account for reading and writing, with its own open file description.
  ///
  /// - Throws: `missing`, or `unsafeFile` if it is not a private file of the right size.
  package init(in directory: StateDirectory, account: [UInt8]) throws(StorageError) {
    let name = try Self.name(account)
    guard let file = try directory.slots.openChecked(name, writing: true) else {
      throw .missing("slots/" + name)
    }
    let size = try calling { () throws(SystemError) in try file.status().size }
    guard size == Int64(Self.size) else { throw .unsafeFile("slots/" + name, .wrongSize(size)) }
    self.init(file)
  }

  /// The number of the descriptor, to be given to the exchange helper and not to be closed.
  package var descriptor: Int32 { file.number }

  /// Takes the account's lock without waiting; false if an exchange helper still holds it.
  package func lock() throws(StorageError) -> Bool {
    try calling { () throws(SystemError) in try file.lockExclusively() }
  }

  /// All 65,536 bytes.
  package func readWhole() throws(StorageError) -> [UInt8] {
    let bytes = try calling { () throws(SystemError) in try file.read(atMost: Self.size, at: 0) }
    guard bytes.count == Self.size else { throw .damaged("a slot") }
    return bytes
  }

  /// Overwrites the slot with zeros.
  ///
  /// - Parameter isDurable: whether the zeros are on the disk when this returns. They need not be
  ///   once the store has no intent: after a crash the next holder overwrites the old bytes.
  /// - Throws: an error of the disk.
  package func zero(isDurable: Bool = true) throws(StorageError) {
    try Self.zero(file, isDurable: isDurable)
  }

  /// Overwrites a slot with zeros durably; `number` is lent for the call.
  ///
  /// - Throws: an error of the disk.
  package static func zero(_ number: Int32) throws(StorageError) {
    let lent = Descriptor(owning: number)
    var failure: StorageError?
    do throws(StorageError) { try zero(lent, isDurable: true) } catch { failure = error }
    _ = lent.relinquish()
    if let failure { throw failure }
  }

  private static func zero(
    _ file: borrowing Descriptor,
    isDurable: Bool
  ) throws(StorageError) {
    do throws(SystemError) {
      try file.write([UInt8](repeating: 0, count: size), at: 0)
      if isDurable { try file.synchronizeData() }
    } catch {
      throw StorageError(error)
    }
  }

  /// Closes the descriptor and releases the lock, unless an exchange helper has the descriptor too.
  package consuming func close() {}

  /// Removes the slot of a deleted account durably; does nothing if there is none.
  package static func delete(in directory: StateDirectory, account: [UInt8]) throws(StorageError) {
    let name = try Self.name(account)
    try calling { () throws(SystemError) in
      try directory.slots.unlink(name)
      try directory.slots.synchronize()
    }
  }

  /// The ids of all accounts that have a slot, in byte order.
  package static func accounts(in directory: StateDirectory) throws(StorageError) -> [[UInt8]] {
    let names = try calling { () throws(SystemError) in try directory.slots.names() }
    return names.sorted().compactMap(Hexadecimal.bytes).filter { $0.count == identifierCount }
  }

  private static func name(_ account: [UInt8]) throws(StorageError) -> String {
    guard account.count == identifierCount else { throw .badName }
    return Hexadecimal.text(account)
  }
}
