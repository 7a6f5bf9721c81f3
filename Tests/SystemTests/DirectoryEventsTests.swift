import System
import TestSupport
import Testing

/// The reports of inotify(7) about a directory.
struct DirectoryEventsTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func names(_ events: borrowing DirectoryEvents) throws -> Set<String> {
    try #require(try events.descriptor.waitReadable(milliseconds: 60_000))
    return try events.take().names
  }

  @Test(arguments: [false, true])
  func writtenFilesAreReportedAndRemovedOnesIfWanted(removals: Bool) throws {
    let directory = try scratch.open()
    try directory.create("before").write("1")
    let events = try DirectoryEvents(path: scratch.path, removals: removals)
    #expect(try events.take().names == [])
    try directory.create("a").write("1")
    #expect(try names(events) == ["a"])
    _ = try directory.unlink("a")
    _ = try directory.unlink("before")
    #expect(try events.take().names == (removals ? ["a", "before"] : []))
    try directory.touch("last")
    #expect(try names(events) == ["last"])
  }

  @Test
  func aDirectoryThatGoesIsNotWatchedFurther() throws {
    let directory = try scratch.open()
    _ = try directory.openDirectory("inner", create: true)
    let events = try DirectoryEvents(path: scratch.path + "/inner")
    #expect(try events.take().isWatching)
    _ = try output(of: "/bin/rmdir", [scratch.path + "/inner"])
    #expect(try events.descriptor.waitReadable(milliseconds: 60_000))
    #expect(try !events.take().isWatching)
  }
}
