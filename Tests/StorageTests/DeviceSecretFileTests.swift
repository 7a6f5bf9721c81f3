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
  func missingWithSealedBoxesIsRefusedAndNotMadeAnew() throws {
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
    // Killed between giving the name and taking the other one away.
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
}
