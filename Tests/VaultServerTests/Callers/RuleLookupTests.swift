import Configuration
import Synchronization
import System
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

/// Rules of the machine, which count how often they are read.
private final class CountedRules: MachineRules {
  private let readings = Atomic(0)
  private let text: String
  var count: Int { readings.load(ordering: .relaxed) }
  let policyFile: String? = nil

  init(_ text: String = "[Caller ci]\nunit = ci.service\n") { self.text = text }

  func policy() throws(ConfigurationError) -> Policy {
    readings.add(1, ordering: .relaxed)
    return try Policy(bytes: Array(text.utf8), file: Policy.file)
  }
  func locatedPolicy() throws(ConfigurationError) -> LocatedPolicy { LocatedPolicy(try policy()) }
  func isOfMachine(_ provider: Provider, named names: Set<ProviderName>) -> Bool { false }
  func mayReachThisMachine(_ provider: Provider) -> Bool { false }
}

struct RuleLookupTests {
  @Test
  func theRulesOfTheMachineAreReadOnceForAConnection() throws {
    let rules = CountedRules()
    let vaults = Vaults.closed(under: rules)
    for connection in UInt64(1)...2 {
      let caller = Caller(
        connection: connection,
        user: ThisProcess.user,
        requester: "a test",
        peer: try Peer.thisProcess()
      )
      let recognition = Recognition()
      for _ in 1...3 { #expect(try vaults.underRule(caller, recognition).rule == nil) }
      #expect(recognition.isFree)
      #expect(rules.count == Int(connection))
    }
  }

  @Test
  func theProcessThatConnectedIsLookedAtOnce() throws {
    let child = try ChildProcess(
      path: "/usr/bin/sleep",
      arguments: ["infinity"],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    let (near, far) = try UnixSocket.pair()
    _ = Descriptor(owning: far)
    let credentials = PeerCredentials(process: child.identifier, user: ThisProcess.user, group: 0)
    let caller = Caller(
      connection: 1,
      user: ThisProcess.user,
      requester: "a test",
      peer: Peer(
        Descriptor(owning: near),
        credentials,
        try ProcessHandle(identifier: child.identifier)
      )
    )
    let recognition = Recognition()
    let half = Recognition()
    let marks = try Vaults.marks(of: caller.peer, recognition, .all)
    let unit = try Vaults.marks(of: caller.peer, half, .unit)
    #expect(unit.unit == marks.unit && unit.userUnit == marks.userUnit)
    child.kill()
    _ = try child.wait()
    #expect(try Vaults.marks(of: caller.peer, recognition, .all) == marks)
    #expect(try Vaults.marks(of: caller.peer, half, .unit) == unit)
    #expect(throws: VaultFailure.self) { try Vaults.marks(of: caller.peer, half, .all) }
    #expect(throws: VaultFailure.self) { try Vaults.marks(of: caller.peer, Recognition(), .unit) }
  }

  /// A look costs more than the token.
  ///
  /// A process that /proc does not show gets no token.
  @Test(arguments: [
    ("socket = build", true), ("accounts = me", true), ("unit = ci.service", nil),
    ("sandbox = yes", nil),
  ])
  func onlyWhatTheRulesNeedIsLookedAt(_ rule: String, _ isFreeUnseen: Bool?) throws {
    let vaults = Vaults.closed(under: CountedRules("[Caller ci]\n\(rule)\n"))
    let (near, far) = try UnixSocket.pair()
    _ = Descriptor(owning: far)
    let child = try ChildProcess(
      path: "/usr/bin/true",
      arguments: [],
      environment: [],
      descriptors: [-1, -1, -1]
    )
    let ended = Peer(
      Descriptor(owning: near),
      PeerCredentials(process: child.identifier, user: ThisProcess.user, group: 0),
      try ProcessHandle(identifier: child.identifier)
    )
    _ = try child.wait()
    let unseen = Recognition()
    #expect((try? vaults.isFreeAtFirstLook(ended, unseen)) == isFreeUnseen)
    #expect(unseen.isFree == (isFreeUnseen == true))
    // The tests may run in a sandbox.
    let this = try Peer.thisProcess()
    let marks = try #require(CallerMarks(process: this.identifier))
    let isFree = !rule.hasPrefix("sandbox") || !marks.isSandboxed
    let seen = Recognition()
    #expect(try vaults.isFreeAtFirstLook(this, seen) == isFree)
    #expect(seen.isFree == isFree)
    // There is one first look.
    #expect(try !vaults.isFreeAtFirstLook(this, seen))
  }

  @Test
  func rulesThatCannotBeReadMakeNoConnectionFree() throws {
    let vaults = Vaults.closed(under: CountedRules("[Caller ci]\nunit = ci.service\nrate = 0\n"))
    let recognition = Recognition()
    #expect(throws: VaultFailure.self) {
      try vaults.isFreeAtFirstLook(try Peer.thisProcess(), recognition)
    }
    #expect(!recognition.isFree)
  }

  @Test
  func rulesAreReadAgainAfterATenthOfASecond() throws {
    var looked = CachedRules()
    var readings = 0
    func count(at milliseconds: Int64) -> Int? {
      let now = BootInstant(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000)
      let result = looked.result(at: now) { () throws(VaultFailure) in
        readings += 1
        guard readings != 2 else { throw .misconfigured("the second time") }
        return []
      }
      return (try? result.get())?.count
    }
    for time in [0, 1, 99] as [Int64] { #expect(count(at: time) == 0 && readings == 1) }
    for time in [100, 199] as [Int64] { #expect(count(at: time) == nil && readings == 2) }
    #expect(count(at: 200) == 0 && readings == 3)
  }

  @Test
  func aConnectionUnderARuleIsNotFree() throws {
    let recognition = Recognition()
    recognition.learn(CallerRule(title: "rule \"job\""))
    let vaults = Vaults.closed(under: CountedRules())
    #expect(try !vaults.isFreeAtFirstLook(try Peer.thisProcess(), recognition))
    #expect(!recognition.isFree)
  }

  /// A test of a unit in which any program of a user can be promises no loosened rule.
  @Test(arguments: [
    ("session-1.scope", true), ("user@1000.service", true), ("user-1000.slice", true),
    ("user.slice", true), ("backup.service", false), ("user@1000.scope", false),
    ("user-backup.service", false),
  ])
  func aUnitBelowTheUsersSliceIsKnownByItsName(_ unit: String, _ isInUserSlice: Bool) throws {
    let root = Caller(connection: 1, user: 0, requester: "a test")
    let (marks, _) = try Vaults.closed().marks(of: TestRuleCall(unit: unit), for: root)
    #expect(marks.unit == unit && marks.isInUserSlice == isInUserSlice)
  }

  /// Only an administrator's rule that says when a token needs a check removes the socket's own
  /// rule.
  @Test(arguments: [
    ("presence = window", "", false), ("presence = never-ask", "", false),
    ("presence = each", "", true), ("rate = 2", "", true), ("rate = 2", "window", true),
    ("", "window", true), ("", "never-ask", true), ("presence = window", "each", true),
  ])
  func aNamedRuleKeepsTheCheckOfASocketUnlessTheMachineSaysOtherwise(
    _ machine: String,
    _ own: String,
    _ needsOwnCheck: Bool
  ) throws {
    let text = machine.isEmpty ? "" : "[Caller job]\n\(machine)\n"
    let vaults = Vaults.closed(under: CountedRules(text))
    let agent = Caller(
      connection: 1,
      user: ThisProcess.user,
      requester: "a test",
      peer: try Peer.thisProcess()
    )
    let key = try #require(CallerRuleKey("caller.job.presence"))
    let rules = own.isEmpty ? UserRules() : try UserRules().setting(key, to: own)
    let call = RestrictCall(name: "build", accounts: ["me"], rule: "job")
    let rule = try vaults.restriction(call, agent, own: rules.callers)
    #expect(rule.needsOwnCheck == needsOwnCheck)
  }
}
