import System
import TestSupport
import Testing

@testable import Storage

@Suite
struct SlotFileTests {
  private let scratch: Scratch
  private let directory: StateDirectory
  private var path: String { scratch.path + "/slots/11111111111111111111111111111111" }

  init() throws {
    scratch = try Scratch()
    directory = try scratch.open()
  }

  @Test
  func itIsWrittenZerosOfTheFullSize() throws {
    try SlotFile.create(in: directory, account: accountID)
    let slot = try SlotFile(in: directory, account: accountID)
    let zero = try slot.readWhole().allSatisfy { $0 == 0 }
    #expect(zero)
    #expect(try Files.mode(path) == 0o600)
    // Blocks of 512 bytes: a hole has none (stat(2)).
    #expect(try Files.blocks(path) >= 128)
    #expect(try SlotFile.accounts(in: directory) == [accountID])
  }

  @Test
  func anAnswerIsReadAndZeroed() throws {
    try SlotFile.create(in: directory, account: accountID)
    try Files.patch([1, 2, 3], at: 65_533, of: path)
    try SlotFile.create(in: directory, account: accountID)
    let slot = try SlotFile(in: directory, account: accountID)
    #expect(try Array(slot.readWhole().suffix(4)) == [0, 1, 2, 3])
    try slot.zero()
    let zero = try slot.readWhole().allSatisfy { $0 == 0 }
    #expect(zero)
  }

  @Test
  func theLockLivesAsLongAsAnyoneHasTheDescriptor() throws {
    try SlotFile.create(in: directory, account: accountID)
    let exchange: Descriptor
    do {
      let slot = try SlotFile(in: directory, account: accountID)
      #expect(try slot.lock())
      #expect(try !SlotFile(in: directory, account: accountID).lock())
      // The exchange helper inherits this descriptor, and keeps it when the engine has gone.
      exchange = try duplicate(slot.descriptor)
      slot.close()
    }
    #expect(try !SlotFile(in: directory, account: accountID).lock())
    close(exchange)
    // A process that another test forks has the descriptor too, until its exec.
    #expect(try eventually { try SlotFile(in: directory, account: accountID).lock() })
  }

  private func duplicate(_ number: Int32) throws -> Descriptor {
    let borrowed = Descriptor(owning: number)
    do {
      let second = try borrowed.duplicate()
      _ = borrowed.relinquish()
      return second
    } catch {
      _ = borrowed.relinquish()
      throw error
    }
  }

  private func close(_ descriptor: consuming Descriptor) {}

  @Test
  func anotherSizeIsRefused() throws {
    try Files.put([0], at: path)
    #expect(throws: StorageError.unsafeFile("slots/" + Hexadecimal.text(accountID), .wrongSize(1)))
    {
      _ = try SlotFile(in: directory, account: accountID)
    }
    // An interrupted creation is finished.
    try SlotFile.create(in: directory, account: accountID)
    _ = try SlotFile(in: directory, account: accountID)
  }

  @Test
  func aRemovedSlotIsMissing() throws {
    try SlotFile.create(in: directory, account: accountID)
    try SlotFile.delete(in: directory, account: accountID)
    try SlotFile.delete(in: directory, account: accountID)
    #expect(throws: StorageError.missing("slots/11111111111111111111111111111111")) {
      _ = try SlotFile(in: directory, account: accountID)
    }
    #expect(try SlotFile.accounts(in: directory).isEmpty)
  }

  @Test
  func onlyIdsAreSlots() throws {
    #expect(throws: StorageError.badName) { try SlotFile.create(in: directory, account: [1]) }
    for name in ["README", "11", "1111111111111111111111111111111G", ".x"] {
      try Files.put([], at: scratch.path + "/slots/" + name)
    }
    #expect(try SlotFile.accounts(in: directory).isEmpty)
  }
}

@Suite
struct TokenFilesTests {
  private let scratch: Scratch
  private let directory: StateDirectory

  init() throws {
    scratch = try Scratch()
    directory = try scratch.open()
  }

  @Test
  func aTokenIsReplacedAndRemoved() throws {
    #expect(try TokenFiles.read(account: "me", in: directory) == nil)
    for text in ["first", "second"] {
      let token = try sampleToken(text)
      try TokenFiles.write(token, account: "me", in: directory)
      #expect(try TokenFiles.read(account: "me", in: directory) == token)
    }
    #expect(try Files.mode(scratch.path + "/tokens/me") == 0o600)
    #expect(try TokenFiles.accounts(in: directory) == ["me"])
    #expect(try TokenFiles.remove(account: "me", in: directory))
    #expect(try !TokenFiles.remove(account: "me", in: directory))
    #expect(try #require(directory.tokens).root.names().isEmpty)
  }

  @Test
  func aRemovedTokenIsOverwrittenFirst() throws {
    try TokenFiles.write(try sampleToken("WIPE-ME"), account: "me", in: directory)
    let open = try #require(directory.tokens).root.openForReading("me")
    try TokenFiles.remove(account: "me", in: directory)
    let left = try open.readAll(limit: 1_000)
    #expect(left == [UInt8](repeating: 0, count: 63))
  }

  @Test
  func whatIsNoTokenIsNotRead() throws {
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 0, count: 100_000)] {
      try Files.put(bytes, at: scratch.path + "/tokens/me")
      #expect(try TokenFiles.read(account: "me", in: directory) == nil)
    }
  }

  @Test
  func theDefaultAccountIsNamed() throws {
    #expect(try TokenFiles.defaultAccount(in: directory) == nil)
    try TokenFiles.setDefault(account: "me", in: directory)
    #expect(try Files.contents(scratch.path + "/tokens/@") == Array("me".utf8))
    #expect(try TokenFiles.defaultAccount(in: directory) == "me")
    #expect(try TokenFiles.accounts(in: directory).isEmpty)
    try Files.put(Array("../x".utf8), at: scratch.path + "/tokens/@")
    #expect(try TokenFiles.defaultAccount(in: directory) == nil)
    try TokenFiles.setDefault(account: nil, in: directory)
    try TokenFiles.setDefault(account: nil, in: directory)
    #expect(!Files.exists(scratch.path + "/tokens/@"))
  }

  @Test(arguments: [
    "", "@", ".", "..", ".new", "../vault.db", "a/b", "/etc/passwd", "Me", "a b", "a\nb",
    "a\u{0}b", "-a", "_a", "ä", String(repeating: "a", count: 65),
    String(repeating: "a", count: 10_000), "\u{202e}a",
  ])
  func aNameThatIsNoAccountNameReachesNoPath(_ name: String) throws {
    let token = try sampleToken()
    #expect(throws: StorageError.badName) {
      try TokenFiles.write(token, account: name, in: directory)
    }
    #expect(throws: StorageError.badName) { _ = try TokenFiles.read(account: name, in: directory) }
    #expect(throws: StorageError.badName) { try TokenFiles.remove(account: name, in: directory) }
    #expect(throws: StorageError.badName) {
      try TokenFiles.setDefault(account: name, in: directory)
    }
    #expect(try #require(directory.tokens).root.names().isEmpty)
  }

  @Test(arguments: ["a", "0", "work", "a.b-c_d", String(repeating: "z", count: 64)])
  func everyAccountNameIsAFileName(_ name: String) throws {
    try TokenFiles.write(try sampleToken(), account: name, in: directory)
    #expect(try TokenFiles.accounts(in: directory) == [name])
  }
}

@Suite
struct RollbackCounterFileTests {
  private let scratch: Scratch
  private let directory: StateDirectory

  init() throws {
    scratch = try Scratch()
    directory = try scratch.open()
  }

  @Test
  func whatIsWrittenIsRead() throws {
    #expect(try RollbackCounterFile.read(in: directory) == nil)
    for count in [0, 5, 3, UInt64.max] {
      try RollbackCounterFile.write(count: count, code: counterCode, in: directory)
      #expect(
        try RollbackCounterFile.read(in: directory)
          == RollbackCounter(count: count, code: counterCode)
      )
    }
    #expect(!Files.exists(scratch.path + "/rollback-counter.new"))
    #expect(try Files.contents(scratch.path + "/rollback-counter").count == 48)
    #expect(throws: StorageError.damaged("rollback-counter")) {
      try RollbackCounterFile.write(count: 1, code: [1, 2, 3], in: directory)
    }
  }

  @Test(arguments: [24, 47, 49, 96])
  func oneOfAnotherLengthIsReplaced(_ length: Int) throws {
    let path = scratch.path + "/rollback-counter"
    try Files.put([UInt8](repeating: 7, count: length), at: path)
    try RollbackCounterFile.write(count: 8, code: counterCode, in: directory)
    #expect(
      try RollbackCounterFile.read(in: directory) == RollbackCounter(count: 8, code: counterCode)
    )
    #expect(try Files.contents(path).count == 48)
  }

  @Test
  func everyOtherMagicAndLengthIsDamage() throws {
    try RollbackCounterFile.write(count: 77, code: counterCode, in: directory)
    let path = scratch.path + "/rollback-counter"
    let bytes = try Files.contents(path)
    #expect(bytes.count == 48)
    for bit in 0..<(8 * 8) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      try Files.put(changed, at: path)
      #expect(throws: StorageError.damaged("rollback-counter")) {
        _ = try RollbackCounterFile.read(in: directory)
      }
    }
    for count in [0, 24, 47] {
      try Files.put(Array(bytes.prefix(count)), at: path)
      #expect(throws: StorageError.damaged("rollback-counter")) {
        _ = try RollbackCounterFile.read(in: directory)
      }
    }
    try Files.put(bytes + [0], at: path)
    #expect(throws: StorageError.damaged("rollback-counter")) {
      _ = try RollbackCounterFile.read(in: directory)
    }
    try Files.put(bytes, at: path)
    #expect(try RollbackCounterFile.read(in: directory)?.count == 77)
  }
}
