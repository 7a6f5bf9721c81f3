import System
import TestSupport
import Testing

@testable import VaultServer

struct UserDirectoriesTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test
  func whatCannotBeReadHidesNoOtherUser() throws {
    let path = scratch.path + "/state"
    let users = try UserDirectories(in: try Directory.make(path: path), path: path)
    _ = try users.open(1000, named: "ada")
    _ = try Directory(path: path + "/users").create("999")
    let found = try users.find("ada")
    #expect(found == [1000])
    // It may be the vault of this user.
    var isTold = false
    do { _ = try users.find("bob") } catch { isTold = true }
    #expect(isTold)
  }
}
