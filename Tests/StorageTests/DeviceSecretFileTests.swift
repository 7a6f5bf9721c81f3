import SecretMemory
import System
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(10)))
struct DeviceSecretFileTests {
  private func open(
    _ directory: StateDirectory,
    boxes: Bool = false
  ) throws -> SecretBytes {
    try DeviceSecretFile.open(in: directory) { () throws(StorageError) in boxes }
  }

  private func hasNext(_ directory: StateDirectory) throws -> Bool {
    try DeviceSecretFile.next(in: directory) != nil
  }

  private func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    unsafe secret.withUnsafeBytes { unsafe Array($0) }
  }

  @Test
  func itIsMadeOnceAndThenTheSame() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let first = bytes(try open(directory))
    #expect(first.count == 32)
    #expect(first != [UInt8](repeating: 0, count: 32))
    #expect(bytes(try open(directory, boxes: true)) == first)
    #expect(try Files.contents(scratch.path + "/device-secret") == first)
    #expect(try directory.root.names().sorted() == ["device-secret", "slots", "tokens"])
    let other = try Scratch()
    #expect(bytes(try open(try other.open())) != first)
  }

  @Test
  func missingWithSealedBoxesIsRefusedAndNotMadeAgain() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    #expect(throws: StorageError.deviceSecret(.missing)) { _ = try open(directory, boxes: true) }
    #expect(!Files.exists(scratch.path + "/device-secret"))
  }

  @Test
  func theStoreIsAskedOnlyIfThereIsNone() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    _ = try open(directory)
    _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
      throw StorageError.damaged("asked")
    }
    try Files.unlink(scratch.path + "/device-secret")
    #expect(throws: StorageError.damaged("asked")) {
      _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
        throw StorageError.damaged("asked")
      }
    }
    #expect(!Files.exists(scratch.path + "/device-secret"))
  }

  @Test(arguments: [0, 1, 31, 33, 64, 4096])
  func anotherSizeIsRefusedAndKept(_ count: Int) throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let path = scratch.path + "/device-secret"
    let planted = [UInt8](repeating: 7, count: count)
    try Files.put(planted, at: path)
    #expect(throws: StorageError.deviceSecret(.wrongSize(Int64(count)))) { _ = try open(directory) }
    #expect(try Files.contents(path) == planted)
  }

  @Test
  func zerosAreRefusedAndOneBitIsNot() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    var planted = [UInt8](repeating: 0, count: 32)
    try Files.put(planted, at: scratch.path + "/device-secret")
    #expect(throws: StorageError.deviceSecret(.allZero)) { _ = try open(directory) }
    planted[31] = 1
    try Files.put(planted, at: scratch.path + "/device-secret")
    #expect(bytes(try open(directory)) == planted)
  }

  @Test
  func theLeavingsOfACutCreationAreNotTakenForASecret() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let leaving = scratch.path + "/device-secret.new"
    try Files.put([UInt8](repeating: 7, count: 16), at: leaving)
    let made = bytes(try open(directory))
    #expect(Array(made.prefix(16)) != [UInt8](repeating: 7, count: 16))
    #expect(!Files.exists(leaving))
    // Killed between link(2) and unlink(2) of the temporary name.
    try Files.link(scratch.path + "/device-secret", leaving)
    #expect(bytes(try open(directory)) == made)
    #expect(!Files.exists(leaving))
  }

  @Test
  func everyRefusalSaysWhatToDo() {
    let flaws: [DeviceSecretFlaw] = [
      .missing, .wrongSize(3), .allZero, .unsafeFile(.symbolicLink), .unsafeFile(.wrongMode(0o640)),
      .unsafeFile(.wrongOwner(1)), .unsafeFile(.wrongLinks(2)), .unsafeFile(.wrongType),
    ]
    for flaw in flaws { #expect(StorageError.deviceSecret(flaw).remedy?.isEmpty == false) }
  }

  @Test
  func theNextSecretTakesThePlaceOfTheOldOne() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let first = bytes(try open(directory))
    #expect(try hasNext(directory) == false)
    let made = bytes(try DeviceSecretFile.makeNext(in: directory))
    #expect(made.count == 32 && made != first)
    #expect(try Files.mode(scratch.path + "/device-secret.next") == 0o600)
    #expect(bytes(try open(directory, boxes: true)) == first)
    let old = try directory.root.openForReading("device-secret")
    try DeviceSecretFile.adoptNext(in: directory)
    #expect(bytes(try open(directory, boxes: true)) == made)
    // The old file has no name any longer, and its bytes are wiped.
    #expect(try old.readAll(limit: 100) == [UInt8](repeating: 0, count: 32))
    #expect(try directory.root.names().sorted() == ["device-secret", "slots", "tokens"])
  }

  @Test
  func aNextSecretThatWasCutShortIsNone() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let first = bytes(try open(directory))
    for torn in [[], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 0, count: 32)] {
      try Files.put(torn, at: scratch.path + "/device-secret.next")
      #expect(try hasNext(directory) == false)
    }
    try Files.put([UInt8](repeating: 1, count: 32), at: scratch.path + "/device-secret.next")
    let open = try directory.root.openForReading("device-secret.next")
    try DeviceSecretFile.discardNext(in: directory)
    try DeviceSecretFile.discardNext(in: directory)
    #expect(try open.readAll(limit: 100) == [UInt8](repeating: 0, count: 32))
    #expect(bytes(try self.open(directory, boxes: true)) == first)
  }
}
