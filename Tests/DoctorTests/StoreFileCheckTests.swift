import Glibc
import System
import TestSupport
import Testing

@testable import Doctor

struct StoreFileCheckTests {
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = try ScratchDirectory()
    for name in ["vault.db", "vault.db-wal"] { try directory.open().create(name).write("x") }
    try withExtendedLifetime(directory) { try body(directory.path) }
  }

  @Test
  func privateFilesAreFine() throws {
    try withDirectory { path in
      #expect(StoreFileChecks.run(in: path).map(\.severity) == [.ok])
      #expect(StoreFileChecks.run(in: path + "/nowhere").isEmpty)
    }
  }

  @Test(arguments: ["vault.db", "vault.db-wal"])
  func aFileThatOthersMayUseIsNamedWithItsRemedy(_ name: String) throws {
    try withDirectory { path in
      let file = "\(path)/\(name)"
      for mode: mode_t in [0o640, 0o604, 0o4600, 0o400] {
        #expect(unsafe chmod(file, mode) == 0)
        let findings = StoreFileChecks.run(in: path)
        #expect(findings.map(\.severity) == [.problem])
        #expect(findings[0].message.contains(file))
        #expect(findings[0].remedy?.contains("chmod 600 \(file)") == true)
      }
    }
  }

  @Test(arguments: ["vault.db", "vault.db-wal"])
  func aLinkInThePlaceOfAFileIsNotFollowed(_ name: String) throws {
    try withDirectory { path in
      let file = "\(path)/\(name)"
      #expect(unsafe unlink(file) == 0 && symlink("/etc/passwd", file) == 0)
      let link = StoreFileChecks.run(in: path)
      #expect(link.map(\.message) == ["\(file) is not a regular file"])
      #expect(unsafe unlink(file) == 0 && mkdir(file, 0o700) == 0)
      #expect(StoreFileChecks.run(in: path).map(\.severity) == [.problem])
    }
  }
}
