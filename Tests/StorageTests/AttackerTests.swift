import Glibc
import Synchronization
import System
import Testing
import TokenFile

@testable import Storage

/// An attacker swaps a file of the vault for links, FIFOs and directories while it is used.
///
/// Hard links that stay are tested by `PlantedFileTests`. A hard link that is removed between the
/// open and the count of names is not noticed (of 10,000 attempts some passed). In a directory of
/// mode 0700 only the owner of both files can do that.
@Suite(.timeLimit(.minutes(10)))
struct AttackerTests {
  /// A thread that replaces a file with other objects in turn, until it is told to end.
  private final class Attacker: Sendable {
    let path: String
    let outside: String
    let rounds = Atomic(0)
    private let ended = Atomic(false)
    private let left = Atomic(false)

    init(path: String, outside: String) {
      self.path = path
      self.outside = outside
    }

    func start() throws {
      var thread = pthread_t()
      let argument = unsafe Unmanaged.passRetained(self).toOpaque()
      let status = unsafe pthread_create(
        &thread,
        nil,
        { argument in
          guard let argument = unsafe argument else { return nil }
          unsafe Unmanaged<Attacker>.fromOpaque(argument).takeRetainedValue().attack()
          return nil
        },
        argument
      )
      guard status == 0 else { throw SystemError("pthread_create", code: status) }
      _ = pthread_detach(thread)
    }

    /// Ends the thread, and returns when it has stopped changing files.
    func stop() {
      ended.store(true, ordering: .releasing)
      while !left.load(ordering: .acquiring) { sched_yield() }
    }

    private func attack() {
      while !ended.load(ordering: .acquiring) {
        let plants: [() throws -> Void] = [
          { try Files.symlink(self.outside, self.path) },
          { try Files.mkfifo(self.path, 0o600) },
          { try Files.mkdir(self.path, 0o700) },
          { try Files.put([1, 2, 3], at: self.path) },
        ]
        for plant in plants {
          if (try? Files.unlink(path)) == nil { _ = unsafe rmdir(path) }
          _ = try? plant()
          sched_yield()
        }
        rounds.add(1, ordering: .relaxed)
      }
      left.store(true, ordering: .releasing)
    }
  }

  @Test
  func aSwappedTokenFileLeadsNowhere() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let outside = scratch.base + "/outside"
    let others = try sampleToken("of-someone-else").encoded()
    try Files.put(others, at: outside)
    let token = try sampleToken()
    let attacker = Attacker(path: scratch.path + "/tokens/me", outside: outside)
    try attacker.start()
    var foreign = 0
    var operations = 0
    while operations < 5_000 || attacker.rounds.load(ordering: .relaxed) < 500 {
      operations += 1
      _ = try? TokenFiles.write(token, account: "me", in: directory)
      if let read = try? TokenFiles.read(account: "me", in: directory), read != token {
        foreign += 1
      }
      _ = try? TokenFiles.remove(account: "me", in: directory)
    }
    attacker.stop()
    #expect(foreign == 0)
    #expect(try Files.contents(outside) == others)
  }

  @Test
  func aSwappedSlotLeadsNowhere() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let outside = scratch.base + "/outside"
    let others = [UInt8](repeating: 0x4f, count: SlotFile.size)
    try Files.put(others, at: outside)
    let path = scratch.path + "/slots/" + Hexadecimal.text(accountID)
    let attacker = Attacker(path: path, outside: outside)
    try attacker.start()
    var operations = 0
    while operations < 5_000 || attacker.rounds.load(ordering: .relaxed) < 500 {
      operations += 1
      if let slot = try? SlotFile(in: directory, account: accountID) { _ = try? slot.zero() }
    }
    attacker.stop()
    let untouched = try Files.contents(outside) == others
    #expect(untouched)
  }
}
