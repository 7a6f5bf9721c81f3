import Glibc
import Testing
import VaultInterface

@testable import Commands

// Directories that are symbolic links.
extension ImportVerbTests {
  @Test
  func aDirectoryThatIsALinkIsNamed() throws {
    let home = try credentials()
    try #require(unsafe rename(home.path + "/claude", home.path + "/real") == 0)
    try #require(unsafe symlink(home.path + "/real", home.path + "/claude") == 0)
    let file = home.path + "/claude/.credentials.json"
    let play = try run(home, "--from claude --file \(file) --entry git --yes") {
      try $0.expectEnd()
    }
    #expect(play.code == .usage && play.talk.contains("/claude is a symbolic link"), "\(play.talk)")
  }

  @Test
  func aDirectoryThatThePersonHasLinkedIsTheProgramsOwn() throws {
    let home = try credentials()
    try #require(unsafe rename(home.path + "/claude", home.path + "/real") == 0)
    try #require(unsafe symlink(home.path + "/real", home.path + "/claude") == 0)
    let play = try run(home, "--from claude --entry git --yes") { stage in
      try Self.discover(stage)
      try Self.takeOver(stage)
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("real/.credentials.json")?.contains("old-rt") == false)
  }
}
