import SecretMemory
import System
import Testing

@testable import Storage

/// On a file system of a few pages, mounted by the test.
///
/// Each test has its own process. A child that another test has forked would hold removed files,
/// and give their pages back at its exec. That would happen in the middle of a step that must find
/// no room.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FullDiskTests {
  @Test
  func aVaultIsMadeWhereverTheSpaceEndedBefore() async {
    await #expect(processExitsWith: .success) { try FullDisk().makesAVaultInTheEnd() }
  }

  @Test
  func aChangeThatFindsNoRoomChangesNothing() async {
    await #expect(processExitsWith: .success) { try FullDisk().changesNothing() }
  }
}

private struct FullDisk {
  /// All steps that make a vault.
  private func make(_ scratch: Scratch) throws {
    let directory = try scratch.open()
    let store = try Store(in: directory)
    _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
      try store.hasSealedBoxes()
    }
    try SlotFile.create(in: directory, account: accountID)
    if try store.account(id: accountID) == nil { try store.insert(sampleAccount()) }
    try RollbackCounterFile.write(count: 1, code: counterCode, in: directory)
    try TokenFiles.write(try sampleToken(), account: "me", in: directory)
  }

  func makesAVaultInTheEnd() throws {
    var failures = 0
    for pages in 1...200 {
      let scratch = try Scratch()
      try Files.mountSmall(scratch.base, pages: pages)
      do {
        try make(scratch)
        break
      } catch let error as StorageError {
        #expect(error == .full, "\(pages) pages")
        failures += 1
      }
      try Files.mountSmall(scratch.base, pages: 1_000, remount: true)
      try make(scratch)
      try Store(in: try scratch.open()).verify()
    }
    // The disk was full at many steps, and in the end it was not.
    #expect(failures > 30 && failures < 200)
  }

  func changesNothing() throws {
    let scratch = try Scratch()
    try Files.mountSmall(scratch.base, pages: 300)
    try make(scratch)
    let directory = try scratch.open()
    let store = try Store(in: directory)
    let slot = try SlotFile(in: directory, account: accountID)
    var failures = 0
    for spare in 0..<12 {
      try fill(scratch, leaving: spare)
      var row = try #require(try store.account(id: accountID))
      let before = row
      row.generation += 1
      row.sealedRefreshToken = [UInt8](repeating: UInt8(row.generation), count: 12_000)
      let changed = row
      do {
        try store.transaction { try store.update(changed) }
        #expect(try store.account(id: accountID) == changed)
      } catch let error as StorageError {
        failures += 1
        #expect(error == .full)
        #expect(try store.account(id: accountID) == before)
      }
      // The answer of an exchange needs no room: the slot has its own pages.
      try slot.zero()
      #expect(throws: StorageError.full) {
        try fill(scratch, leaving: 0)
        try SlotFile.create(in: directory, account: [UInt8](repeating: 3, count: 16))
      }
      #expect(try SlotFile.accounts(in: directory) == [accountID])
      // Nor does the rollback counter, which is overwritten in place.
      let count = UInt64(spare + 2)
      try fill(scratch, leaving: 0)
      try RollbackCounterFile.write(count: count, code: counterCode, in: directory)
      #expect(try RollbackCounterFile.read(in: directory)?.count == count)
      #expect(throws: StorageError.full) {
        try fill(scratch, leaving: 0)
        try TokenFiles.write(try sampleToken("other"), account: "me", in: directory)
      }
      #expect(try TokenFiles.read(account: "me", in: directory) == sampleToken())
      try Files.cut(scratch.base + "/filler", to: 0)
      try Files.unlink(scratch.base + "/filler")
      try store.checkpoint()
    }
    #expect(failures > 0)
    try store.verify()
    try store.transaction { try store.setMeta("next", to: [1]) }
    #expect(try directory.root.names().filter { $0.hasSuffix(".new") }.isEmpty)
  }

  /// Uses up the file system except for `leaving` pages.
  private func fill(_ scratch: Scratch, leaving: Int) throws {
    let path = scratch.base + "/filler"
    if !Files.exists(path) { try Files.put([], at: path) }
    var reached = try Files.extend(path)
    for _ in 0..<1_000 where try Files.freePages(path) > 0 { reached = try Files.extend(path) }
    if leaving > 0 { try Files.cut(path, to: max(0, reached - leaving * 4096)) }
  }
}
