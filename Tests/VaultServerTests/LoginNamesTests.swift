import Synchronization
import System
import TestSupport
import Testing

@testable import VaultServer

@Suite
struct LoginNamesTests {
  /// A list of users that answers when it is told to, and counts how often it was asked.
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
    let names = LoginNames { users.look($0) }
    let first = Task { try await names.name(of: 1) }
    _ = try users.begun.descriptor.waitReadable(milliseconds: 60_000)
    // One database that hangs is the affair of those whom it is asked about.
    #expect(try await names.name(of: 2) == "bob")
    users.names.withLock { $0[1] = "eve" }
    let others = (0..<50).map { _ in Task { try await names.name(of: 1) } }
    while names.askers(of: 1) < others.count { await Task.yield() }
    users.goOn.signal()
    // What was looked up before they asked is none of theirs.
    _ = try await first.value
    for other in others { #expect(try await other.value == "eve") }
    #expect(users.looks.load(ordering: .relaxed) == 3)
    users.names.withLock { $0[1] = nil }
    #expect(try await names.name(of: 1) == nil)
    #expect(users.looks.load(ordering: .relaxed) == 4)
  }

  /// With a file that stands for the machine's list of users.
  private func names(
    _ users: Users,
    in scratch: ScratchDirectory,
    for seconds: Int64
  ) throws -> LoginNames {
    try put("1", in: scratch)
    return LoginNames(
      by: { users.look($0) },
      list: { try? scratch.open().stamp("passwd") },
      for: seconds
    )
  }

  /// As usermod(8) and its like do.
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
    // Another one's was not looked up.
    #expect(names.recent(of: 1) == nil)
    // Even where it is as long as it was, and says the same of this one.
    try put("2", in: scratch)
    #expect(names.recent(of: 2) == nil)
    #expect(try await names.name(of: 2) == "bob")
    #expect(names.recent(of: 2)?.name == "bob")
    // One who has no name any more has none at hand either.
    users.names.withLock { $0[2] = nil }
    #expect(try await names.name(of: 2) == nil)
    #expect(names.recent(of: 2) == nil)
    // A list that cannot be told from another one holds for nobody.
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
