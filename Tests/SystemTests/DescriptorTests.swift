import Glibc
import System
import TestSupport
import Testing

@Suite
struct DescriptorTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
  }

  private func bytes(_ file: borrowing Descriptor, at offset: Int, count: Int) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = unsafe try buffer.withUnsafeMutableBytes { buffer in
      unsafe try file.read(into: buffer, at: offset)
    }
    return Array(buffer.prefix(got))
  }

  @Test
  func whatIsWrittenAtAnOffsetIsReadThere() throws {
    let file = try place.open().create("file")
    unsafe try [UInt8]("middle".utf8).withUnsafeBytes { unsafe try file.write($0, at: 4) }
    #expect(try file.status().size == 10)
    #expect(try bytes(file, at: 0, count: 100) == [0, 0, 0, 0] + Array("middle".utf8))
    #expect(try bytes(file, at: 6, count: 2) == Array("dd".utf8))
    #expect(try bytes(file, at: 10, count: 5).isEmpty)
    try file.synchronizeData()
    try file.synchronize()
  }

  @Test
  func readingToTheEndStopsAtTheLimit() throws {
    try place.write("file", String(repeating: "x", count: 20_000))
    let directory = try place.open()
    #expect(try directory.openForReading("file").readAll(limit: 20_000).count == 20_000)
    #expect(
      code { () throws(SystemError) in
        _ = try directory.openForReading("file").readAll(limit: 19_999)
      } == EFBIG
    )
  }

  @Test
  func aDescriptorIsClosedWithItsOwnerUnlessGivenAway() throws {
    let (first, second) = try UnixSocket.pair()
    let kept = Descriptor(owning: second)
    do { _ = Descriptor(owning: first) }
    #expect(try kept.waitReadable(milliseconds: 60_000), "the other end is closed")
    let (third, fourth) = try UnixSocket.pair()
    let open = Descriptor(owning: fourth)
    let number = Descriptor(owning: third).relinquish()
    #expect(try !open.waitReadable(milliseconds: 0))
    _ = Descriptor(owning: number)
    #expect(try open.waitReadable(milliseconds: 60_000))
  }

  @Test
  func waitingEndsWhenThereIsSomethingToRead() throws {
    let (first, second) = try UnixSocket.pair()
    let reader = Descriptor(owning: first)
    let writer = Descriptor(owning: second)
    let before = BootInstant.now
    #expect(try !reader.waitReadable(milliseconds: 30))
    #expect(BootInstant.now.nanoseconds - before.nanoseconds >= 30_000_000)
    try writer.write("x")
    #expect(try reader.waitReadable(milliseconds: -1))
    #expect(try reader.waitReadable(milliseconds: 60_000))
  }

  @Test
  func anUnreadableDescriptorIsAnErrorAndNotTheEnd() throws {
    let directory = try place.open()
    #expect(
      code { () throws(SystemError) in _ = try directory.descriptor.readAll(limit: 1) } == EISDIR
    )
    try place.write("file")
    let reading = try directory.openForReading("file")
    #expect(code { () throws(SystemError) in try reading.write("x") } == EBADF)
  }

  @Test
  func nothingThatIsOpenedIsInherited() throws {
    let directory = try place.open()
    let file = try directory.create("file")
    let copy = try file.duplicate()
    let (first, second) = try UnixSocket.pair()
    let left = Descriptor(owning: first)
    let right = Descriptor(owning: second)
    let listener = try UnixSocket.listen(in: directory, name: "socket")
    for number in [
      directory.descriptor.number, file.number, copy.number, left.number, right.number,
      listener.number,
    ] {
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    }
  }

  @Test
  func errorsNameTheCallAndTheFile() {
    let error = SystemError("openat", code: ENOENT, subject: "secret")
    #expect(error.description == "openat secret: No such file or directory")
    #expect(SystemError("fsync", code: EIO).description == "fsync: Input/output error")
    #expect(SystemError("x", code: 99_999).description.hasPrefix("x: "))
  }
}

@Suite
struct LockTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    try place.write("lock")
  }

  private func isFree() throws -> Bool {
    try place.open().openForWriting("lock").lockExclusively()
  }

  /// Whether another program gets the lock (flock(1)).
  private func isFreeForOthers() throws -> Bool {
    try output(of: "/usr/bin/flock", ["-n", "\(place.path)/lock", "-c", "true"]).end == .exited(0)
  }

  @Test
  func oneHolderAtATime() throws {
    do {
      let holder = try place.open().openForWriting("lock")
      #expect(try holder.lockExclusively())
      #expect(try holder.lockExclusively(), "taking it again changes nothing")
      #expect(try !isFree())
      #expect(try !isFreeForOthers())
    }
    #expect(try eventually(isFree))
    #expect(try eventually(isFreeForOthers))
  }

  @Test
  func theLockEndsWithTheLastDuplicate() throws {
    let copy: Descriptor
    do {
      let holder = try place.open().openForWriting("lock")
      #expect(try holder.lockExclusively())
      copy = try holder.duplicate()
      #expect(try copy.lockExclusively(), "a duplicate is the same holder")
    }
    #expect(try !isFree())
    _ = consume copy
    #expect(try eventually(isFree))
  }

  @Test
  func unlockingEndsTheLockOfEveryDuplicate() throws {
    let holder = try place.open().openForWriting("lock")
    holder.unlock()
    #expect(try holder.lockExclusively())
    let copy = try holder.duplicate()
    holder.unlock()
    #expect(try eventually(isFree))
    #expect(try eventually(isFreeForOthers))
    #expect(copy.number >= 0)
  }

  @Test
  func aChildKeepsTheLockThatItWasGiven() throws {
    let (mine, its) = try UnixSocket.pair()
    let input = Descriptor(owning: mine)
    let child: ChildProcess
    do {
      let holder = try place.open().openForWriting("lock")
      #expect(try holder.lockExclusively())
      let end = Descriptor(owning: its)
      child = try ChildProcess(
        path: "/bin/cat",
        arguments: [],
        environment: [],
        descriptors: [end.number, -1, -1, holder.number]
      )
    }
    // This process no longer has it.
    #expect(try !isFree())
    #expect(try !isFreeForOthers())
    input.shutDown()
    #expect(try child.wait() == .exited(0))
    #expect(try eventually(isFree))
  }

  @Test
  func aKilledChildGivesTheLockBack() throws {
    let child: ChildProcess
    do {
      let holder = try place.open().openForWriting("lock")
      #expect(try holder.lockExclusively())
      child = try ChildProcess(
        path: "/bin/sleep",
        arguments: ["60"],
        environment: [],
        descriptors: [-1, -1, -1, holder.number]
      )
    }
    #expect(try !isFree())
    child.kill()
    #expect(try child.wait() == .signalled(SIGKILL))
    #expect(try eventually(isFree))
  }

  @Test
  func aDirectorysOwnDescriptorCanBeLocked() throws {
    let holder = try place.open()
    #expect(try holder.descriptor.lockExclusively())
    #expect(try !place.open().descriptor.lockExclusively())
  }

  @Test
  func aClosedPipeIsAnErrorAndNotTheEndOfAllTests() throws {
    let (first, second) = try UnixSocket.pair()
    let writer = Descriptor(owning: first)
    do { _ = Descriptor(owning: second) }
    #expect(code { () throws(SystemError) in try writer.write("x") } == EPIPE)
  }
}
