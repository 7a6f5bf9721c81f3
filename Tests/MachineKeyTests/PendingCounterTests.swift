import MachineKey
import SecretMemory
import Testing

struct PendingCounterTests {
  private let bytes: [UInt8]

  init() throws {
    bytes = try PendingCounter(
      index: 0x0180_0203,
      parentName: [0, 11, 7],
      authorization: SharedSecret(try SecretBytes(copying: Array(0..<32)))
    ).encoded
  }

  @Test
  func aFileIsWhatWasWritten() throws {
    let file = [UInt8]("TLPEND01".utf8) + [3, 2, 0x80, 1] + Array(0..<32) + [3, 0, 11, 7]
    #expect(bytes == file)
    let read = try PendingCounter(parsing: bytes)
    #expect(read.index == 0x0180_0203 && read.parentName == [0, 11, 7])
    #expect(try read.encoded == bytes)
  }

  @Test
  func aCutOrLongerFileIsMalformed() {
    for count in 0..<bytes.count {
      #expect(throws: MachineKeyError.malformed) {
        try PendingCounter(parsing: Array(bytes.prefix(count)))
      }
    }
    #expect(throws: MachineKeyError.malformed) { try PendingCounter(parsing: bytes + [0]) }
    #expect(throws: MachineKeyError.malformed) {
      try PendingCounter(parsing: [UInt8]("TLPEND02".utf8) + bytes.dropFirst(8))
    }
  }

  @Test
  func aPartOfAnotherSizeIsNotWritten() throws {
    let short = SharedSecret(try SecretBytes(copying: Array(0..<31)))
    #expect(throws: MachineKeyError.malformed) {
      try PendingCounter(index: 1, parentName: [], authorization: short).encoded
    }
    let value = SharedSecret(try SecretBytes(copying: Array(0..<32)))
    #expect(throws: MachineKeyError.malformed) {
      let name = [UInt8](repeating: 0, count: 256)
      return try PendingCounter(index: 1, parentName: name, authorization: value).encoded
    }
  }
}
