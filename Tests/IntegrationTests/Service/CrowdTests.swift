import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// The effect of many connections of one caller on the engine's memory, descriptors and time.
@Suite(.serialized)
struct CrowdTests {
  private static let status = Array(#"{"method":"io.thumblatch.Vault.GetStatus"}"#.utf8) + [0]

  private func openDescriptors(_ engine: EngineProcess) throws -> Int {
    try Directory(path: "/proc/\(engine.identifier)/fd").names().count
  }

  @Test
  func descriptorsThatComeAlongAreClosed() throws {
    let vault = try TestVault()
    let engine = try vault.start()
    try vault.connect().call(GetStatusCall())
    let before = try openDescriptors(engine)
    let passed = try Directory(path: "/")
    for _ in 0..<200 {
      let caller = try vault.connect()
      // One descriptor with each byte, all of them in flight at the same time.
      for byte in Self.status {
        _ = unsafe try withUnsafeBytes(of: byte) {
          unsafe try caller.socket.send($0, passing: passed.descriptor.number)
        }
      }
      #expect(try caller.result(of: GetStatusCall.self).process == Int(engine.identifier))
    }
    // A recently closed connection may still hold two descriptors.
    #expect(try eventually { try openDescriptors(engine) <= before + 4 })
  }

  @Test
  func anUnfinishedMessageHasTwoSeconds() throws {
    let vault = try TestVault()
    try vault.start()
    let slow = try vault.connect()
    let begun = BootInstant.now
    var hasEnded = false
    // A byte now and then does not extend the time limit.
    for byte in Self.status.dropLast() {
      guard try slow.send(bytes: [byte]) else {
        hasEnded = true
        break
      }
      if try slow.socket.waitReadable(milliseconds: 100) {
        hasEnded = try slow.reply() == nil
        break
      }
    }
    #expect(hasEnded)
    let took = BootInstant.now.nanoseconds - begun.nanoseconds
    #expect(took >= 1_900_000_000)
  }

  @Test
  func whoSendsAndNeverReadsIsNotWorkedForAndGetsAllOnceItReads() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    let engine = try vault.start()
    let other = try vault.connect()
    try other.register("me", at: backend)
    let token = try other.token()
    let caller = try vault.connect()
    try caller.socket.setNonblocking(true)
    let call =
      Array(
        #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me"}}"#.utf8
      ) + [0]
    // Send until the engine accepts no more: it answers as much as fits into the socket and its own
    // limit.
    var sent = 0
    while sent < 100_000 {
      let taken = unsafe try call.withUnsafeBytes { unsafe try caller.socket.send($0) }
      guard taken == call.count else {
        guard let taken else { break }
        try finish(caller.socket, call, after: taken)
        sent += 1
        break
      }
      sent += 1
    }
    #expect(sent < 100_000)
    #expect(try other.call(GetStatusCall()).process == Int(engine.identifier))
    try caller.socket.setNonblocking(false)
    for _ in 0..<sent {
      #expect(try caller.result(of: AccessTokenCall.self).accessToken == token)
    }
  }

  /// Sends the rest of a message while the engine reads nothing.
  ///
  /// It uses another thread, because this one reads.
  private func finish(_ socket: borrowing Descriptor, _ call: [UInt8], after taken: Int) throws {
    let copy = try socket.duplicate()
    let number = copy.relinquish()
    try startThread {
      let own = Descriptor(owning: number)
      var done = taken
      while done < call.count {
        let rest = Array(call[done...])
        let count = unsafe rest.withUnsafeBytes { unsafe (try? own.send($0)) ?? nil }
        if let count { done += count } else { _ = poll(nil, 0, 10) }
      }
    }
  }

  /// One connection takes two descriptors, so try an even and an odd number.
  @Test(arguments: [3, 4])
  func withoutDescriptorsTheEngineDoesNotSpinAndLosesNoCaller(_ left: Int) throws {
    let vault = try TestVault()
    let engine = try vault.start()
    let before = try vault.connect()
    try before.call(GetStatusCall())
    let most = try openDescriptors(engine) + left
    try shell("prlimit --pid \(engine.identifier) --nofile=\(most):")
    let waiting = try (0..<20).map { _ in try vault.connect() }
    try before.call(GetStatusCall())
    let used = try processorTicks(of: engine.identifier)
    // Nothing arrives in this time.
    _ = try before.socket.waitReadable(milliseconds: 2000)
    // 2 s are 200 ticks. A spinning loop would use nearly all of them.
    #expect(try processorTicks(of: engine.identifier) - used < 60)
    try shell("prlimit --pid \(engine.identifier) --nofile=1024:")
    for caller in waiting {
      #expect(try caller.call(GetStatusCall()).process == Int(engine.identifier))
    }
  }
}

extension Descriptor {
  /// Waits until the other side has closed.
  fileprivate func waitEnd() -> Bool {
    ((try? waitReadable(milliseconds: 60_000)) ?? false) && ((try? hasEnded()) ?? true)
  }
}

/// Clock ticks that a process has used, in user and system mode (proc(5), /proc/PID/stat).
func processorTicks(of process: Int32) throws -> Int {
  let bytes = try Directory(path: "/proc/\(process)").openForReading("stat").readAll(limit: 4096)
  let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")")[1]
    .split(separator: " ")
  return try #require(Int(fields[11])) + #require(Int(fields[12]))
}
