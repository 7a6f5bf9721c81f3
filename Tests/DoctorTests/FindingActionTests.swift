import Glibc
import System
import TestSupport
import Testing

@testable import Doctor

struct FindingActionTests {
  private let scratch: ScratchDirectory
  private var path: String { scratch.path + "/file" }

  init() throws {
    scratch = try ScratchDirectory()
    _ = try scratch.open().create("file")
  }

  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(unsafe lstat(path, &status) == 0)
    return status.st_mode & 0o7777
  }

  @Test
  func permissionsAreSetAlsoOnWhatItsOwnerMayNotRead() throws {
    try #require(unsafe chmod(path, 0) == 0)
    try FindingAction.set(mode: 0o600, of: path)
    #expect(try mode(path) == 0o600)
    try FindingAction.set(mode: 0o700, of: scratch.path)
    #expect(try mode(scratch.path) == 0o700)
  }

  @Test
  func aLinkIsNotFollowed() throws {
    let link = scratch.path + "/link"
    try #require(unsafe symlink(path, link) == 0)
    let before = try mode(path)
    _ = try? FindingAction.set(mode: 0o777, of: link)
    #expect(try mode(path) == before)
  }

  @Test
  func anotherUsersFileIsNotChanged() throws {
    var other = "/etc/passwd"
    if getuid() == 0 {
      try #require(unsafe chown(path, 1, 1) == 0)
      other = path
    }
    let before = try mode(other)
    #expect(throws: SystemError.self) { try FindingAction.set(mode: 0o777, of: other) }
    #expect(try mode(other) == before)
  }

  @Test(arguments: [
    (FindingAction.setMode(0o700, path: "/home/a/x"), "chmod 700 /home/a/x"),
    (.setMode(0o600, path: "/a b/'x"), #"chmod 600 '/a b/'\''x'"#),
    (.signIn(account: "me"), "thumblatch login me"),
    (.protect(account: "me"), "thumblatch presence enable me"),
    (.run("kill 7"), "kill 7"),
  ])
  func theCommandDoesTheSame(_ action: FindingAction, _ command: String) {
    #expect(action.command == command)
  }
}
