package import System

/// The directory of a machine key, in the state directory of a private vault or of the service.
///
/// | name | is |
/// |---|---|
/// | `state` | how far the machine key is in use |
/// | `slot-<id>` | one way to open it |
/// | `ledger` | the value of the TPM's counter, and the counts of the vaults |
///
/// The file `machine-key.counter` beside it has a counter that is being defined or removed.
///
/// It is made beside its location, and then renamed. So there is either none, or one with its first
/// slots.
package final class MachineKeyDirectory: Sendable {
  /// A slot's file.
  package struct Slot: Sendable, Equatable {
    /// The identifier of the slot, as the name of the file has it.
    package let identifier: [UInt8]
    package let bytes: [UInt8]

    package init(identifier: [UInt8], bytes: [UInt8]) {
      self.identifier = identifier
      self.bytes = bytes
    }
  }

  /// A slot's file as it was found.
  package struct FoundSlot: Sendable, Equatable {
    /// The identifier of the slot, as the name of the file has it.
    package let identifier: [UInt8]
    /// The bytes, or why they cannot be read; `nil` if there are too many slots to read this one.
    package let contents: Result<[UInt8], StorageError>?
  }

  /// The most slots.
  package static let mostSlots = 16

  static let name = "machine-key"
  static let nextName = "machine-key.new"
  private static let pendingName = "machine-key.counter"
  private static let stateName = "state"
  private static let ledgerName = "ledger"
  private static let slotPrefix = "slot-"
  private static let temporarySuffix = ".new"
  private static let mostBytes = 4096
  /// The most bytes of the state, which names vaults.
  private static let mostStateBytes = 1 << 20

  private let parent: Directory

  /// Uses the directory beneath this one, and removes the leftovers of interrupted creations.
  ///
  /// The caller holds the lock that keeps other engines from doing the same.
  package init(in parent: borrowing Directory) throws(StorageError) {
    self.parent = try calling { () throws(SystemError) in try parent.openDirectory(".") }
    try clear()
    removeUnfinishedSlots()
    // It may have an authorization value.
    try? remove(Self.pendingName + Self.temporarySuffix, in: parent)
  }

  /// Whether a machine key was made.
  package func exists() throws(StorageError) -> Bool {
    try calling { () throws(SystemError) in try parent.contains(Self.name) }
  }

  /// The state; `nil` if the file is missing.
  package func state() throws(StorageError) -> [UInt8]? {
    try read(Self.stateName, in: try opened(), limit: Self.mostStateBytes)
  }

  /// The ledger of the TPM's counter; `nil` if the file is missing.
  package func ledger() throws(StorageError) -> [UInt8]? {
    try read(Self.ledgerName, in: try opened(), limit: Self.mostStateBytes)
  }

  /// The slots, by the names of their files.
  ///
  /// A file that cannot be read does not hide the others. Those after `mostSlots` are not read.
  package func slots() throws(StorageError) -> [FoundSlot] {
    let directory = try opened()
    let names = try calling { () throws(SystemError) in try directory.names() }
    var slots: [FoundSlot] = []
    for name in names.sorted() {
      guard name.hasPrefix(Self.slotPrefix),
        let identifier = Hexadecimal.bytes(String(name.dropFirst(Self.slotPrefix.count)))
      else { continue }
      guard slots.count < Self.mostSlots else {
        slots.append(FoundSlot(identifier: identifier, contents: nil))
        continue
      }
      do throws(StorageError) {
        guard let bytes = try read(name, in: directory) else { continue }
        slots.append(FoundSlot(identifier: identifier, contents: .success(bytes)))
      } catch {
        slots.append(FoundSlot(identifier: identifier, contents: .failure(error)))
      }
    }
    return slots
  }

  // MARK: - Changes

  /// Makes the directory durably, with its state, its first slots, and the ledger if there is one.
  ///
  /// - Throws: EEXIST or ENOTEMPTY as `system` if there is one.
  package func make(
    state: [UInt8],
    slots: [Slot],
    ledger: [UInt8]? = nil
  ) throws(StorageError) {
    try clear()
    let next = try StateDirectory.open(Self.nextName, in: parent, create: true, shown: Self.name)
    do throws(SystemError) {
      try Self.write(state, Self.stateName, in: next)
      for slot in slots { try Self.write(slot.bytes, Self.fileName(of: slot.identifier), in: next) }
      if let ledger { try Self.write(ledger, Self.ledgerName, in: next) }
      try next.synchronize()
      try parent.rename(Self.nextName, to: Self.name)
    } catch {
      try? clear()
      throw StorageError(error)
    }
    // The rename is done in memory. After a crash there may be none.
    do throws(SystemError) { try parent.synchronize() } catch { throw .uncertain("\(error)") }
  }

  /// Replaces the state durably.
  package func write(state: [UInt8]) throws(StorageError) {
    try replace(Self.stateName, with: state)
  }

  /// Replaces the ledger durably.
  package func write(ledger: [UInt8]) throws(StorageError) {
    try replace(Self.ledgerName, with: ledger)
  }

  /// The counter that is being defined or removed; `nil` if there is none.
  package func pendingCounter() throws(StorageError) -> [UInt8]? {
    try read(Self.pendingName, in: parent)
  }

  /// Whether a counter is being defined or removed.
  package func hasPendingCounter() throws(StorageError) -> Bool {
    try calling { () throws(SystemError) in try parent.contains(Self.pendingName) }
  }

  /// Writes a counter durably, before it is defined or removed.
  package func write(pendingCounter bytes: [UInt8]) throws(StorageError) {
    let temporary = Self.pendingName + Self.temporarySuffix
    try parent.replace(Self.pendingName, with: bytes, by: temporary, durable: true)
  }

  /// Overwrites and removes the file of a counter that is in use, or is gone.
  package func removePendingCounter() throws(StorageError) {
    try remove(Self.pendingName, in: parent)
  }

  /// Adds a slot durably.
  package func add(_ slot: Slot) throws(StorageError) {
    try replace(Self.fileName(of: slot.identifier), with: slot.bytes)
  }

  /// Overwrites and removes a slot durably; does nothing if there is none.
  package func remove(_ identifier: [UInt8]) throws(StorageError) {
    try remove(Self.fileName(of: identifier), in: try opened())
  }

  private func remove(
    _ name: String,
    in directory: borrowing Directory
  ) throws(StorageError) {
    if let file = try? directory.openChecked(name, writing: true),
      let size = try? file.status().size
    {
      file.wipe(count: Int(clamping: min(size, Int64(Self.mostBytes))))
      try? file.synchronize()
    }
    try calling { () throws(SystemError) in
      if try directory.unlink(name) { try directory.synchronize() }
    }
  }

  // MARK: - Files

  private func opened() throws(StorageError) -> Directory {
    try StateDirectory.open(Self.name, in: parent, create: false, shown: Self.name)
  }

  private func read(
    _ name: String,
    in directory: borrowing Directory,
    limit: Int = mostBytes
  ) throws(StorageError) -> [UInt8]? {
    guard let file = try directory.openChecked(name) else { return nil }
    let size = try calling { () throws(SystemError) in try file.status().size }
    guard size <= Int64(limit) else { throw .damaged("\(Self.name)/\(name)") }
    return try calling { () throws(SystemError) in try file.readAll(limit: limit) }
  }

  private func replace(_ name: String, with bytes: [UInt8]) throws(StorageError) {
    try opened().replace(name, with: bytes, by: name + Self.temporarySuffix, durable: true)
  }

  private static func write(
    _ bytes: [UInt8],
    _ name: String,
    in directory: borrowing Directory
  ) throws(SystemError) {
    let file = try directory.create(name)
    try file.write(bytes)
    try file.synchronize()
  }

  /// Removes the remains of an interrupted creation; nothing was ever sealed under it.
  private func clear() throws(StorageError) {
    try calling { () throws(SystemError) in
      guard try parent.contains(Self.nextName) else { return }
      let directory = try parent.openDirectory(Self.nextName)
      for name in try directory.names() { try directory.unlink(name) }
      try parent.removeDirectory(Self.nextName)
      try parent.synchronize()
    }
  }

  /// Removes slots whose addition was interrupted: each opens the machine key, and none is listed.
  private func removeUnfinishedSlots() {
    guard let directory = try? opened(), let names = try? directory.names() else { return }
    for name in names
    where name.hasPrefix(Self.slotPrefix) && name.hasSuffix(Self.temporarySuffix) {
      try? remove(name, in: directory)
    }
  }

  private static func fileName(of slot: [UInt8]) -> String { slotPrefix + Hexadecimal.text(slot) }
}
