import System
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(10)))
struct StateDirectoryTests {
  @Test
  func itIsMadeOnlyForItsUser() throws {
    let scratch = try Scratch()
    let path = scratch.base + "/a/b/vault"
    let directory = try StateDirectory(path: path + "//")
    for name in ["", "/slots", "/tokens"] { #expect(try Files.mode(path + name) == 0o700) }
    #expect(try directory.root.names().sorted() == ["slots", "tokens"])
  }

  @Test
  func aSecondOpenIsRefusedUntilTheFirstIsClosed() throws {
    let scratch = try Scratch()
    do {
      let first = try scratch.open()
      #expect(throws: StorageError.inUse) { _ = try StateDirectory(path: scratch.path) }
      #expect(throws: StorageError.inUse) {
        _ = try StateDirectory(try Directory(path: scratch.path))
      }
      _ = first
    }
    _ = try scratch.open()
  }

  @Test
  func anotherProcessIsRefusedBeforeItTouchesAnything() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let report = try Report(scratch)
    _ = try run(Writer.path(), [scratch.path, "fresh"], output: report.descriptor.number)
    #expect(try report.lines() == ["error the vault is open in another process"])
    #expect(try directory.root.names().sorted() == ["slots", "tokens"])
  }

  @Test
  func theLockIsNotTheStartersOwn() throws {
    let scratch = try Scratch()
    _ = try scratch.open()
    let given = try Directory(path: scratch.path)
    do {
      let directory = try StateDirectory(given)
      #expect(try !given.descriptor.lockExclusively())
      withExtendedLifetime(directory) {}
    }
    #expect(try given.descriptor.lockExclusively())
  }

  /// A process that another thread forks has a duplicate of every descriptor, until its exec.
  @Test
  func theLockEndsWithTheObject() throws {
    let scratch = try Scratch()
    let duplicate: Descriptor
    do { duplicate = try scratch.open().root.descriptor.duplicate() }
    _ = try scratch.open()
    // The lock ends with an object that could not be made, too.
    try Files.chmod(scratch.path + "/slots", 0o777)
    #expect(throws: StorageError.unsafeFile("slots", .wrongMode(0o777))) { _ = try scratch.open() }
    try Files.chmod(scratch.path + "/slots", 0o700)
    _ = try scratch.open()
    #expect(duplicate.number >= 0)
  }

  @Test(arguments: ["", "/slots", "/tokens"])
  func aDirectoryThatOthersReachIsRefused(_ name: String) throws {
    let scratch = try Scratch()
    _ = try scratch.open()
    let path = scratch.path + name
    let shown = name.isEmpty ? "the state directory" : String(name.dropFirst())
    for mode: UInt32 in [0o750, 0o701, 0o770, 0o777, 0o1700, 0o500, 0o600] {
      try Files.chmod(path, mode)
      #expect(throws: StorageError.unsafeFile(shown, .wrongMode(mode))) { _ = try scratch.open() }
    }
    // mkdir(2) passes the set-group-ID bit on, which grants no access.
    try Files.chmod(path, 0o2700)
    _ = try scratch.open()
    try Files.chmod(path, 0o700)
    try Files.chown(path, 1)
    #expect(throws: StorageError.unsafeFile(shown, .wrongOwner(1))) { _ = try scratch.open() }
  }

  @Test(arguments: ["", "/slots", "/tokens"])
  func somethingElseInItsPlaceIsRefused(_ name: String) throws {
    let scratch = try Scratch()
    _ = try scratch.open()
    let path = scratch.path + name
    let shown = name.isEmpty ? scratch.path : String(name.dropFirst())
    let away = scratch.base + "/away"
    try Files.rename(path, away)
    try Files.symlink(away, path)
    #expect(throws: StorageError.self) { _ = try scratch.open() }
    #expect(throws: StorageError.self) { _ = try StateDirectory(path: scratch.path + name + "/") }
    #expect(try Files.mode(away) == 0o700)
    try Files.unlink(path)
    try Files.mkfifo(path, 0o700)
    #expect(throws: StorageError.unsafeFile(shown, .wrongType)) { _ = try scratch.open() }
    try Files.unlink(path)
    try Files.put([1], at: path)
    #expect(throws: StorageError.unsafeFile(shown, .wrongType)) { _ = try scratch.open() }
    #expect(try Files.contents(path) == [1])
  }

  @Test(arguments: ["", "vault", "./vault", "../vault"])
  func aRelativePathIsRefused(_ path: String) throws {
    #expect(throws: StorageError.unsafeFile(path, .notAbsolute)) {
      _ = try StateDirectory(path: path)
    }
  }

  @Test
  func filesFollowTheDirectoryAndNotItsPath() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let store = try Store(in: directory)
    let away = scratch.base + "/away"
    try Files.rename(scratch.path, away)
    try Files.mkdir(scratch.path, 0o700)
    try store.insert(sampleAccount())
    try store.checkpoint()
    try store.setMeta("key", to: [1])
    let decoy = try Directory(path: scratch.path)
    #expect(try decoy.names().isEmpty)
    #expect(try Files.contents(away + "/vault.db-wal").count > 0)
  }

  @Test
  func theLeavingsOfATokenAreRemoved() throws {
    let scratch = try Scratch()
    _ = try scratch.open()
    try Files.put(Array("half a token".utf8), at: scratch.path + "/tokens/.new")
    _ = try scratch.open()
    #expect(!Files.exists(scratch.path + "/tokens/.new"))
  }
}
