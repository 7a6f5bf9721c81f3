import Configuration
import Synchronization
import System
import Testing
import TokenVault

@testable import VaultServer

/// Rules with a section for a unit, which counts how often they are read.
private final class CountedRules: MachineRules {
  private let readings = Atomic(0)
  var count: Int { readings.load(ordering: .relaxed) }
  let policyFile: String? = nil

  func policy() throws(ConfigurationError) -> Policy {
    readings.add(1, ordering: .relaxed)
    return try Policy(bytes: Array("[Caller ci]\nunit = ci.service\n".utf8), file: Policy.file)
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
}
