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
    #expect(found == FoundUsers(uids: [1000], unread: [999]))
    let named = try users.find("1000")
    #expect(named == FoundUsers(uids: [1000], unread: []))
    // It may be the vault of this user.
    var isTold = false
    do { _ = try users.find("bob") } catch { isTold = true }
    #expect(isTold)
  }
}
