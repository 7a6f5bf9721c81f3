import Glibc
import System
import TestSupport
import Testing

@Suite
struct SocketTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
  }

  /// A directory whose path is longer than a socket's address may be (unix(7): 108 bytes).
  private func deep() throws -> Directory {
    let parts = (0..<5).map { _ in String(repeating: "d", count: 60) }
    return try Directory.make(path: place.path + "/" + parts.joined(separator: "/"))
  }

  private func receive(
    _ socket: borrowing Descriptor,
    count: Int = 100
  ) throws -> (bytes: [UInt8], descriptor: Int32?)? {
    var buffer = [UInt8](repeating: 0, count: count)
    var received = false
    var got = 0
    var number: Int32?
    unsafe try buffer.withUnsafeMutableBytes { buffer in
      guard let result = unsafe try socket.receive(into: buffer) else { return }
      received = true
      got = result.count
      number = result.takeDescriptor()?.relinquish()
    }
    return received ? (Array(buffer.prefix(got)), number) : nil
  }

  private func send(
    _ socket: borrowing Descriptor,
    _ text: String,
    passing descriptor: Int32 = -1
  ) throws -> Int? {
    unsafe try [UInt8](text.utf8).withUnsafeBytes { buffer in
      unsafe try socket.send(buffer, passing: descriptor)
    }
  }

  @Test
  func theWaitForAFullServerEnds() throws {
    let directory = try deep()
    let listener = try UnixSocket.listen(in: directory, name: "engine", backlog: 0)
    var waiting: [Int32] = []
    defer { for number in waiting { close(number) } }
    // The queue accepts one more than its length (listen(2)).
    while waiting.count < 10 {
      do throws(SystemError) {
        let socket = try UnixSocket.connect(in: directory, name: "engine", seconds: 1)
        waiting.append(socket.relinquish())
      } catch {
        #expect(error.code == EAGAIN)
        break
      }
    }
    #expect((1...2).contains(waiting.count))
    #expect(try UnixSocket.accept(on: listener) != nil)
    // With room again it is served, and sending has no time limit of its own.
    waiting.append(try UnixSocket.connect(in: directory, name: "engine").relinquish())
  }

  @Test
  func aPathOfAnyLengthCanBeListenedOn() throws {
    let directory = try deep()
    let listener = try UnixSocket.listen(in: directory, name: "engine")
    let none = try UnixSocket.accept(on: listener) == nil
    #expect(none)
    let client = try UnixSocket.connect(in: directory, name: "engine")
    let server = try #require(try UnixSocket.accept(on: listener)?.relinquish())
    let peer = Descriptor(owning: server)
    #expect(try send(client, "hello") == 5)
    #expect(try receive(peer)?.bytes == Array("hello".utf8))
    #expect(try receive(peer) == nil, "nothing more waits, and the reader is not held")
    #expect(try !peer.hasEnded())
    _ = consume client
    let hasEnded = try eventually { try peer.hasEnded() }
    #expect(hasEnded)
    #expect(try receive(peer)?.bytes == [])
  }

  @Test
  func theSocketIsOnlyForItsOwner() throws {
    let directory = try place.open()
    _ = try UnixSocket.listen(in: directory, name: "engine")
    var status = stat()
    #expect(unsafe lstat("\(place.path)/engine", &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600 && status.st_mode & S_IFMT == S_IFSOCK)
  }

  @Test
  func aNameIsTakenOnce() throws {
    let directory = try place.open()
    let listener = try UnixSocket.listen(in: directory, name: "engine")
    #expect(
      code { () throws(SystemError) in _ = try UnixSocket.listen(in: directory, name: "engine") }
        == EADDRINUSE
    )
    _ = consume listener
    let isRefused = eventually {
      code { () throws(SystemError) in _ = try UnixSocket.connect(in: directory, name: "engine") }
        == ECONNREFUSED
    }
    #expect(isRefused)
    #expect(
      code { () throws(SystemError) in _ = try UnixSocket.connect(in: directory, name: "other") }
        == ENOENT
    )
    let long = String(repeating: "n", count: 100)
    #expect(
      code { () throws(SystemError) in _ = try UnixSocket.listen(in: directory, name: long) }
        == ENAMETOOLONG
    )
  }

  @Test
  func thePeerIsKnownByTheKernel() throws {
    let directory = try place.open()
    let listener = try UnixSocket.listen(in: directory, name: "engine")
    let client = try UnixSocket.connect(in: directory, name: "engine")
    let server = Descriptor(
      owning: try #require(try UnixSocket.accept(on: listener)?.relinquish())
    )
    let us = PeerCredentials(process: getpid(), user: geteuid(), group: getegid())
    #expect(try server.peerCredentials() == us)
    #expect(try client.peerCredentials() == us)
    let handle = try ProcessHandle(peerOf: server, us)
    #expect(handle.isAlive == true && handle.identifier == getpid())
  }

  @Test
  func aNumberThatIsAnothersNowIsNoPeer() throws {
    let us = PeerCredentials(process: getpid(), user: geteuid(), group: getegid())
    let handle = try ProcessHandle(numberOf: us)
    #expect(handle.isAlive == true)
    let other = PeerCredentials(process: getpid(), user: geteuid() + 1, group: getegid())
    #expect(throws: SystemError.self) { _ = try ProcessHandle(numberOf: other) }
    let child = try ChildProcess(
      path: "/bin/true",
      arguments: [],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    let held = try ProcessHandle(identifier: child.identifier)
    let hasEnded = held.waitForEnd(milliseconds: 60_000)
    try #require(hasEnded)
    // The child has not been waited for, so its number is still its own.
    let ended = PeerCredentials(process: child.identifier, user: geteuid(), group: getegid())
    #expect(throws: SystemError.self) { _ = try ProcessHandle(numberOf: ended) }
    _ = try child.wait()
  }

  @Test
  func aDescriptorGoesAlongWithTheBytes() throws {
    let (first, second) = try UnixSocket.pair()
    let sender = Descriptor(owning: first)
    let receiver = Descriptor(owning: second)
    try place.write("file", "passed")
    let file = try place.open().openForReading("file")
    #expect(try send(sender, "with", passing: file.number) == 4)
    let got = try #require(try receive(receiver))
    #expect(got.bytes == Array("with".utf8))
    let passed = Descriptor(owning: try #require(got.descriptor))
    #expect(fcntl(passed.number, F_GETFD) & FD_CLOEXEC != 0)
    #expect(try passed.readAll(limit: 10) == Array("passed".utf8))
    #expect(try passed.status().inode == file.status().inode)
    #expect(try send(sender, "without") == 7)
    let bare = try #require(try receive(receiver))
    #expect(bare.bytes == Array("without".utf8) && bare.descriptor == nil)
  }

  @Test(arguments: [2, 3, 4, 5, 100, 253])
  func severalDescriptorsAreRefusedAndAllAreClosed(count: Int) throws {
    let (first, second) = try UnixSocket.pair()
    let sender = Descriptor(owning: first)
    let receiver = Descriptor(owning: second)
    let (watch, passed) = try UnixSocket.pair()
    let watcher = Descriptor(owning: watch)
    do {
      let end = Descriptor(owning: passed)
      #expect(sendMany([Int32](repeating: end.number, count: count), over: sender.number) == 1)
    }
    #expect(try !watcher.hasEnded(), "they are on their way")
    #expect(code { () throws(SystemError) in try receiveOnce(receiver) } == EPROTO)
    let isClosed = try eventually { try watcher.hasEnded() }
    #expect(isClosed, "no copy is left")
  }

  @Test
  func aFullSocketDoesNotHoldTheWriter() throws {
    let (first, second) = try UnixSocket.pair()
    let sender = Descriptor(owning: first)
    let receiver = Descriptor(owning: second)
    try sender.setNonblocking(true)
    let chunk = String(repeating: "x", count: 65_536)
    var sent = 0
    while let count = try send(sender, chunk) { sent += count }
    #expect(sent > 0)
    try receiver.setNonblocking(true)
    var got = 0
    while let part = try receive(receiver, count: 65_536) { got += part.bytes.count }
    #expect(got == sent)
  }

  @Test
  func aClosedSocketIsAnErrorAndEndsNoProcess() async {
    await #expect(processExitsWith: .success) {
      // Tests ignore SIGPIPE (closedpipes.c). send(2) does not raise it at all: MSG_NOSIGNAL.
      signal(SIGPIPE, SIG_DFL)
      let (first, second) = try UnixSocket.pair()
      let sender = Descriptor(owning: first)
      do { _ = Descriptor(owning: second) }
      let bytes = [UInt8]("x".utf8)
      let error = code { () throws(SystemError) in
        _ = unsafe try bytes.span.withUnsafeBytes { buffer throws(SystemError) in
          unsafe try sender.send(buffer)
        }
      }
      #expect(error == EPIPE)
    }
  }

  @Test
  func shuttingDownWakesAReader() async throws {
    let (first, second) = try UnixSocket.pair()
    let reader = Descriptor(owning: first)
    let other = Descriptor(owning: second)
    let copy = try reader.duplicate().relinquish()
    try startThread { Descriptor(owning: copy).shutDown() }
    #expect(try reader.readAll(limit: 1).isEmpty)
    #expect(try other.readAll(limit: 1).isEmpty)
  }

  private func receiveOnce(_ socket: borrowing Descriptor) throws(SystemError) {
    var byte: (UInt64, UInt64) = (0, 0)
    try unsafe withUnsafeMutableBytes(of: &byte) { buffer throws(SystemError) in
      _ = unsafe try socket.receive(into: buffer)
    }
  }

  /// Sends one byte with all the given descriptors (cmsg(3)).
  ///
  /// The project's own sender passes at most one.
  private func sendMany(_ descriptors: [Int32], over socket: Int32) -> Int {
    let count = MemoryLayout<cmsghdr>.size + descriptors.count * 4
    let control = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 8, alignment: 8)
    defer { unsafe control.deallocate() }
    unsafe control.initializeMemory(as: UInt8.self, repeating: 0)
    var header = cmsghdr()
    header.cmsg_len = count
    header.cmsg_level = SOL_SOCKET
    header.cmsg_type = Int32(SCM_RIGHTS)
    unsafe control.storeBytes(of: header, as: cmsghdr.self)
    for (index, number) in descriptors.enumerated() {
      unsafe control.storeBytes(
        of: number,
        toByteOffset: MemoryLayout<cmsghdr>.size + index * 4,
        as: Int32.self
      )
    }
    var byte: UInt8 = 1
    return unsafe withUnsafeMutablePointer(to: &byte) { byte in
      var part = unsafe iovec(iov_base: byte, iov_len: 1)
      return unsafe withUnsafeMutablePointer(to: &part) { part in
        var message = unsafe msghdr()
        unsafe message.msg_iov = part
        unsafe message.msg_iovlen = 1
        unsafe message.msg_control = control.baseAddress
        unsafe message.msg_controllen = (count + 7) / 8 * 8
        return unsafe sendmsg(socket, &message, 0)
      }
    }
  }
}
