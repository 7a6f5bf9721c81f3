import System
import TestSupport
import Testing

@testable import VaultServer

/// The classification of uids: people, and strangers that share one budget.
@Suite
struct UserKindsTests {
  private static let file = """
    ada:100000:65536
    bob:165536:65536
    # a comment
    eve:200000:10
    root:1000000:1000000000
    0:3000000000:10
    carl:1000:1
    1001:1001:1
    ada:150000:200000
    x
    :300000:5
    y:300000:
    y:300000:-5
    y:4294967290:100
    y:99999999999:1
    z:400000:0
    """

  private let ranges = SubordinateRanges(Array(file.utf8))

  @Test
  func aRangeHasAllItsUids() {
    for user: UInt32 in [100_000, 165_535, 165_536, 231_071, 200_005, 250_000, 349_999] {
      #expect(ranges.isSubordinate(user) && !ranges.mayBeOwn(user), "\(user)")
    }
    for user: UInt32 in [0, 1, 999, 1002, 99_999, 350_000, 400_000, 524_288, .max] {
      #expect(!ranges.isSubordinate(user), "\(user)")
    }
  }

  @Test
  func rangesThatOverlapAreAllLookedAt() {
    var lines = (0..<500).map { "a\($0):\(1_000_000 + $0 * 10):10" }
    lines.append("b:900000:200000")
    let ranges = SubordinateRanges(Array(lines.joined(separator: "\n").utf8))
    for user: UInt32 in [900_000, 1_000_000, 1_004_999, 1_005_000, 1_099_999] {
      #expect(ranges.isSubordinate(user), "\(user)")
    }
    #expect(!ranges.isSubordinate(899_999) && !ranges.isSubordinate(1_100_000))
  }

  /// Some guides for containers have a line of a user's own uid.
  @Test
  func aUserOwnUidIsNoSubordinateOne() {
    #expect(ranges.isSubordinate(1000) && ranges.mayBeOwn(1000))
    #expect(!ranges.isSubordinate(1000, named: "carl") && ranges.isSubordinate(1000, named: "dora"))
    #expect(!ranges.isSubordinate(1001, named: "anybody"))
    #expect(ranges.isSubordinate(100_005, named: "dora"))
  }

  @Test
  func containersHaveWhatRootGivesOutAndTheirOwnRanges() {
    for user: UInt32 in [524_288, 1_879_048_191, 2_147_352_576, 1_000_000, 3_000_000_009] {
      #expect(ranges.isForContainers(user) && !ranges.isSubordinate(user), "\(user)")
    }
    for user: UInt32 in [0, 1000, 100_000, 524_287, 2_147_352_575, 3_000_000_010] {
      #expect(!ranges.isForContainers(user), "\(user)")
    }
  }

  @Test
  func noFileAndALongOneAreRead() {
    #expect(!SubordinateRanges().isSubordinate(100_000))
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20)
    #expect(!SubordinateRanges(long).isSubordinate(100_000))
  }

  @Test
  func whatANamespaceMapsIsToldApart() throws {
    #expect(ProcessFacts.seesAllUsers(ThisProcess.identifier))
    #expect(!ProcessFacts.seesAllUsers(Int32.max))
    let child = try ChildProcess(
      path: "/usr/bin/unshare",
      arguments: ["--user", "--map-root-user", "/usr/bin/tail", "-f", "/dev/null"],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    defer {
      child.kill()
      _ = try? child.wait()
    }
    #expect(eventually { ProcessFacts(process: child.identifier)?.name == "tail" })
    #expect(!ProcessFacts.seesAllUsers(child.identifier))
  }

  @Test
  func aUserIsLookedUpOnceAndPendingUntilThen() {
    let start = BootInstant.now
    var userKinds = UserKinds()
    #expect(userKinds.kind(of: 1234, isKnown: false, at: start) == nil)
    #expect(userKinds.kind(of: 1234, isKnown: false, at: start) == .pending)
    #expect(userKinds.kind(of: 1235, isKnown: true, at: start) == .person)
    #expect(userKinds.learn(.success("ada"), of: 1234, at: start) == .person)
    let later = start.advanced(bySeconds: 59)
    #expect(userKinds.kind(of: 1234, isKnown: false, at: later) == .person)
    let much = start.advanced(bySeconds: 61)
    #expect(userKinds.kind(of: 1234, isKnown: false, at: much) == nil)
  }

  @Test
  func whoHasNoNameIsAStrangerForAWhile() {
    let start = BootInstant.now
    var userKinds = UserKinds()
    #expect(userKinds.kind(of: 1234, isKnown: false, at: start) == nil)
    let nameless = userKinds.learn(.success(nil), of: 1234, at: start)
    #expect(nameless == .stranger("user 1234 has no name on this machine"))
    let later = start.advanced(bySeconds: 4)
    #expect(userKinds.kind(of: 1234, isKnown: false, at: later) == nameless)
    // A user whom useradd(8) has just made need not wait long.
    #expect(userKinds.kind(of: 1234, isKnown: false, at: start.advanced(bySeconds: 6)) == nil)
    let error = SystemError("pthread_create", code: 11)
    #expect(userKinds.kind(of: 1235, isKnown: false, at: start) == nil)
    guard case .stranger = userKinds.learn(.failure(error), of: 1235, at: start) else {
      Issue.record("no stranger")
      return
    }
    // That says nothing about the user.
    #expect(userKinds.kind(of: 1235, isKnown: false, at: start) == nil)
  }

  /// Unlimited lookups would take all threads, and then a person's lookup would fail.
  @Test
  func whoComesWhileManyAreLookedUpWaits() {
    let start = BootInstant.now
    var userKinds = UserKinds()
    let most = UInt32(UserKinds.mostLooks)
    for user in 1000..<1000 + most {
      #expect(userKinds.kind(of: user, isKnown: false, at: start) == nil)
    }
    #expect(userKinds.kind(of: 5000, isKnown: false, at: start) == .pending)
    #expect(!userKinds.isLookedUp(5000) && userKinds.isLookedUp(1000))
    #expect(userKinds.learn(.success("ada"), of: 1000, at: start) == .person)
    #expect(userKinds.kind(of: 1000, isKnown: false, at: start) == .person)
    #expect(userKinds.kind(of: 5000, isKnown: false, at: start) == nil)
    #expect(userKinds.isLookedUp(5000))
  }

  @Test(arguments: [UInt32(61_184), 65_519, 65_534, .max])
  func aUserWithATransientNumberIsAStranger(_ user: UInt32) {
    var userKinds = UserKinds()
    guard case .stranger = userKinds.kind(of: user, isKnown: false, at: .now) else {
      Issue.record("no stranger")
      return
    }
  }

  /// Callers in containers must take no look-up from others, and none from a person with their uid.
  @Test
  func whoIsInAContainerTakesNoLookUp() {
    let start = BootInstant.now
    var userKinds = UserKinds()
    let first: UInt32 = 1_700_000_000
    for user in first..<first + 2 * UInt32(UserKinds.mostLooks) {
      let kind = userKinds.kind(of: user, isKnown: false, at: start) { false }
      #expect(kind == UserKinds.contained(user))
      #expect(!userKinds.isLookedUp(user))
    }
    // The same uid outside, as a directory service's user.
    #expect(userKinds.kind(of: first, isKnown: false, at: start) == nil)
    #expect(userKinds.learn(.success("ada"), of: first, at: start) == .person)
    let contained = userKinds.kind(of: first, isKnown: true, at: start) { false }
    #expect(contained == UserKinds.contained(first))
  }

  @Test
  func whatIsKeptOfStrangersIsBounded() {
    var userKinds = UserKinds()
    let now = BootInstant.now
    // This machine's own subordinate ranges end before these.
    let first: UInt32 = 1_800_000_000
    for user in first..<first + 10_000 {
      #expect(userKinds.kind(of: user, isKnown: false, at: now) == nil)
      _ = userKinds.learn(.success(nil), of: user, at: now)
    }
    #expect(userKinds.count <= 4096)
  }
}

extension UserKinds {
  /// The kind of a caller that is in no container.
  fileprivate mutating func kind(
    of user: UInt32,
    isKnown: Bool,
    at now: BootInstant
  ) -> UserKind? {
    kind(of: user, isKnown: isKnown, at: now) { true }
  }
}
