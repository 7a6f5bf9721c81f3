import Glibc
import System
import Testing

@Suite
struct DirectoryTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
  }

  @Test
  func aLinkIsNeverFollowed() throws {
    try place.write("target", "secret")
    place.link("link", to: "target")
    place.link("absolute", to: "\(place.path)/target")
    place.link("dangling", to: "nothing")
    let directory = try place.open()
    for name in ["link", "absolute", "dangling"] {
      #expect(code { () throws(SystemError) in _ = try directory.openForReading(name) } == ELOOP)
      #expect(code { () throws(SystemError) in _ = try directory.openForWriting(name) } == ELOOP)
      #expect(code { () throws(SystemError) in _ = try directory.create(name) } == EEXIST)
      #expect(code { () throws(SystemError) in _ = try directory.openDirectory(name) } != nil)
      #expect(try directory.contains(name))
    }
    #expect(try !directory.contains("nothing"))
  }

  @Test
  func aFileWasReadWhereItsReadIsLaterThanItsWriting() throws {
    try place.write("file", "text")
    let directory = try place.open()
    for (read, written, isRead) in [(5, 5, false), (5, 6, false), (6, 5, true)] {
      var times = [timespec(tv_sec: read, tv_nsec: 0), timespec(tv_sec: written, tv_nsec: 0)]
      #expect(unsafe utimensat(AT_FDCWD, place.path + "/file", &times, 0) == 0)
      #expect(try directory.wasRead("file") == isRead)
    }
    #expect(try !directory.wasRead("nothing"))
  }

  @Test
  func aLinkOnTheWayIsNotFollowedEither() throws {
    _ = try place.open().openDirectory("real", create: true).create("file")
    place.link("way", to: "real")
    let directory = try place.open()
    #expect(code { () throws(SystemError) in _ = try directory.openForReading("real/file") } == nil)
    #expect(
      code { () throws(SystemError) in _ = try directory.openForReading("way/file") } == ELOOP
    )
    #expect(code { () throws(SystemError) in _ = try directory.openDirectory("way") } == ELOOP)
    #expect(
      code { () throws(SystemError) in _ = try directory.openDirectory("way", create: true) }
        == ELOOP
    )
  }

  @Test
  func theLastPartOfADirectorysPathIsNoLink() throws {
    _ = try place.open().openDirectory("real", create: true)
    place.link("way", to: "real")
    let path = place.path
    #expect(
      code { () throws(SystemError) in _ = try Directory(path: "\(path)/way") } == ENOTDIR
    )
    #expect(code { () throws(SystemError) in _ = try Directory.make(path: "\(path)/way") } != nil)
  }

  @Test(arguments: ["../outside", "..", "/etc/passwd", "inner/../../outside"])
  func nothingOutsideIsReached(name: String) throws {
    let directory = try place.open()
    _ = try directory.openDirectory("inner", create: true)
    #expect(code { () throws(SystemError) in _ = try directory.openForReading(name) } == EXDEV)
    #expect(code { () throws(SystemError) in _ = try directory.create(name) } == EXDEV)
  }

  @Test
  func aFileIsMadeOnceAndOnlyForItsOwner() throws {
    let directory = try place.open()
    let file = try directory.create("file")
    let status = try file.status()
    #expect(status.kind == .regular && status.mode == 0o600 && status.links == 1)
    #expect(status.owner == ThisProcess.user && status.size == 0)
    #expect(code { () throws(SystemError) in _ = try directory.create("file") } == EEXIST)
  }

  @Test
  func aPipeInAFilesPlaceDoesNotHoldTheReader() throws {
    #expect(unsafe mkfifo("\(place.path)/pipe", 0o600) == 0)
    let pipe = try place.open().openForReading("pipe")
    #expect(try pipe.status().kind == .other)
  }

  @Test
  func directoriesAreMadeOnlyForTheirOwner() throws {
    let made = try Directory.make(path: "\(place.path)/a//b/c/")
    let status = try made.descriptor.status()
    #expect(status.kind == .directory && status.mode == 0o700)
    #expect(try Directory(path: "\(place.path)/a").descriptor.status().mode == 0o700)
    // The second time it is opened, not made.
    let again = try Directory.make(path: "\(place.path)/a/b/c").descriptor.status()
    #expect(again.inode == status.inode && again.device == status.device)
    let inner = try made.openDirectory("d", create: true).descriptor.status()
    #expect(inner.kind == .directory && inner.mode == 0o700)
    #expect(code { () throws(SystemError) in _ = try made.openDirectory("e") } == ENOENT)
    #expect(code { () throws(SystemError) in _ = try Directory.make(path: "a/b") } == EINVAL)
    #expect(code { () throws(SystemError) in _ = try Directory.make(path: "") } == EINVAL)
    #expect(
      code { () throws(SystemError) in _ = try Directory.make(path: "/proc/nothing/here") } != nil
    )
  }

  @Test
  func aFileInADirectorysPlaceIsRefused() throws {
    try place.write("file")
    let directory = try place.open()
    #expect(
      code { () throws(SystemError) in _ = try directory.openDirectory("file", create: true) }
        == ENOTDIR
    )
    let path = place.path
    #expect(
      code { () throws(SystemError) in _ = try Directory.make(path: "\(path)/file/inner") }
        == ENOTDIR
    )
  }

  @Test
  func namesAreListedReplacedAndRemoved() throws {
    let directory = try place.open()
    #expect(try directory.names().isEmpty)
    try place.write("old", "old")
    try place.write("new", "new")
    place.link("link", to: "nothing")
    #expect(try directory.names().sorted() == ["link", "new", "old"])
    try directory.rename("new", to: "old")
    #expect(try directory.names().sorted() == ["link", "old"])
    #expect(try directory.openForReading("old").readAll(limit: 10) == Array("new".utf8))
    #expect(try directory.unlink("link"))
    #expect(try directory.unlink("old"))
    #expect(try !directory.unlink("old"))
    #expect(try directory.names().isEmpty)
    try directory.synchronize()
  }

  @Test
  func aNameIsGivenOnlyIfItIsFree() throws {
    try place.write("temporary", "new")
    try place.write("taken", "old")
    place.link("dangling", to: "nothing")
    let directory = try place.open()
    for name in ["taken", "dangling"] {
      #expect(
        code { () throws(SystemError) in try directory.link("temporary", as: name) } == EEXIST
      )
    }
    try directory.link("temporary", as: "free")
    #expect(try directory.openForReading("free").status().links == 2)
  }

  @Test
  func aFileIsRenamedOnlyToAFreeName() throws {
    try place.write("temporary", "new")
    try place.write("taken", "old")
    place.link("dangling", to: "nothing")
    let directory = try place.open()
    for name in ["taken", "dangling"] {
      #expect(
        code { () throws(SystemError) in try directory.rename("temporary", toNew: name) }
          == EEXIST
      )
    }
    try directory.rename("temporary", toNew: "free")
    #expect(try directory.names().sorted() == ["dangling", "free", "taken"])
    #expect(try directory.openForReading("taken").readAll(limit: 10) == Array("old".utf8))
    #expect(try directory.openForReading("free").readAll(limit: 10) == Array("new".utf8))
  }

  @Test
  func theFileSystemIsNamedByItsMagicNumber() throws {
    // statfs(2): PROC_SUPER_MAGIC
    #expect(try Directory(path: "/proc/\(ThisProcess.identifier)").fileSystemType() == 0x9fa0)
  }
}
