import Synchronization
import System
import TestSupport
import Testing

@testable import VaultServer

@Suite
struct UserNameCacheTests {
  /// A list of users that answers when the test says so, and counts its queries.
  private final class Users: Sendable {
    let names = Mutex<[UInt32: String]>([1: "ada", 2: "bob"])
    let looks = Atomic(0)
    let begun: WakeEvent
    let goOn: WakeEvent

    init() throws {
      begun = try WakeEvent()
      goOn = try WakeEvent()
    }

    func look(_ user: UInt32) -> String? {
      looks.add(1, ordering: .relaxed)
      if user == 1 {
        begun.signal()
        _ = try? goOn.descriptor.waitReadable(milliseconds: 60_000)
      }
      return names.withLock { $0[user] }
    }
  }

  @Test
  func whoAsksDuringALookSharesTheNextOneWithAllOthers() async throws {
    let users = try Users()
    let names = UserNameCache { users.look($0) }
    let first = Task { try await names.name(of: 1) }
    _ = try users.begun.descriptor.waitReadable(milliseconds: 60_000)
    // A database that hangs for one user affects only that user.
    #expect(try await names.name(of: 2) == "bob")
    users.names.withLock { $0[1] = "eve" }
    let others = (0..<50).map { _ in Task { try await names.name(of: 1) } }
    while names.askers(of: 1) < others.count { await Task.yield() }
    users.goOn.signal()
    // A lookup that began before their request does not count for them.
    _ = try await first.value
    for other in others { #expect(try await other.value == "eve") }
    #expect(users.looks.load(ordering: .relaxed) == 3)
    users.names.withLock { $0[1] = nil }
    #expect(try await names.name(of: 1) == nil)
    #expect(users.looks.load(ordering: .relaxed) == 4)
  }

  /// A cache with a test file in place of the machine's list of users.
  private func names(
    _ users: Users,
    in scratch: ScratchDirectory,
    for seconds: Int64
  ) throws -> UserNameCache {
    try put("1", in: scratch)
    return UserNameCache(
      by: { users.look($0) },
      list: { try? scratch.open().stamp("passwd") },
      for: seconds
    )
  }

  /// Replaces the file, as usermod(8) and similar programs do.
  private func put(_ text: String, in scratch: ScratchDirectory) throws {
    let directory = try scratch.open()
    try directory.create("new").write(text)
    try directory.rename("new", to: "passwd")
  }

  @Test
  func aNameThatWasJustFoundHoldsUntilTheListOfUsersChanges() async throws {
    let users = try Users()
    let scratch = try ScratchDirectory()
    let names = try names(users, in: scratch, for: 3600)
    #expect(names.recent(of: 2) == nil)
    #expect(try await names.name(of: 2) == "bob")
    for _ in 0..<3 { #expect(names.recent(of: 2)?.name == "bob") }
    // Another user's name was not looked up.
    #expect(names.recent(of: 1) == nil)
    // Even if the file has the same length, and the same line for this user.
    try put("2", in: scratch)
    #expect(names.recent(of: 2) == nil)
    #expect(try await names.name(of: 2) == "bob")
    #expect(names.recent(of: 2)?.name == "bob")
    // A user that no longer has a name has none in the cache either.
    users.names.withLock { $0[2] = nil }
    #expect(try await names.name(of: 2) == nil)
    #expect(names.recent(of: 2) == nil)
    // A list that cannot be distinguished from another one is valid for no user.
    users.names.withLock { $0[2] = "bob" }
    _ = try scratch.open().unlink("passwd")
    #expect(try await names.name(of: 2) == "bob")
    #expect(names.recent(of: 2) == nil)
  }

  @Test
  func aNameThatWasFoundLongerAgoIsLookedUpAgain() async throws {
    let users = try Users()
    let scratch = try ScratchDirectory()
    let names = try names(users, in: scratch, for: 0)
    #expect(try await names.name(of: 2) == "bob")
    #expect(names.recent(of: 2) == nil)
  }
}
