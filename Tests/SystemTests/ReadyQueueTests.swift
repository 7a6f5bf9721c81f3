import Glibc
import System
import Testing

@Suite
struct ReadyQueueTests {
  @Test
  func whatIsReadyIsNamedByItsToken() throws {
    let queue = try ReadyQueue()
    let (first, second) = try UnixSocket.pair()
    let reader = Descriptor(owning: first)
    let writer = Descriptor(owning: second)
    try queue.add(reader, token: 7)
    #expect(try queue.wait(milliseconds: 0).isEmpty)
    try writer.write("x")
    let ready = ReadyQueue.Ready.self
    let readable = try queue.wait(milliseconds: 60_000)
    #expect(readable.count == 1 && type(of: readable[0]) == ready)
    #expect(readable[0].token == 7 && readable[0].isReadable && !readable[0].isWritable)
    try queue.change(reader, token: 8, readable: false, writable: true)
    let writable = try queue.wait(milliseconds: 60_000)
    #expect(writable.map(\.token) == [8] && writable[0].isWritable && !writable[0].isReadable)
    queue.remove(reader)
    #expect(try queue.wait(milliseconds: 0).isEmpty)
  }

  @Test
  func aClosedPeerIsReadable() throws {
    let queue = try ReadyQueue()
    let (first, second) = try UnixSocket.pair()
    let reader = Descriptor(owning: first)
    try queue.add(reader, token: 1)
    do { _ = Descriptor(owning: second) }
    #expect(try queue.wait(milliseconds: 60_000).first?.isReadable == true)
  }

  @Test
  func aPeerThatHasGoneIsToldWhateverIsWatchedFor() throws {
    let queue = try ReadyQueue()
    let (first, second) = try UnixSocket.pair()
    let reader = Descriptor(owning: first)
    let writer = Descriptor(owning: second)
    try queue.add(reader, token: 1)
    try writer.write("x")
    #expect(try queue.wait(milliseconds: 60_000).map(\.hasHungUp) == [false])
    try queue.change(reader, token: 1, readable: false, writable: false)
    #expect(try queue.wait(milliseconds: 0).isEmpty)
    do { _ = consume writer }
    #expect(try queue.wait(milliseconds: 60_000).map(\.hasHungUp) == [true])
  }

  @Test
  func anotherThreadWakesAWaiter() throws {
    let queue = try ReadyQueue()
    try startThread { queue.wakeUp() }
    #expect(try queue.wait(milliseconds: 60_000).isEmpty)
    #expect(try queue.wait(milliseconds: 0).isEmpty, "one call wakes once")
  }

  @Test
  func terminationSignalsCanBeRead() async {
    await #expect(processExitsWith: .success) {
      let signals = try TerminationSignals()
      #expect(try !signals.descriptor.waitReadable(milliseconds: 0))
      // Blocked in every thread that was started since, and in this one.
      pthread_kill(pthread_self(), SIGTERM)
      #expect(try signals.descriptor.waitReadable(milliseconds: 60_000))
    }
  }
}

@Suite
struct InstalledProgramTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    try place.write("program")
  }

  private func flaw(_ directories: [String]) -> InstalledProgram.Flaw? {
    do throws(InstalledProgram.Flaw) {
      _ = try InstalledProgram("program", directories: directories)
      return nil
    } catch {
      return error
    }
  }

  private func isUnsafe(_ directories: [String]) -> Bool {
    if case .unsafe = flaw(directories) { return true }
    return false
  }

  @Test
  func aProgramIsFoundInTheFirstDirectoryThatHasIt() throws {
    let program = try InstalledProgram("program", directories: ["/nothing", "/etc", place.path])
    #expect(program.path == "\(place.path)/program")
    #expect(
      flaw(["/nothing", "/etc"]) == .missing(name: "program", directories: ["/nothing", "/etc"])
    )
  }

  @Test
  func anAppLooksBesideItselfInItsPrefixAndWhereProgramsAreInstalled() {
    #expect(
      InstalledProgram.directories(around: "/opt/app/bin", home: "/home/ada") == [
        "/opt/app/bin", "/opt/app/libexec/thumblatch", "/usr/libexec/thumblatch",
        "/usr/local/libexec/thumblatch", "/home/ada/.local/libexec/thumblatch",
      ]
    )
    let everywhere = ["/usr/libexec/thumblatch", "/usr/local/libexec/thumblatch"]
    #expect(InstalledProgram.directories(around: nil, home: "relative") == everywhere)
    #expect(
      InstalledProgram.directories(around: "/usr/bin", home: nil) == ["/usr/bin"] + everywhere
    )
  }

  @Test(arguments: [0o620, 0o602, 0o666])
  func aProgramThatOthersMayWriteIsNotUsed(mode: UInt32) {
    unsafe chmod("\(place.path)/program", mode)
    #expect(isUnsafe([place.path]))
    // Nor is the next one used instead.
    #expect(isUnsafe([place.path, "/usr/bin"]))
    unsafe chmod("\(place.path)/program", 0o600)
    #expect(flaw([place.path]) == nil)
  }

  @Test(arguments: [0o770, 0o707])
  func aDirectoryThatOthersMayWriteIsNotUsed(mode: UInt32) {
    unsafe chmod(place.path, mode)
    #expect(isUnsafe([place.path]))
    unsafe chmod(place.path, 0o700)
  }

  @Test
  func aLinkOrADirectoryIsNoProgram() throws {
    let directory = try place.open()
    try directory.unlink("program")
    place.link("program", to: "/bin/true")
    #expect(isUnsafe([place.path]))
    try directory.unlink("program")
    _ = try directory.openDirectory("program", create: true)
    #expect(isUnsafe([place.path]))
  }
}
