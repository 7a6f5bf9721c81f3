import Glibc
import MachineFiles
import System
import TestSupport
import Testing

@testable import VaultClient

@Suite
struct PrivateRuleTests {
  private func refusal(_ name: String, _ text: String, mode: UInt32 = 0o644) throws -> String? {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    let parts = name.split(separator: "/").map(String.init)
    let folder = parts.count == 2 ? scratch.path + "/" + parts[0] : scratch.path
    if parts.count == 2 { _ = try directory.openDirectory(parts[0], create: true) }
    try Directory(path: folder).create(parts.last ?? name).write(text)
    try #require(unsafe chmod(scratch.path + "/" + name, mode) == 0)
    do throws(VaultClientError) {
      try PrivateRule.demandAllowed(
        by: MachineDirectory(path: scratch.path, owners: [ThisProcess.user])
      )
      return nil
    } catch {
      return "\(error)".replacing(scratch.path + "/", with: "")
    }
  }

  @Test
  func theAdministratorsRuleIsNamedWithItsFile() throws {
    #expect(
      try refusal("conf.d/a.conf", "[Policy]\nprivate = never\n")
        == "private vaults are not allowed (private in conf.d/a.conf:2)"
    )
    #expect(try refusal("thumblatch.conf", "[Policy]\nprivate = never\n") != nil)
  }

  @Test
  func withoutTheRuleItIsAllowed() throws {
    #expect(try refusal("thumblatch.conf", "[Policy]\nprivate = allowed\nremote = deny\n") == nil)
    #expect(try refusal("thumblatch.conf", "") == nil)
    #expect(try refusal("other", "[Policy]\nprivate = never\n") == nil)
  }

  @Test
  func aRuleThatCannotBeReadMayForbidIt() throws {
    for (text, mode) in [("[Policy]\nprivate = nevr\n", 0o644), ("[Policy]\n", 0o666)] {
      let words = try refusal("thumblatch.conf", text, mode: UInt32(mode))
      #expect(words?.hasPrefix("cannot read whether private vaults are allowed: ") == true)
    }
  }
}
