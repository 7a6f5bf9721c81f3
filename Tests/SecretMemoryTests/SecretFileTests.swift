import Glibc
import SecretMemory
import System
import TestSupport
import Testing

@Suite
struct SecretFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test
  func aFileIsReadToItsEndAndALongerOneIsRefused() throws {
    let directory = try scratch.open()
    try directory.create("secret").write("hunter2")
    let whole = try directory.openForReading("secret")
    let secret = try SecretBytes(reading: whole, ofSize: 7)
    #expect(unsafe secret.withUnsafeBytes { unsafe Array($0) } == Array("hunter2".utf8))
    let again = try directory.openForReading("secret")
    let error = #expect(throws: SystemError.self) {
      _ = try SecretBytes(reading: again, ofSize: 6)
    }
    #expect(error?.code == EFBIG)
  }
}
